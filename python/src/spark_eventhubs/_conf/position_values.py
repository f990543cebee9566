"""Positions as users write them, as the text of an option."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Literal, Protocol, runtime_checkable

from spark_eventhubs._conf.position_forms import EXPECTED, fields_of, partition_key, position_in, position_of
from spark_eventhubs._conf.refusals import option_error, option_type_error
from spark_eventhubs._conf.whole_numbers import whole_number
from spark_eventhubs.position import EventPosition, NameAndPartition

Position = EventPosition | Literal["earliest", "latest", "checkpointStore"] | datetime | int
"""A position of the typed API: a word, a time with its zone, a sequence number, or an EventPosition."""

Key = int | str | NameAndPartition
"""A partition by its id (a number or its digits) or with the hub's name."""


@runtime_checkable
class ByPartition(Protocol):
    """A mapping whose keys all have one type, such as a `dict[int, int]`. `Mapping` is invariant in its keys."""

    def items(self) -> Iterable[tuple[Key, Position]]:
        """Partitions and positions."""


Positions = Mapping[Key, Position] | ByPartition
"""Positions of single partitions."""


def position_text(value: object) -> str:
    """The text of one position. Text and a dict may have each form that the connector reads.

    Raises:
        OptionTypeError: a value of another type.
        OptionError: a value that is no position, such as a time without its zone.
    """
    if isinstance(value, str):
        return _checked(value)
    return json.dumps(_json(value))


def positions_text(value: object, hub: str | None) -> str:
    """The text of positions by partition, with the hub's name in the keys where it is known."""
    if isinstance(value, str):
        return value
    if not isinstance(value, ByPartition):
        raise option_type_error(f"{value!r} is not a dict; expected one such as {{0: EventPosition.latest()}}")
    positions = list(value.items())
    if not positions:
        raise option_error(
            "the positions are empty; expected one for each partition, such as {0: EventPosition.latest()}"
        )
    return json.dumps({_partition(key, hub): _json(position) for key, position in positions})


def _partition(key: object, hub: str | None) -> str:
    if isinstance(key, str):
        key = partition_key(key)
    if isinstance(key, NameAndPartition):
        if hub is not None and key.name.lower() not in hub_names(hub):
            raise option_error(f"a position is for the hub '{key.name}', but this conf is for '{hub}'")
        return key.to_json()
    number = whole_number(key)
    if number is None:
        raise option_type_error(f"{key!r} is not a partition; expected its id, such as 0 or '0', or a NameAndPartition")
    if hub is not None and len(hub_names(hub)) > 1:
        raise option_error(f"partition {number} is a partition of each of '{hub}'; expected a NameAndPartition")
    named = NameAndPartition(name=hub or "the hub", partition_id=number)
    return str(number) if hub is None else named.to_json()


def hub_names(text: str) -> list[str]:
    """The hubs of a conf in lower case: of a name, or of names with commas between them."""
    return [name.strip().lower() for name in text.split(",")]


def _json(value: object) -> object:
    """The JSON of a position: an object, or the text that the connector reads."""
    if isinstance(value, EventPosition):
        return json.loads(value.to_json())
    if isinstance(value, datetime):
        return EventPosition.enqueued_time(value).to_dict()
    number = whole_number(value)
    if number is not None:
        return EventPosition.sequence_number(number).to_dict()
    if isinstance(value, str):
        return _checked(value)
    if isinstance(value, Mapping):
        return _fields(value)
    if isinstance(value, date):
        raise option_type_error(f"{value!r} has no time of day; expected a datetime with its time zone")
    if callable(value):
        raise option_type_error("a function is not a position; call it, as in EventPosition.earliest()")
    raise option_type_error(f"{value!r} is not a position; expected {EXPECTED}")


def _checked(text: str) -> str:
    position_of(text)
    return text


def _fields(given: Mapping[object, object]) -> dict[str, object]:
    found = fields_of(given)
    position_in(found)
    return found
