"""The JSON of an event in `tail`."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import Any
from uuid import UUID

import pytest
from azure.eventhub import EventData
from azure.eventhub.amqp import AmqpAnnotatedMessage

from spark_eventhubs.cli._event_json import event_json
from spark_eventhubs.cli._schemas import Schemas
from spark_eventhubs.cli._target import Target

HUB = Target.of("Endpoint=sb://localhost:1;SharedAccessKeyName=a;SharedAccessKey=b;EntityPath=telemetry", None)


def shown(message: AmqpAnnotatedMessage, **properties: Any) -> Any:  # noqa: ANN401
    event = EventData(b"")
    event._raw_amqp_message = message  # noqa: SLF001 - as the SDK does with a message that it received
    event.properties = dict[str | bytes, Any](properties.items())
    message.annotations = {}
    return json.loads(json.dumps(event_json("0", event, Schemas(HUB)), allow_nan=False))


@pytest.mark.parametrize(
    ("value", "body"),
    [
        (b"\xfevalue", "\ufffdvalue"),
        ("text", "text"),
        (7, 7),
        (True, True),
        ({b"number": 7, b"raw": b"ab"}, {"number": 7, "raw": "ab"}),
        ([b"a", [b"b", {1: b"c"}]], ["a", ["b", {"1": "c"}]]),
        (float("nan"), "nan"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (datetime(2026, 1, 31, tzinfo=timezone.utc), "2026-01-31 00:00:00+00:00"),
    ],
)
def test_an_amqp_value_is_json(value: object, body: object) -> None:
    assert shown(AmqpAnnotatedMessage(value_body=value))["body"] == body


def test_amqp_sequences_are_lists() -> None:
    message = AmqpAnnotatedMessage(sequence_body=[[1, b"\xff"], [{b"a": None}]])

    assert shown(message)["body"] == [[1, "\ufffd"], [{"a": None}]]


def test_data_sections_are_one_text() -> None:
    assert shown(AmqpAnnotatedMessage(data_body=[b"two ", b"sections"]))["body"] == "two sections"


def test_properties_may_be_nested() -> None:
    properties = shown(AmqpAnnotatedMessage(data_body=b""), path=[b"a", b"b"], unit=b"C", nothing=None)["properties"]

    assert properties == {"path": ["a", "b"], "unit": "C", "nothing": None}
