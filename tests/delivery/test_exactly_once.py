from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Literal

import pytest

from confs import conf_of, from_earliest
from events import numbered_rows, numbers_in_hub, numbers_of, once, spread
from spark_eventhubs import (
    EventHubsConf,
    WriteOnce,
    drop_duplicate_events,
    read,
    read_stream,
    write,
    write_stream,
)
from streams import Target, forget_commit, run_available

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from spark_eventhubs import LocalEventHub


def writing_to(hub: LocalEventHub) -> EventHubsConf:
    """Writes with a short settle delay, because no other writer uses the hub."""
    return conf_of(hub).replace(settle_delay="300ms")


def copy_available(source: LocalEventHub, conf: EventHubsConf, checkpoint: Path, spark: SparkSession) -> None:
    rows = read_stream(spark, from_earliest(source)).select("body")
    run_available(write_stream(rows, conf, checkpoint_location=checkpoint))


COPIES = {"exactly-once": 1, "at-least-once": 2}


@pytest.mark.parametrize("guarantee", COPIES)
def test_an_uncommitted_batch_is_repeated_and_leaves_duplicates_only_at_least_once(
    spark: SparkSession,
    event_hub: LocalEventHub,
    another_hub: Callable[..., LocalEventHub],
    tmp_path: Path,
    guarantee: Literal["exactly-once", "at-least-once"],
) -> None:
    copy = another_hub()
    conf = writing_to(copy).replace(delivery_guarantee=guarantee)
    spread(event_hub, range(400))
    copy_available(event_hub, conf, tmp_path, spark)

    forget_commit(tmp_path, 0)
    copy_available(event_hub, conf, tmp_path, spark)

    assert set(numbers_in_hub(copy).values()) == {COPIES[guarantee]}
    assert len(numbers_in_hub(copy)) == 400


def test_exactly_once_is_rejected_without_a_checkpoint(spark: SparkSession, event_hub: LocalEventHub) -> None:
    rows = read_stream(spark, from_earliest(event_hub)).select("body")
    conf = writing_to(event_hub).replace(delivery_guarantee="exactly-once")

    with pytest.raises(Exception, match=r"EVENTHUBS_EXACTLY_ONCE\.NO_CHECKPOINT"):  # py4j and Spark raise several types
        rows.writeStream.format("eventhubs").options(**conf.to_options()).start()


def test_a_repeated_batch_write_leaves_each_row_in_the_hub_once(
    spark: SparkSession, event_hub: LocalEventHub, tmp_path: Path
) -> None:
    for version in (1, 1, 2):
        write(
            numbered_rows(spark, 300),
            writing_to(event_hub),
            once=WriteOnce(write_id="daily", version=version, log_location=tmp_path),
        )

    assert set(numbers_in_hub(event_hub).values()) == {2}


def test_a_repeated_batch_of_foreach_batch_leaves_each_row_in_the_hub_once(
    spark: SparkSession, event_hub: LocalEventHub, another_hub: Callable[..., LocalEventHub], tmp_path: Path
) -> None:
    copy = another_hub()
    spread(event_hub, range(400))

    def write_batch(batch: DataFrame, batch_id: int) -> None:
        once = WriteOnce(write_id="copy", version=batch_id, log_location=tmp_path / "writes")
        write(batch.select("body"), writing_to(copy), once=once)

    def run() -> None:
        writer = read_stream(spark, from_earliest(event_hub)).writeStream.foreachBatch(write_batch)
        run_available(writer.option("checkpointLocation", str(tmp_path / "checkpoint")))

    run()
    forget_commit(tmp_path / "checkpoint", 0)
    run()

    assert numbers_in_hub(copy) == once(range(400))


def test_a_batch_read_drops_events_that_a_writer_repeated(spark: SparkSession, event_hub: LocalEventHub) -> None:
    stamped = writing_to(event_hub).replace(stamp_events=True)
    again = stamped.replace(write_id="daily", write_version=1)
    rows = numbered_rows(spark, 300).coalesce(1)

    write(rows, again)
    write(rows, again)
    write(rows, stamped)

    distinct = drop_duplicate_events(read(spark, from_earliest(event_hub)), within=timedelta(minutes=10))
    assert numbers_in_hub(event_hub) == once([*range(300)] * 3)
    assert numbers_of(distinct) == once([*range(300)] * 2), "the third write is a different write"


def test_a_union_of_two_hubs_keeps_all_events_without_an_id(
    spark: SparkSession, event_hub: LocalEventHub, another_hub: Callable[..., LocalEventHub], tmp_path: Path
) -> None:
    other = another_hub(partitions=event_hub.partitions)
    spread(event_hub, range(300))
    spread(other, range(300))

    both = read(spark, from_earliest(event_hub)).union(read(spark, from_earliest(other)))
    streams = read_stream(spark, from_earliest(event_hub)).union(read_stream(spark, from_earliest(other)))
    distinct = drop_duplicate_events(streams, within=timedelta(minutes=10))
    target = Target(tmp_path)
    run_available(target.writer(distinct))

    assert numbers_of(drop_duplicate_events(both, within=timedelta(minutes=10))) == once([*range(300)] * 2)
    assert target.numbers(spark) == once([*range(300)] * 2)


@pytest.mark.parametrize("keep_late", [True, False])
def test_a_stream_drops_events_that_a_writer_repeated(
    spark: SparkSession, event_hub: LocalEventHub, tmp_path: Path, *, keep_late: bool
) -> None:
    again = writing_to(event_hub).from_options(
        writing_to(event_hub).to_options()
        | {"eventhubs.stampEvents": True, "eventhubs.writeId": "daily", "eventhubs.writeVersion": 1}
    )
    rows = numbered_rows(spark, 300).coalesce(1)
    write(rows, again)
    write(rows, again)

    events = read_stream(spark, from_earliest(event_hub))
    distinct = drop_duplicate_events(events, within=timedelta(minutes=10), keep_late=keep_late)
    target = Target(tmp_path)
    run_available(target.writer(distinct))

    assert target.numbers(spark) == once(range(300))
