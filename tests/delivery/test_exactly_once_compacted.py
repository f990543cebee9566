"""Exactly-once writes into a compacted hub: repeated batches with and without a compaction in the middle."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING, Literal

import pytest

from confs import conf_of, from_earliest
from events import spread
from spark_eventhubs import read_stream, write_stream
from spark_eventhubs.local_hub import Compaction
from streams import forget_commit, run_available

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from spark_eventhubs import LocalEventHub
    from spark_eventhubs.pytest_plugin import CreateEventHub

# Only the tests compact, not time.
MANUAL = Compaction(min_lag=timedelta(days=1))
KEYS = 10
NUMBERS = range(200)


@pytest.fixture
def table(create_event_hub: CreateEventHub) -> LocalEventHub:
    """A compacted hub whose older values of two keys are gone."""
    hub = create_event_hub(partitions=2, compaction=MANUAL)
    for key in ("0", "old"):
        hub.send("-2", "-1", key=key)
    compact(hub)
    assert len(hub.events()) == 2
    return hub


def compact(hub: LocalEventHub) -> None:
    for partition in range(hub.partitions):
        hub.compact(partition=partition)


def upsert(
    spark: SparkSession,
    source: LocalEventHub,
    table: LocalEventHub,
    checkpoint: Path,
    guarantee: Literal["at-least-once", "exactly-once"] = "exactly-once",
) -> None:
    """Writes each number of the source as the value of its key, the last digit."""
    key = f"cast(cast(cast(body as string) as int) % {KEYS} as string) as partitionKey"
    rows = read_stream(spark, from_earliest(source)).selectExpr("body", key)
    conf = conf_of(table).replace(settle_delay="300ms", delivery_guarantee=guarantee)
    run_available(write_stream(rows, conf, checkpoint_location=checkpoint))


def values(hub: LocalEventHub) -> Counter[int]:
    return Counter(int(event.text()) for event in hub.events())


def latest(hub: LocalEventHub) -> dict[str | None, int]:
    return {event.partition_key: int(event.text()) for event in hub.events()}


def test_a_repeated_batch_is_in_the_hub_once_when_nothing_of_it_was_compacted(
    spark: SparkSession, event_hub: LocalEventHub, table: LocalEventHub, tmp_path: Path
) -> None:
    spread(event_hub, NUMBERS)
    upsert(spark, event_hub, table, tmp_path)

    forget_commit(tmp_path, 0)
    upsert(spark, event_hub, table, tmp_path)

    assert values(table) == Counter([*NUMBERS, -1, -1])


def test_a_repeated_batch_of_which_events_were_compacted_stops_and_sends_nothing(
    spark: SparkSession, event_hub: LocalEventHub, table: LocalEventHub, tmp_path: Path
) -> None:
    spread(event_hub, NUMBERS)
    upsert(spark, event_hub, table, tmp_path)
    compact(table)
    compacted = latest(table)
    assert len(compacted) == KEYS + 1

    forget_commit(tmp_path, 0)
    table.send("1000", key="0")
    # Spark and py4j raise several types.
    with pytest.raises(Exception, match=r"EVENTHUBS_EXACTLY_ONCE\.OUTCOME_UNKNOWN(?s:.*)compaction"):
        upsert(spark, event_hub, table, tmp_path)
    assert latest(table) == compacted | {"0": 1000}
    assert len(table.events()) == len(compacted) + 1, "nothing was sent"


def test_a_repeated_batch_whose_last_events_are_gone_stops_and_sends_nothing(
    spark: SparkSession, event_hub: LocalEventHub, table: LocalEventHub, tmp_path: Path
) -> None:
    spread(event_hub, range(KEYS))
    upsert(spark, event_hub, table, tmp_path)
    # No event of the batch is removed. The hub still counts the tombstone, which nobody can read.
    table.send(None, key="old")
    for partition in range(table.partitions):
        table.compact(partition=partition, remove_tombstones=True)
    assert values(table) == Counter(range(KEYS))

    forget_commit(tmp_path, 0)
    with pytest.raises(Exception, match=r"EVENTHUBS_EXACTLY_ONCE\.OUTCOME_UNKNOWN(?s:.*)compaction"):
        upsert(spark, event_hub, table, tmp_path)
    assert values(table) == Counter(range(KEYS)), "nothing was sent"


def test_the_way_out_at_least_once_repeats_the_batch_and_may_overwrite_newer_values(
    spark: SparkSession, event_hub: LocalEventHub, table: LocalEventHub, tmp_path: Path
) -> None:
    spread(event_hub, NUMBERS)
    upsert(spark, event_hub, table, tmp_path)
    compact(table)
    forget_commit(tmp_path, 0)
    table.send("1000", key="0")

    upsert(spark, event_hub, table, tmp_path, guarantee="at-least-once")

    assert latest(table)["0"] in NUMBERS, "the value of another writer is overwritten, as the documentation says"
    spread(event_hub, range(200, 220))
    upsert(spark, event_hub, table, tmp_path)
    written = values(table)
    assert all(written[number] == 1 for number in range(200, 220)), "the next batch is exactly once again"
