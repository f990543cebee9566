"""Events of a local hub."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime

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
