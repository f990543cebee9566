"""Events as Kafka clients and IoT Hubs put them into a hub: binary annotations and properties, quoted times."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import pytest
from azure.eventhub import EventHubProducerClient
from azure.eventhub.amqp import AmqpAnnotatedMessage

from confs import from_earliest
from spark_eventhubs import read, read_stream
from spark_eventhubs.functions import iot_hub, kafka_headers, kafka_key

if TYPE_CHECKING:
    from pyspark.sql import Column, Row, SparkSession

    from spark_eventhubs import LocalEventHub

RECEIVED = datetime(2026, 11, 25, 10, 20, 30, 400000, tzinfo=timezone.utc)
AUTH = '{"scope":"device","type":"sas","issuer":"iothub","acceptingIpFilterRule":null}'


def send(hub: LocalEventHub, *messages: AmqpAnnotatedMessage) -> None:
    """Sends messages with their annotations, in order."""
    with EventHubProducerClient.from_connection_string(hub.connection_string) as producer:
        batch = producer.create_batch(partition_id="0")
        for message in messages:
            batch.add(message)
        producer.send_batch(batch)


def message(*, annotations: dict[str, Any], properties: dict[str, Any], **more: str) -> AmqpAnnotatedMessage:
    return AmqpAnnotatedMessage(
        data_body=[b"{}"], annotations=annotations, application_properties=properties, properties=more
    )


def of_kafka(key: bytes, **headers: bytes | str | int) -> AmqpAnnotatedMessage:
    return message(annotations={"x-opt-kafka-key": key}, properties=headers)


def rows(spark: SparkSession, hub: LocalEventHub, *columns: Column) -> list[Row]:
    return read(spark, from_earliest(hub)).orderBy("sequenceNumber").select(*columns).collect()


def test_kafka_keys_and_headers_are_text_where_they_are_text(spark: SparkSession, event_hub: LocalEventHub) -> None:
    send(
        event_hub,
        of_kafka("größe-1".encode(), trace=b"abc", empty=b"", raw=b"\xff\x00\x80", amqp="plain [text]", number=5),
        of_kafka(b"\x00\xff\x10"),
        message(annotations={}, properties={"kind": "not Kafka"}),
    )

    found = rows(spark, event_hub, kafka_key(), kafka_headers())

    assert [row.key for row in found] == ["größe-1", "AP8Q", None]
    assert [row.headers for row in found] == [
        {"trace": "abc", "empty": "", "raw": "/wCA", "amqp": "plain [text]", "number": "5"},
        {},
        {"kind": "not Kafka"},
    ]


def test_kafka_keys_and_headers_are_bytes_on_request(spark: SparkSession, event_hub: LocalEventHub) -> None:
    every_byte = bytes(range(256)) * 40
    send(event_hub, of_kafka(every_byte, all=every_byte, amqp="text", broken="[1,,2]", large="[300]"))

    (row,) = rows(spark, event_hub, kafka_key(binary=True), kafka_headers(binary=True))

    assert bytes(row.key) == every_byte
    assert {name: bytes(value) for name, value in row.headers.items()} == {
        "all": every_byte,
        "amqp": b"text",
        "broken": b"[1,,2]",
        "large": b"[300]",
    }


def test_what_an_iot_hub_adds_is_in_typed_columns(spark: SparkSession, event_hub: LocalEventHub) -> None:
    annotations = {
        "iothub-connection-device-id": "thermostat-1",
        "iothub-connection-module-id": "edge",
        "iothub-connection-auth-generation-id": "637618061680407492",
        "iothub-connection-auth-method": AUTH,
        "iothub-enqueuedtime": RECEIVED,
        "iothub-message-source": "Telemetry",
    }
    send(
        event_hub,
        message(
            annotations=annotations,
            properties={"iothub-creation-time-utc": "2026-11-25T10:20:29.000Z"},
            content_type="application/json",
            content_encoding="utf-8",
            message_id="m1",
        ),
        message(
            annotations={"iothub-enqueuedtime": "no time"},
            properties={"iothub-creation-time-utc": "638000000000000000"},  # ticks of .NET
        ),
    )

    first, other = (row.iotHub for row in rows(spark, event_hub, iot_hub()))

    assert first.asDict() == {
        "deviceId": "thermostat-1",
        "moduleId": "edge",
        "generationId": "637618061680407492",
        "messageSource": "Telemetry",
        "messageSchema": None,
        "dataSchema": None,
        "subject": None,
        "authMethod": AUTH,
        "authScope": "device",
        "authType": "sas",
        "authIssuer": "iothub",
        "messageId": "m1",
        "correlationId": None,
        "contentType": "application/json",
        "contentEncoding": "utf-8",
        "enqueuedTime": first.enqueuedTime,
        "creationTime": first.creationTime,
    }
    assert first.enqueuedTime.astimezone(timezone.utc) == RECEIVED
    assert first.creationTime.astimezone(timezone.utc) == datetime(2026, 11, 25, 10, 20, 29, tzinfo=timezone.utc)
    assert set(other.asDict().values()) == {None}


def test_the_functions_work_in_a_stream(spark: SparkSession, event_hub: LocalEventHub) -> None:
    streaming = read_stream(spark, from_earliest(event_hub)).select(kafka_key(), kafka_headers(), iot_hub())

    assert streaming.isStreaming
    assert streaming.columns == ["key", "headers", "iotHub"]


@pytest.mark.parametrize("text", ["[", "]", "[]", "[1", "[-]", "[1.5]", "[128]", "[a]", ""])
def test_a_text_that_is_no_array_of_signed_bytes_stays_as_it_is(spark: SparkSession, text: str) -> None:
    frame = spark.createDataFrame([({"h": text},)], "properties MAP<STRING, STRING>")

    (row,) = frame.select(kafka_headers()).collect()

    assert row.headers == {"h": "" if text == "[]" else text}
