"""AMQP 1.0 part 3 (message format): a consumer reads what a producer wrote, with the same types."""

from __future__ import annotations

import uuid
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import pytest
from azure.eventhub import EventData
from azure.eventhub.amqp import (
    AmqpAnnotatedMessage,
    AmqpMessageBodyType,
    AmqpMessageHeader,
    AmqpMessageProperties,
)

if TYPE_CHECKING:
    from hub_clients import Clients

PROPERTIES: dict[str | bytes, Any] = {
    "string": "Grüße 😀",
    "boolean": True,
    "int": -5,
    "smallest": -(2**31),
    "double": -0.1,
    "binary": b"\x00\xff",
    "uuid": uuid.UUID("6f1a9a1c-3d11-4a1e-9d5a-000000000001"),
    "timestamp": datetime(2009, 2, 13, 23, 31, 30, 123000, tzinfo=timezone.utc),
}


def text(value: object) -> object:
    """The SDK returns strings as bytes."""
    return value.decode() if isinstance(value, bytes) else value


def test_3_2_5_application_properties_of_every_type_arrive_with_type_and_value(clients: Clients) -> None:
    event = EventData("x")
    event.properties = PROPERTIES
    clients.producer().send_batch([event], partition_id="0")

    received = {text(name): value for name, value in clients.read(1)[0].properties.items()}

    assert received.pop("string") == PROPERTIES["string"].encode()
    at = received.pop("timestamp")
    assert (at if isinstance(at, int) else at.timestamp() * 1000) == PROPERTIES["timestamp"].timestamp() * 1000
    assert received == {k: v for k, v in PROPERTIES.items() if k not in ("string", "timestamp")}


def test_3_2_4_message_properties_arrive(clients: Clients) -> None:
    event = EventData("x")
    event.message_id, event.correlation_id, event.content_type = "m-1", "c-1", "text/plain"
    clients.producer().send_batch([event], partition_id="0")

    (received,) = clients.read(1)

    assert (received.message_id, received.correlation_id, received.content_type) == ("m-1", "c-1", "text/plain")


def test_3_2_4_all_further_properties_of_an_annotated_message_arrive(clients: Clients) -> None:
    wanted = {
        "to": b"there",
        "subject": b"s",
        "reply_to": b"back",
        "content_encoding": b"utf-8",
        "group_id": b"g",
        "group_sequence": 7,
        "reply_to_group_id": b"rg",
        "user_id": b"u",
    }
    properties = AmqpMessageProperties(**wanted)  # type: ignore[no-untyped-call]
    message = AmqpAnnotatedMessage(data_body=b"x", properties=properties)
    clients.producer().send_batch([message], partition_id="0")

    received = clients.read(1)[0].raw_amqp_message.properties

    assert received is not None
    assert {name: received[name] for name in wanted} == wanted


@pytest.mark.parametrize(
    ("section", "body", "kind"),
    [
        ("data_body", [b"\x01", b"\x02\x03"], AmqpMessageBodyType.DATA),
        ("sequence_body", [[1, b"two", None], [3]], AmqpMessageBodyType.SEQUENCE),
        ("value_body", b"a value", AmqpMessageBodyType.VALUE),
        ("value_body", {b"map": 1}, AmqpMessageBodyType.VALUE),
    ],
)
def test_3_2_6_to_3_2_8_a_body_keeps_its_section_and_content(
    clients: Clients, section: str, body: object, kind: AmqpMessageBodyType
) -> None:
    clients.producer().send_batch([AmqpAnnotatedMessage(**{section: body})], partition_id="0")

    raw = clients.read(1)[0].raw_amqp_message

    assert raw.body_type == kind
    received = raw.body if kind == AmqpMessageBodyType.VALUE else list(raw.body)
    assert received == body


def test_3_2_3_a_producers_annotations_are_kept_and_the_broker_sets_its_own(clients: Clients) -> None:
    annotations = {"x-custom": "mine", "x-opt-sequence-number": 99, "x-opt-offset": "77"}
    message = AmqpAnnotatedMessage(data_body=b"x", annotations=annotations)
    clients.producer().send_batch([message], partition_id="0")

    (event,) = clients.read(1)

    assert {text(k): text(v) for k, v in event.system_properties.items()}["x-custom"] == "mine"
    assert (event.sequence_number, event.offset) == (0, "0")


def test_3_2_1_and_3_2_2_a_producers_header_and_delivery_annotations_arrive(clients: Clients) -> None:
    # The SDK writes the delivery annotations after the body.
    message = AmqpAnnotatedMessage(
        data_body=b"x",
        header=AmqpMessageHeader(durable=True, priority=7),  # type: ignore[no-untyped-call]
        delivery_annotations={"hop": "first"},
    )
    clients.producer().send_batch([message], partition_id="0")

    (event,) = clients.read(1)

    raw = event.raw_amqp_message
    assert raw.header is not None
    assert (raw.header.durable, raw.header.priority) == (True, 7)
    assert {text(k): text(v) for k, v in (raw.delivery_annotations or {}).items()} == {"hop": "first"}
    assert event.body_as_str() == "x"
