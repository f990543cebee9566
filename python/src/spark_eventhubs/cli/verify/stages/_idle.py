"""A query and a writer that are idle for longer than the service keeps idle links."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from spark_eventhubs import read_stream, write
from spark_eventhubs.cli.verify._run import PATIENCE_SECONDS, require_once
from spark_eventhubs.cli.verify._volumes import IDLE_EVENTS as EVENTS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from spark_eventhubs.cli.verify._run import Run


def check_idle(run: Run) -> str:
    """Events that come after the idle time are written and read, over what was open before."""
    hub, prefix = run.setting.first, run.prefix("idle")
    half = EVENTS // 2
    rows = run.spark.range(EVENTS).selectExpr("id", f"concat('{prefix}', id) AS body")
    seen: list[str] = []

    def collect(batch: DataFrame, _: int) -> None:
        own = batch.selectExpr("cast(body AS string) AS body").where(f"body LIKE '{prefix}%'")
        seen.extend(row["body"] for row in own.collect())

    writer = read_stream(run.spark, run.of_run(hub)).writeStream.foreachBatch(collect)
    query = writer.option("checkpointLocation", str(run.folder / "idle")).start()

    def wait_for(count: int) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while len(seen) < count and query.isActive and time.monotonic() < deadline:
            time.sleep(0.5)

    try:
        write(rows.where(f"id < {half}").select("body"), run.conf(hub))
        wait_for(half)
        # A query that fails ends the wait.
        query.awaitTermination(max(1, round(run.setting.hours * 3600)))
        write(rows.where(f"id >= {half}").select("body"), run.conf(hub))
        wait_for(EVENTS)
    finally:
        query.stop()
    if query.exception() is not None:
        query.awaitTermination()
    require_once(seen, [f"{prefix}{n}" for n in range(EVENTS)])
    return f"{EVENTS} events, each once, before and after {run.setting.hours:g} h without events"
