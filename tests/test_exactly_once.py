from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from events import numbers_in_hub, numbers_of, once, spread
from spark_eventhubs import (
    EventHubsConf,
    EventPosition,
    WriteOnce,
    drop_duplicate_events,
    read,
    read_stream,
    write,
    write_stream,
)

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from spark_eventhubs import LocalEventHub, LocalHub


def conf_of(hub: LocalEventHub) -> EventHubsConf:
    return EventHubsConf.from_connection_string(hub.connection_string).with_option("eventhubs.settleDelay", "300ms")


def from_start(hub: LocalEventHub) -> EventHubsConf:
    return conf_of(hub).with_starting_position(EventPosition.earliest())


def numbers(spark: SparkSession, count: int) -> DataFrame:
    return spark.range(count).selectExpr("cast(id as string) as body")


def copy_available(source: LocalEventHub, conf: EventHubsConf, checkpoint: Path, spark: SparkSession) -> None:
    writer = write_stream(read_stream(spark, from_start(source)).select("body"), conf, checkpoint_location=checkpoint)
    query = writer.trigger(availableNow=True).start()
    assert query.awaitTermination(120)


def forget_commit(checkpoint: Path, batch: int) -> None:
    """As if the driver had died when the batch was written and not yet noted."""
    (checkpoint / "commits" / str(batch)).unlink()
    (checkpoint / "commits" / f".{batch}.crc").unlink(missing_ok=True)


COPIES = {"exactly-once": 1, "at-least-once": 2}


@pytest.mark.parametrize("guarantee", COPIES)
def test_a_batch_that_was_written_and_not_committed(
    spark: SparkSession, event_hub: LocalEventHub, local_hub: LocalHub, tmp_path: Path, guarantee: str
) -> None:
    copy = local_hub.create_hub(f"{event_hub.name}-{guarantee}", partitions=2)
    conf = conf_of(copy).with_option("eventhubs.deliveryGuarantee", guarantee)
    spread(event_hub, range(400))
    copy_available(event_hub, conf, tmp_path, spark)

    forget_commit(tmp_path, 0)
    copy_available(event_hub, conf, tmp_path, spark)

    assert set(numbers_in_hub(copy).values()) == {COPIES[guarantee]}
    assert len(numbers_in_hub(copy)) == 400


def test_exactly_once_is_refused_without_a_checkpoint(spark: SparkSession, event_hub: LocalEventHub) -> None:
    rows = read_stream(spark, from_start(event_hub)).select("body")
    conf = conf_of(event_hub).with_delivery_guarantee("exactly-once")

    with pytest.raises(Exception, match=r"EVENTHUBS_EXACTLY_ONCE\.NO_CHECKPOINT"):  # py4j and Spark raise several
        rows.writeStream.format("eventhubs").options(**conf.to_options()).start()


def test_a_batch_write_that_is_done_again_is_in_the_hub_once(
    spark: SparkSession, event_hub: LocalEventHub, tmp_path: Path
) -> None:
    for version in (1, 1, 2):
        write(
            numbers(spark, 300),
            conf_of(event_hub),
            once=WriteOnce(write_id="daily", version=version, log_location=tmp_path),
        )

    assert set(numbers_in_hub(event_hub).values()) == {2}


def test_a_repeated_batch_of_foreach_batch_is_in_the_hub_once(
    spark: SparkSession, event_hub: LocalEventHub, local_hub: LocalHub, tmp_path: Path
) -> None:
    copy = local_hub.create_hub(f"{event_hub.name}-copy", partitions=2)
    spread(event_hub, range(400))

    def write_batch(batch: DataFrame, batch_id: int) -> None:
        once = WriteOnce(write_id="copy", version=batch_id, log_location=tmp_path / "writes")
        write(batch.select("body"), conf_of(copy), once=once)

    def run() -> None:
        writer = read_stream(spark, from_start(event_hub)).writeStream.foreachBatch(write_batch)
        query = writer.option("checkpointLocation", str(tmp_path / "checkpoint")).trigger(availableNow=True).start()
        assert query.awaitTermination(120)

    run()
    forget_commit(tmp_path / "checkpoint", 0)
    run()

    assert numbers_in_hub(copy) == once(range(400))


def test_readers_drop_what_a_writer_sent_again(spark: SparkSession, event_hub: LocalEventHub) -> None:
    stamped = conf_of(event_hub).with_option("eventhubs.stampEvents", value=True)
    again = stamped.with_option("eventhubs.writeId", "daily").with_option("eventhubs.writeVersion", 1)
    rows = numbers(spark, 300).coalesce(1)

    write(rows, again)
    write(rows, again)
    write(rows, stamped)

    distinct = drop_duplicate_events(read(spark, from_start(event_hub)), within=timedelta(minutes=10))
    assert numbers_in_hub(event_hub) == once([*range(300)] * 3)
    assert numbers_of(distinct) == once([*range(300)] * 2), "the third write is one of its own"


def test_events_of_two_hubs_without_an_id_are_all_kept(
    spark: SparkSession, event_hub: LocalEventHub, local_hub: LocalHub, tmp_path: Path
) -> None:
    other = local_hub.create_hub(f"{event_hub.name}-other", partitions=event_hub.partitions)
    spread(event_hub, range(300))
    spread(other, range(300))

    both = read(spark, from_start(event_hub)).union(read(spark, from_start(other)))
    streams = read_stream(spark, from_start(event_hub)).union(read_stream(spark, from_start(other)))
    distinct = drop_duplicate_events(streams, within=timedelta(minutes=10))
    writer = distinct.selectExpr("cast(body as string) as body").writeStream.format("parquet")
    query = writer.option("checkpointLocation", str(tmp_path / "c")).trigger(availableNow=True)
    assert query.start(str(tmp_path / "rows")).awaitTermination(120)

    assert numbers_of(drop_duplicate_events(both, within=timedelta(minutes=10))) == once([*range(300)] * 2)
    assert numbers_of(spark.read.parquet(str(tmp_path / "rows"))) == once([*range(300)] * 2)


def test_a_stream_drops_what_a_writer_sent_again(spark: SparkSession, event_hub: LocalEventHub, tmp_path: Path) -> None:
    again = conf_of(event_hub).from_options(
        conf_of(event_hub).to_options()
        | {"eventhubs.stampEvents": True, "eventhubs.writeId": "daily", "eventhubs.writeVersion": 1}
    )
    rows = numbers(spark, 300).coalesce(1)
    write(rows, again)
    write(rows, again)

    distinct = drop_duplicate_events(read_stream(spark, from_start(event_hub)), within=timedelta(minutes=10))
    folder = tmp_path / "rows"
    writer = distinct.selectExpr("cast(body as string) as body").writeStream.format("parquet")
    query = writer.option("checkpointLocation", str(tmp_path / "c")).trigger(availableNow=True).start(str(folder))
    assert query.awaitTermination(120)

    assert numbers_of(spark.read.parquet(str(folder))) == once(range(300))
