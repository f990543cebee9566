"""Positions as users write them, as the text of an option."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Final, Literal, Protocol, runtime_checkable

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

EXPECTED: Final = "'earliest', 'latest', a sequence number, a datetime with its time zone, or an EventPosition"
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)", re.IGNORECASE)
_WORDS: Final = frozenset({"earliest", "latest", "-1", "@latest", "checkpointstore"})
_FIELDS: Final[Mapping[str, tuple[str, tuple[type, ...]]]] = {
    "offset": ("offset", (str, int)),
    "seqno": ("seqNo", (int, str)),
    "enqueuedtime": ("enqueuedTime", (str, datetime)),
    "isinclusive": ("isInclusive", (bool, str)),
}


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
        key = _parsed_key(key)
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


def _parsed_key(key: str) -> int | NameAndPartition:
    """An id, or the JSON that the legacy connector has for a partition."""
    if key.strip().isdecimal():
        return int(key)
    try:
        named = json.loads(key)
        return NameAndPartition(name=named["ehName"], partition_id=int(named["partitionId"]))
    except (ValueError, KeyError, TypeError):
        raise option_error(
            f"'{key}' is not a partition; expected its id, such as 0 or '0', or a NameAndPartition"
        ) from None


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
    plain = text.strip()
    if plain.startswith(("{", '"')):
        try:
            parsed = json.loads(plain)
        except ValueError:
            raise option_error(
                f"'{text}' is not valid JSON; expected JSON as json.dumps writes it, or {EXPECTED}"
            ) from None
        if isinstance(parsed, Mapping):
            _fields(parsed)
    elif not (plain.lower() in _WORDS or plain.isdecimal() or _TIME.fullmatch(plain)):
        raise option_error(f"'{text}' is not a position; expected {EXPECTED}")
    return text


def _fields(given: Mapping[object, object]) -> dict[str, object]:
    """The legacy connector's fields of a position, with their names in its spelling."""
    found: dict[str, object] = {}
    for name, value in given.items():
        if str(name).lower() not in _FIELDS:
            raise option_error(
                f"'{name}' is not a field of a position; expected {', '.join(n for n, _ in _FIELDS.values())}"
            )
        field, types = _FIELDS[str(name).lower()]
        if value is not None and (not isinstance(value, types) or (isinstance(value, bool) and bool not in types)):
            raise option_type_error(f"the field '{field}' of a position is {value!r}; expected {_names(types)} or None")
        time = EventPosition.enqueued_time(value).to_dict()[field] if isinstance(value, datetime) else value
        found[field] = time
    if found.get("offset") is None and found.get("seqNo") in {None, -1, "-1"} and found.get("enqueuedTime") is None:
        raise option_error("a position has no field; expected one of offset, seqNo and enqueuedTime")
    return found


def _names(types: tuple[type, ...]) -> str:
    return " or ".join(kind.__name__ for kind in types)
