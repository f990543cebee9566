from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from azure.eventhub import EventData

from confs import from_earliest
from events import numbers_of, once, send, send_events, spread
from spark_eventhubs import EventPosition, read, read_stream

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spark_eventhubs import LocalEventHub

COLUMNS = {
    "body": "binary",
    "partition": "string",
    "offset": "string",
    "sequenceNumber": "long",
    "enqueuedTime": "timestamp",
    "publisher": "string",
    "partitionKey": "string",
    "properties": {"type": "map", "keyType": "string", "valueType": "string", "valueContainsNull": True},
    "systemProperties": {"type": "map", "keyType": "string", "valueType": "string", "valueContainsNull": True},
}


def test_stream_and_batch_have_the_nine_columns_of_the_legacy_connector(
    spark: SparkSession, event_hub: LocalEventHub
) -> None:
    for df in (read(spark, from_earliest(event_hub)), read_stream(spark, from_earliest(event_hub))):
        fields = json.loads(df.schema.json())["fields"]
        assert {field["name"]: field["type"] for field in fields} == COLUMNS
        assert list(COLUMNS) == df.columns
        assert all(field["nullable"] for field in fields)


def test_a_batch_reads_every_event_once_and_in_the_order_of_its_partition(
    spark: SparkSession, event_hub: LocalEventHub
) -> None:
    sent = spread(event_hub, range(1000))

    rows = (
        read(spark, from_earliest(event_hub)).selectExpr("partition", "sequenceNumber", "int(string(body))").collect()
    )

    for partition, numbers in sent.items():
        members = [(row[1], row[2]) for row in rows if row["partition"] == str(partition)]
        assert members == list(enumerate(numbers))


def test_a_batch_ends_before_its_ending_position(spark: SparkSession, event_hub: LocalEventHub) -> None:
    sent = spread(event_hub, range(400))
    starts = {0: EventPosition.sequence_number(10), 1: EventPosition.latest()}
    ends = {0: EventPosition.sequence_number(20), 2: EventPosition.sequence_number(5)}
    conf = from_earliest(event_hub).replace(starting_positions=starts, ending_positions=ends)

    assert numbers_of(read(spark, conf)) == once(sent[0][10:20] + sent[2][:5] + sent[3])


def test_a_read_can_start_at_the_offset_of_a_row(spark: SparkSession, event_hub: LocalEventHub) -> None:
    sent = spread(event_hub, range(400))
    rows = read(spark, from_earliest(event_hub)).where("partition = '1'").select("offset", "sequenceNumber").collect()
    offset = next(row["offset"] for row in rows if row["sequenceNumber"] == 30)

    at = EventPosition.offset(offset)
    after = EventPosition.offset(offset, inclusive=False)
    conf = from_earliest(event_hub).replace(partitions=[1])

    assert numbers_of(read(spark, conf.replace(starting_positions={1: at}))) == once(sent[1][30:])
    assert numbers_of(read(spark, conf.replace(starting_positions={1: after}))) == once(sent[1][31:])


def test_counts_and_column_selections_see_the_same_rows(spark: SparkSession, event_hub: LocalEventHub) -> None:
    spread(event_hub, range(500))
    df = read(spark, from_earliest(event_hub))

    assert df.count() == 500
    assert df.select("sequenceNumber").where("sequenceNumber < 10").count() == 40
    assert df.groupBy("partition").count().count() == event_hub.partitions


def test_an_empty_hub_has_no_rows(spark: SparkSession, event_hub: LocalEventHub) -> None:
    assert read(spark, from_earliest(event_hub)).collect() == []


def test_a_hub_can_be_read_with_plain_options_and_the_legacy_class_name(
    spark: SparkSession, event_hub: LocalEventHub
) -> None:
    spread(event_hub, range(100))
    options = from_earliest(event_hub).to_options()

    for name in ("eventhubs", "org.apache.spark.sql.eventhubs.EventHubsSourceProvider"):
        assert numbers_of(spark.read.format(name).options(**options).load()) == once(range(100))


def test_a_conf_is_a_mapping_of_options(spark: SparkSession, event_hub: LocalEventHub) -> None:
    spread(event_hub, range(100))
    conf = from_earliest(event_hub)

    assert numbers_of(spark.read.format("eventhubs").options(**conf).load()) == once(range(100))
    assert numbers_of(spark.read.load(format="eventhubs", **dict(conf))) == once(range(100))


@pytest.mark.event_hub(partitions=1)
def test_an_event_of_the_official_sdk_keeps_its_properties(spark: SparkSession, event_hub: LocalEventHub) -> None:
    event = EventData(b"\x00\xff")
    event.properties = {"text": "blue", "number": 7, "flag": True, "real": 2.5}
    event.message_id, event.correlation_id, event.content_type = "m-1", "c-1", "application/x"
    send_events(event_hub, [event], key="k")
    send(event_hub, [2], partition=0)

    with_key, without = read(spark, from_earliest(event_hub)).orderBy("sequenceNumber").collect()

    assert bytes(with_key["body"]) == b"\x00\xff"
    assert with_key["partitionKey"] == "k"
    assert with_key["properties"] == {"text": "blue", "number": "7", "flag": "true", "real": "2.5"}
    system = with_key["systemProperties"]
    assert (system["message-id"], system["correlation-id"], system["content-type"]) == ("m-1", "c-1", "application/x")
    assert system["x-opt-partition-key"] == "k"
    assert (without["partitionKey"], without["publisher"], without["properties"]) == (None, None, {})
    assert without["partition"] == "0"
    assert without["enqueuedTime"] is not None
