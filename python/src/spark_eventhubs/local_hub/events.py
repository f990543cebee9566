"""Events of a local hub, as its HTTP API shows and accepts them."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

# The hub accepts requests of 8 MB.
_REQUEST_CHARACTERS: Final = 4_000_000
_REQUEST_EVENTS: Final = 500

EventBody = bytes | bytearray | memoryview | str | Mapping[str, object] | None


@dataclass(frozen=True, kw_only=True)
class StoredEvent:
    """An event in a hub.

    Attributes:
        partition: its partition id.
        sequence_number: its number in the partition, from 0.
        offset: the service's text for its position.
        enqueued_time: when the hub stored it, in UTC.
        partition_key: None without one.
        body: None for an event without a value (a tombstone). An AMQP value or AMQP sequence is given as its JSON.
        properties: the application properties.
        system_properties: the AMQP properties, such as `messageId`.
    """

    partition: int
    sequence_number: int
    offset: str
    enqueued_time: datetime
    partition_key: str | None
    body: bytes | None
    properties: Mapping[str, object]
    system_properties: Mapping[str, object]

    def text(self) -> str:
        """The body as UTF-8 text. A ValueError if there is no body, or if it is not UTF-8."""
        if self.body is None:
            raise ValueError(f"event {self.sequence_number} of partition {self.partition} has no body: a tombstone")
        return self.body.decode()

    def json(self) -> Any:  # noqa: ANN401 - any JSON
        """The body parsed as JSON. A ValueError if it is not JSON."""
        return json.loads(self.text())


def stored_event(fields: Mapping[str, Any]) -> StoredEvent:
    """The event in an answer of the hub."""
    return StoredEvent(
        partition=int(fields["partition"]),
        sequence_number=int(fields["sequenceNumber"]),
        offset=fields["offset"],
        enqueued_time=datetime.fromisoformat(fields["enqueuedTime"].replace("Z", "+00:00")),
        partition_key=fields["partitionKey"],
        body=_body(fields["bodyKind"], fields["body"]),
        properties=fields["properties"],
        system_properties=fields["systemProperties"],
    )


def _body(kind: str, text: str) -> bytes | None:
    if kind == "base64":
        return base64.b64decode(text)
    if kind == "undecodable":
        # The reason, then the stored bytes.
        return base64.b64decode(text.rpartition("\n")[2])
    return None if kind == "amqp-value" and text == "null" else text.encode()


def event_to_send(
    body: EventBody,
    *,
    partition: int | None,
    key: str | None,
    properties: Mapping[str, str | int | float | bool] | None,
) -> dict[str, object]:
    """The JSON of an event that the hub stores."""
    event: dict[str, object] = {}
    if isinstance(body, (bytes, bytearray, memoryview)):
        event["bodyBase64"] = base64.b64encode(body).decode()
    elif isinstance(body, str) or body is None:
        event["body"] = body
    elif isinstance(body, Mapping):
        event["body"] = json.dumps(dict(body))
    else:
        raise TypeError(
            f"the body of an event is a {type(body).__name__}; expected bytes, text, a mapping or None. "
            "Give each event its own argument: send(*bodies)"
        )
    if partition is not None:
        event["partition"] = str(partition)
    if key is not None:
        event["partitionKey"] = key
    if properties:
        event["properties"] = dict(properties)
    return event


def requests_of(events: Iterable[dict[str, object]]) -> Iterator[list[dict[str, object]]]:
    """The events in order, in lists that are small enough for one request."""
    part: list[dict[str, object]] = []
    characters = 0
    for event in events:
        size = len(json.dumps(event))
        if part and (len(part) == _REQUEST_EVENTS or characters + size > _REQUEST_CHARACTERS):
            yield part
            part, characters = [], 0
        part.append(event)
        characters += size
    if part:
        yield part
