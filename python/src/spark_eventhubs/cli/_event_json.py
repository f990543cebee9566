"""An event as the JSON object that `tail` prints."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from azure.eventhub import EventData

    from spark_eventhubs.cli._schemas import Schemas


def event_json(partition: str, event: EventData, schemas: Schemas) -> dict[str, Any]:
    """Position, time, key, properties and body. Optional AMQP properties are only there if the event has them.

    A body that names a schema is decoded too.
    """
    properties = _value(event.properties or {})
    optional = {
        "contentType": event.content_type,
        "messageId": event.message_id,
        "correlationId": event.correlation_id,
    }
    return {
        "partition": partition,
        "sequenceNumber": event.sequence_number,
        "enqueuedTime": None if event.enqueued_time is None else event.enqueued_time.isoformat(),
        "partitionKey": _text(event.partition_key),
        "properties": properties,
        **{name: _text(value) for name, value in optional.items() if value is not None},
        "body": _body(event),
        **schemas.read(_text(event.content_type), properties, _bytes(event)),
    }


def _bytes(event: EventData) -> bytes:
    """The body, if it is bytes."""
    from azure.eventhub.amqp import AmqpMessageBodyType  # noqa: PLC0415 - the SDK is an optional dependency

    body: Any = event.body
    return b"".join(body) if body is not None and event.body_type == AmqpMessageBodyType.DATA else b""


def _body(event: EventData) -> Any:  # noqa: ANN401 -- any JSON value
    """Bytes as text, an AMQP value as JSON, AMQP sequences as a list of lists. A tombstone has None."""
    from azure.eventhub.amqp import AmqpMessageBodyType  # noqa: PLC0415 - the SDK is an optional dependency

    body: Any = event.body
    if body is None:
        return None
    if event.body_type == AmqpMessageBodyType.DATA:
        return b"".join(body).decode(errors="replace")
    return _value(list(body) if event.body_type == AmqpMessageBodyType.SEQUENCE else body)


def _text(value: object) -> str | None:
    if value is None:
        return None
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def _value(value: object) -> Any:  # noqa: ANN401 -- any JSON value
    if isinstance(value, bytes):
        return _text(value)
    if isinstance(value, Mapping):
        return {str(_text(key)): _value(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_value(each) for each in value]
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):  # such as a time, a UUID or NaN
        return str(value)
    return value
