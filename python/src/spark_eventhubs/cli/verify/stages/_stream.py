"""A stream that is stopped and started again."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final, Protocol

from spark_eventhubs import read_stream, write
from spark_eventhubs.cli.verify._run import PATIENCE_SECONDS, require_once
from spark_eventhubs.cli.verify._stage import DifferenceError
from spark_eventhubs.cli.verify._volumes import STREAM_EVENTS as EVENTS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from spark_eventhubs import EventHubsConf
    from spark_eventhubs.cli.verify._run import Run

_PER_BATCH: Final = 40
# A micro-batch may take a minute: on the strict profile of the local hub, one of 40 events takes 65 s.
_LONGEST_SECONDS: Final = 1800


def check_stream(run: Run) -> str:
    """Events before and after a restart come once."""
    hub, prefix = run.setting.first, run.prefix("stream")
    half = EVENTS // 2
    rows = run.spark.range(EVENTS).selectExpr("id", f"concat('{prefix}', id) AS body")
    conf = run.of_run(hub).replace(max_events_per_trigger=_PER_BATCH)
    seen: list[str] = []
    write(rows.where(f"id < {half}").select("body"), run.conf(hub))
    first = read_until(half, run, conf, stage="stream", query="stream", seen=seen)
    write(rows.where(f"id >= {half}").select("body"), run.conf(hub))
    second = read_until(EVENTS, run, conf, stage="stream", query="stream", seen=seen)
    require_once(seen, [f"{prefix}{n}" for n in range(EVENTS)])
    return f"{EVENTS} events, each once, in {first} and {second} runs of one query"


def read_until(count: int, run: Run, conf: EventHubsConf, *, stage: str, query: str, seen: list[str]) -> int:
    """Runs a query on what is available until it has read so many events, or finds no more. Returns its runs.

    The service may report new events late, so one run may end too soon.

    Raises:
        DifferenceError: the query does not end.
    """

    def collect(batch: DataFrame, _: int) -> None:
        own = batch.selectExpr("cast(body AS string) AS body").where(f"body LIKE '{run.prefix(stage)}%'")
        seen.extend(row["body"] for row in own.collect())

    deadline = time.monotonic() + _LONGEST_SECONDS
    found_at = time.monotonic()
    runs = 0
    while True:
        before = len(seen)
        writer = read_stream(run.spark, conf).writeStream.foreachBatch(collect)
        started = writer.option("checkpointLocation", str(run.folder / query)).trigger(availableNow=True).start()
        await_end(started, deadline, seen)
        runs += 1
        if len(seen) > before:
            found_at = time.monotonic()
        if len(seen) >= count or time.monotonic() > found_at + PATIENCE_SECONDS:
            return runs
        time.sleep(1)


class Started(Protocol):
    """What is used of a query."""

    def awaitTermination(self, timeout: int, /) -> bool | None:  # noqa: N802 -- as Spark has it
        """Whether it has ended in the time."""

    def stop(self) -> None:
        """Ends it."""


def await_end(query: Started, deadline: float, seen: list[str]) -> None:
    """Stops a query that has not ended at the deadline of the monotonic clock, and fails."""
    if query.awaitTermination(max(1, round(deadline - time.monotonic()))):
        return
    query.stop()
    raise DifferenceError(f"the query has not ended in {_LONGEST_SECONDS} s; it has read {len(seen)} events")
