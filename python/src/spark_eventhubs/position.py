"""Where reading begins or ends: positions in a partition, and the name of a partition."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Final, Literal

_START_OF_STREAM: Final = "-1"
_END_OF_STREAM: Final = "@latest"
_NO_SEQUENCE_NUMBER: Final = -1


@dataclass(frozen=True, kw_only=True)
class NameAndPartition:
    """One partition of one event hub."""

    name: str
    partition_id: int

    def __post_init__(self) -> None:
        """Refuses what no hub can have."""
        if not self.name.strip():
            raise ValueError("the name of an event hub is empty; expected a name such as 'telemetry'")
        if self.partition_id < 0:
            raise ValueError(f"partition id {self.partition_id} of '{self.name}' is negative; ids begin at 0")

    def to_json(self) -> str:
        """The form that stands as a key in the positions options."""
        return json.dumps({"ehName": self.name, "partitionId": self.partition_id})


@dataclass(frozen=True, kw_only=True)
class EventPosition:
    """A place in a partition; its class methods make one."""

    by: Literal["offset", "sequence number", "enqueued time"]
    value: str | int | datetime
    inclusive: bool = True

    @classmethod
    def earliest(cls) -> EventPosition:
        """The oldest event that the hub still holds."""
        return cls(by="offset", value=_START_OF_STREAM)

    @classmethod
    def latest(cls) -> EventPosition:
        """The end: only events that arrive from now on."""
        return cls(by="offset", value=_END_OF_STREAM)

    @classmethod
    def sequence_number(cls, number: int) -> EventPosition:
        """The event with this sequence number."""
        if number < 0:
            raise ValueError(f"sequence number {number} is negative; they begin at 0")
        return cls(by="sequence number", value=number)

    @classmethod
    def offset(cls, offset: str, *, inclusive: bool = True) -> EventPosition:
        """The event with this offset, as the `offset` column shows it, or the one after it."""
        if not offset.strip():
            raise ValueError("the offset is empty; expected the text that the `offset` column shows")
        return cls(by="offset", value=offset, inclusive=inclusive)

    @classmethod
    def enqueued_time(cls, moment: datetime) -> EventPosition:
        """The first event that the service accepted at `moment` or later; `moment` must know its time zone."""
        if moment.tzinfo is None:
            raise ValueError(
                f"enqueued time {moment.isoformat()} has no time zone; expected one such as "
                "datetime(2026, 1, 31, tzinfo=timezone.utc)"
            )
        return cls(by="enqueued time", value=moment)

    def to_dict(self) -> dict[str, str | int | bool | None]:
        """The JSON object that `eventhubs.startingPosition` holds."""
        value = self.value
        return {
            "offset": value if isinstance(value, str) else None,
            "seqNo": value if isinstance(value, int) else _NO_SEQUENCE_NUMBER,
            "enqueuedTime": _milliseconds(value) if isinstance(value, datetime) else None,
            "isInclusive": self.inclusive,
        }

    def to_json(self) -> str:
        """`to_dict` as text."""
        return json.dumps(self.to_dict())


def _milliseconds(moment: datetime) -> str:
    # The legacy connector reads every digit after the point as milliseconds, so six of them move the time.
    utc = moment.astimezone(timezone.utc)
    return f"{utc:%Y-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03d}Z"
