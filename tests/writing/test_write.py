from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from confs import conf_of, from_earliest
from events import all_events, numbered_rows, numbers_in_hub, numbers_of, once, spread
from spark_eventhubs import read, read_stream, write, write_stream
from streams import run_available

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import SparkSession

    from spark_eventhubs import LocalEventHub


def test_a_batch_write_sends_every_row_once(spark: SparkSession, event_hub: LocalEventHub) -> None:
    write(numbered_rows(spark, 2000).repartition(4), conf_of(event_hub))

    assert numbers_in_hub(event_hub) == once(range(2000))


def test_spark_reads_the_events_that_it_wrote(spark: SparkSession, event_hub: LocalEventHub) -> None:
    write(numbered_rows(spark, 500), conf_of(event_hub))

    assert numbers_of(read(spark, from_earliest(event_hub))) == once(range(500))


def test_bodies_can_be_text_or_bytes(spark: SparkSession, event_hub: LocalEventHub) -> None:
    conf = conf_of(event_hub).replace(partition_id=0)

    write(spark.sql("select 'grün' as body"), conf)
    write(spark.sql("select X'00FF' as body"), conf)

    assert [event.body_as_str("latin-1").encode("latin-1") for event in all_events(event_hub)[0]] == [
        "grün".encode(),
        b"\x00\xff",
    ]


def test_the_official_sdk_reads_the_properties_and_the_partition_key(
    spark: SparkSession, event_hub: LocalEventHub
) -> None:
    rows = numbered_rows(
        spark,
        300,
        "map('id', cast(id as string), 'colour', 'blue') as properties",
        "concat('k', id % 7) as partitionKey",
    )

    write(rows, conf_of(event_hub))

    found = all_events(event_hub)
    assert numbers_in_hub(event_hub) == once(range(300))
    partitions_of: dict[bytes, set[int]] = {}
    for partition, events in found.items():
        for event in events:
            number = event.body_as_str()
            assert event.properties == {b"id": number.encode(), b"colour": b"blue"}
            assert event.partition_key == f"k{int(number) % 7}".encode()
            partitions_of.setdefault(event.partition_key, set()).add(partition)
    assert all(len(partitions) == 1 for partitions in partitions_of.values()), (
        "all events of a key are in one partition"
    )


@pytest.mark.parametrize("column", ["partitionId", "partition"])
@pytest.mark.parametrize("kind", ["string", "int"])
def test_a_column_chooses_the_partition_of_a_row(
    spark: SparkSession, event_hub: LocalEventHub, column: str, kind: str
) -> None:
    write(numbered_rows(spark, 400, f"cast(id % 4 as {kind}) as {column}"), conf_of(event_hub))

    for partition, events in all_events(event_hub).items():
        assert sorted(int(event.body_as_str()) for event in events) == list(range(partition, 400, 4))


def test_an_option_chooses_the_partition_of_all_rows(spark: SparkSession, event_hub: LocalEventHub) -> None:
    write(numbered_rows(spark, 50), conf_of(event_hub).replace(partition_id=3))

    assert {partition: len(events) for partition, events in all_events(event_hub).items()} == {0: 0, 1: 0, 2: 0, 3: 50}


def test_an_option_sets_the_partition_key_of_all_rows(spark: SparkSession, event_hub: LocalEventHub) -> None:
    write(numbered_rows(spark, 50), conf_of(event_hub).replace(partition_key="blue"))

    keys = [event.partition_key for events in all_events(event_hub).values() for event in events]
    assert keys == [b"blue"] * 50


def test_an_empty_batch_sends_nothing(spark: SparkSession, event_hub: LocalEventHub) -> None:
    write(numbered_rows(spark, 0), conf_of(event_hub))

    assert numbers_in_hub(event_hub) == once([])


def test_large_and_small_rows_share_batches(spark: SparkSession, event_hub: LocalEventHub) -> None:
    rows = spark.range(60).selectExpr("concat(id, repeat(' ', cast(100000 * (id % 10) as int))) as body")

    write(rows, conf_of(event_hub))

    assert numbers_in_hub(event_hub) == once(range(60))


def test_a_stream_from_hub_to_hub_loses_no_event_and_repeats_none_after_a_restart(
    spark: SparkSession, event_hub: LocalEventHub, another_hub: Callable[..., LocalEventHub], tmp_path: Path
) -> None:
    copy = another_hub()
    source = from_earliest(event_hub).replace(max_events_per_trigger=200)

    def run() -> None:
        rows = read_stream(spark, source).select("body", "partitionKey", "properties")
        run_available(write_stream(rows, conf_of(copy), checkpoint_location=tmp_path))

    spread(event_hub, range(500))
    run()
    spread(event_hub, range(500, 700))
    run()

    assert numbers_in_hub(copy) == once(range(700))
