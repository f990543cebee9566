from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from events import all_events, numbers_in_hub, numbers_of, once, spread
from spark_eventhubs import EventHubsConf, EventPosition, read, read_stream, write, write_stream

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from spark_eventhubs import LocalEventHub, LocalHub


def conf_of(hub: LocalEventHub) -> EventHubsConf:
    return EventHubsConf.from_connection_string(hub.connection_string)


def numbers(spark: SparkSession, count: int, *more: str) -> DataFrame:
    return spark.range(count).selectExpr("cast(id as string) as body", *more)


def test_every_row_of_a_batch_is_in_the_hub_once(spark: SparkSession, event_hub: LocalEventHub) -> None:
    write(numbers(spark, 2000).repartition(4), conf_of(event_hub))

    assert numbers_in_hub(event_hub) == once(range(2000))


def test_what_spark_wrote_spark_reads(spark: SparkSession, event_hub: LocalEventHub) -> None:
    write(numbers(spark, 500), conf_of(event_hub))

    assert numbers_of(read(spark, conf_of(event_hub).with_starting_position(EventPosition.earliest()))) == once(
        range(500)
    )


def test_bodies_are_text_or_bytes(spark: SparkSession, event_hub: LocalEventHub) -> None:
    conf = conf_of(event_hub).with_partition_id(0)

    write(spark.sql("select 'grün' as body"), conf)
    write(spark.sql("select X'00FF' as body"), conf)

    assert [event.body_as_str("latin-1").encode("latin-1") for event in all_events(event_hub)[0]] == [
        "grün".encode(),
        b"\x00\xff",
    ]


def test_properties_and_key_arrive_at_the_official_sdk(spark: SparkSession, event_hub: LocalEventHub) -> None:
    rows = numbers(
        spark,
        300,
        "map('id', cast(id as string), 'colour', 'blue') as properties",
        "concat('k', id % 7) as partitionKey",
    )

    write(rows, conf_of(event_hub))

    found = all_events(event_hub)
    assert numbers_in_hub(event_hub) == once(range(300))
    homes: dict[bytes, set[int]] = {}
    for partition, events in found.items():
        for event in events:
            number = event.body_as_str()
            assert event.properties == {b"id": number.encode(), b"colour": b"blue"}
            assert event.partition_key == f"k{int(number) % 7}".encode()
            homes.setdefault(event.partition_key, set()).add(partition)
    assert all(len(partitions) == 1 for partitions in homes.values()), "events of one key are in one partition"


@pytest.mark.parametrize("column", ["partitionId", "partition"])
@pytest.mark.parametrize("kind", ["string", "int"])
def test_rows_choose_their_partition(spark: SparkSession, event_hub: LocalEventHub, column: str, kind: str) -> None:
    write(numbers(spark, 400, f"cast(id % 4 as {kind}) as {column}"), conf_of(event_hub))

    for partition, events in all_events(event_hub).items():
        assert sorted(int(event.body_as_str()) for event in events) == list(range(partition, 400, 4))


def test_an_option_chooses_one_partition_for_all_rows(spark: SparkSession, event_hub: LocalEventHub) -> None:
    write(numbers(spark, 50), conf_of(event_hub).with_partition_id(3))

    assert {partition: len(events) for partition, events in all_events(event_hub).items()} == {0: 0, 1: 0, 2: 0, 3: 50}


def test_an_option_sets_one_key_for_all_rows(spark: SparkSession, event_hub: LocalEventHub) -> None:
    write(numbers(spark, 50), conf_of(event_hub).with_partition_key("blue"))

    keys = [event.partition_key for events in all_events(event_hub).values() for event in events]
    assert keys == [b"blue"] * 50


def test_an_empty_batch_sends_nothing(spark: SparkSession, event_hub: LocalEventHub) -> None:
    write(numbers(spark, 0), conf_of(event_hub))

    assert numbers_in_hub(event_hub) == once([])


def test_large_and_small_rows_share_batches_up_to_the_limit(spark: SparkSession, event_hub: LocalEventHub) -> None:
    rows = spark.range(60).selectExpr("concat(id, repeat(' ', cast(100000 * (id % 10) as int))) as body")

    write(rows, conf_of(event_hub))

    assert numbers_in_hub(event_hub) == once(range(60))


def test_a_stream_from_hub_to_hub_loses_nothing_and_a_restart_repeats_nothing(
    spark: SparkSession, event_hub: LocalEventHub, local_hub: LocalHub, tmp_path: Path
) -> None:
    copy = local_hub.create_hub(f"{event_hub.name}-copy", partitions=2)
    source = conf_of(event_hub).with_starting_position(EventPosition.earliest()).with_max_events_per_trigger(200)

    def run() -> None:
        rows = read_stream(spark, source).select("body", "partitionKey", "properties")
        query = write_stream(rows, conf_of(copy), checkpoint_location=tmp_path).trigger(availableNow=True).start()
        assert query.awaitTermination(120)

    spread(event_hub, range(500))
    run()
    spread(event_hub, range(500, 700))
    run()

    assert numbers_in_hub(copy) == once(range(700))
