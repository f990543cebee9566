"""Events as the HTTP API of a local hub shows and accepts them."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from spark_eventhubs.local_hub.events import EventBody, StoredEvent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# The hub accepts requests of 8 MB.
_REQUEST_CHARACTERS: Final = 4_000_000
_REQUEST_EVENTS: Final = 500


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
