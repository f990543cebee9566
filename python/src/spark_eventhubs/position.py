"""Positions in a partition where reading starts or ends, and the name of a partition."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Final, Literal

from spark_eventhubs._conf.refusals import option_error, option_type_error
from spark_eventhubs._conf.whole_numbers import whole_number

_START_OF_STREAM: Final = "-1"
_END_OF_STREAM: Final = "@latest"
_NO_SEQUENCE_NUMBER: Final = -1
_CHECKPOINT_STORE: Final = "checkpointStore"
_MOST: Final = 2**63 - 1


@dataclass(frozen=True, kw_only=True)
class NameAndPartition:
    """One partition of one event hub."""

    name: str
    partition_id: int

    def __post_init__(self) -> None:
        """Rejects invalid names and ids."""
        if not isinstance(self.name, str):
            raise option_type_error(f"name is {self.name!r}; expected the name of an event hub such as 'telemetry'")
        if not self.name.strip():
            raise option_error("the name of an event hub is empty; expected a name such as 'telemetry'")
        partition = whole_number(self.partition_id)
        if partition is None:
            raise option_type_error(f"partition id {self.partition_id!r} of '{self.name}' is not a whole number from 0")
        if partition < 0:
            raise option_error(f"partition id {partition} of '{self.name}' is negative; ids start at 0")
        object.__setattr__(self, "partition_id", partition)

    def to_json(self) -> str:
        """The JSON text that is a key in the options for positions."""
        return json.dumps({"ehName": self.name, "partitionId": self.partition_id})


@dataclass(frozen=True, kw_only=True)
class EventPosition:
    """A position in a partition. Create it with the class methods."""

    by: Literal["offset", "sequence number", "enqueued time", "checkpoint store"]
    value: str | int | datetime
    inclusive: bool = True

    @classmethod
    def earliest(cls) -> EventPosition:
        """The oldest event in the hub."""
        return cls(by="offset", value=_START_OF_STREAM)

    @classmethod
    def latest(cls) -> EventPosition:
        """The end of the partition: only events that arrive later."""
        return cls(by="offset", value=_END_OF_STREAM)

    @classmethod
    def sequence_number(cls, number: int) -> EventPosition:
        """The event with this sequence number."""
        whole = whole_number(number)
        if whole is None:
            raise option_type_error(f"sequence number {number!r} is not a whole number from 0")
        if whole < 0:
            raise option_error(f"sequence number {whole} is negative; sequence numbers start at 0")
        if whole > _MOST:
            raise option_error("the sequence number is too large; sequence numbers have 64 bits")
        return cls(by="sequence number", value=whole)

    @classmethod
    def offset(cls, offset: str, *, inclusive: bool = True) -> EventPosition:
        """The event with this offset, as in the `offset` column, or the event after it."""
        if not isinstance(offset, str):
            raise option_type_error(f"offset {offset!r} is not a text from the `offset` column")
        if not offset.strip():
            raise option_error("the offset is empty; expected a text from the `offset` column")
        return cls(by="offset", value=offset, inclusive=inclusive)

    @classmethod
    def enqueued_time(cls, moment: datetime) -> EventPosition:
        """The first event that the service accepted at `moment` or later. `moment` must have a time zone."""
        if not isinstance(moment, datetime):
            raise option_type_error(
                f"enqueued time {moment!r} is not a datetime; expected one such as "
                "datetime(2026, 1, 31, tzinfo=timezone.utc)"
            )
        if moment.tzinfo is None:
            raise option_error(
                f"enqueued time {moment.isoformat()} has no time zone; expected one such as "
                "datetime(2026, 1, 31, tzinfo=timezone.utc)"
            )
        try:
            _milliseconds(moment)
        except OverflowError:
            raise option_error(
                f"enqueued time {moment.isoformat()} is not a time in UTC; use earliest or latest"
            ) from None
        return cls(by="enqueued time", value=moment)

    @classmethod
    def checkpoint_store(cls) -> EventPosition:
        """After the partition's checkpoint in `checkpoint_store_container`, where the SDKs' processors keep them.

        A partition without a checkpoint starts at `checkpoint_store_default_position`.
        """
        return cls(by="checkpoint store", value=_CHECKPOINT_STORE)

    def to_dict(self) -> dict[str, str | int | bool | None]:
        """The JSON object for `eventhubs.startingPosition`.

        Raises:
            OptionError: for the checkpoint store, which has no object; `to_json` has its text.
        """
        if self.by == "checkpoint store":
            raise option_error("the position 'checkpointStore' has no fields; use to_json")
        value = self.value
        return {
            "offset": value if isinstance(value, str) else None,
            "seqNo": value if isinstance(value, int) else _NO_SEQUENCE_NUMBER,
            "enqueuedTime": _milliseconds(value) if isinstance(value, datetime) else None,
            "isInclusive": self.inclusive,
        }

    def to_json(self) -> str:
        """The text for `eventhubs.startingPosition`: `to_dict`, or the name of the checkpoint store."""
        return json.dumps(_CHECKPOINT_STORE if self.by == "checkpoint store" else self.to_dict())


def _milliseconds(moment: datetime) -> str:
    # The legacy connector reads all digits after the point as milliseconds, so six digits would change the time.
    utc = moment.astimezone(timezone.utc)
    # Not %Y, which has fewer than four digits for an early year.
    return f"{utc.replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"
