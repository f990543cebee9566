"""The forms in which texts and JSON name positions. The connector reads the same ones."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from typing import Final

from spark_eventhubs._conf.refusals import option_error, option_type_error
from spark_eventhubs.position import EventPosition, NameAndPartition

EXPECTED: Final = "'earliest', 'latest', a sequence number, a datetime with its time zone, or an EventPosition"
_TIME: Final = re.compile(
    r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?:(:\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:?\d\d)", re.IGNORECASE
)
_WORDS: Final = {
    "earliest": EventPosition.earliest(),
    "-1": EventPosition.earliest(),
    "latest": EventPosition.latest(),
    "@latest": EventPosition.latest(),
}
_STORE: Final = "checkpointstore"
_FIELDS: Final[Mapping[str, tuple[str, tuple[type, ...]]]] = {
    "offset": ("offset", (str, int)),
    "seqno": ("seqNo", (int, str)),
    "enqueuedtime": ("enqueuedTime", (str, datetime)),
    "isinclusive": ("isInclusive", (bool, str)),
}


def position_of(text: str) -> EventPosition:
    """The position that a text names.

    Raises:
        OptionError: another text.
        OptionTypeError: a field of its JSON has a value of another type.
    """
    plain = text.strip()
    if not plain.startswith(("{", '"')):
        return _of_word(plain)
    try:
        value = json.loads(plain)
    except ValueError:
        raise option_error(
            f"'{text}' is not valid JSON; expected JSON as json.dumps writes it, or {EXPECTED}"
        ) from None
    return position_in(value)


def position_in(value: object) -> EventPosition:
    """The position that a value of JSON names: an object, a sequence number, or text.

    Raises:
        OptionError: another value.
        OptionTypeError: a field of the object has a value of another type.
    """
    if isinstance(value, str):
        return position_of(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return EventPosition.sequence_number(value)
    if not isinstance(value, Mapping):
        raise option_error(f"'{value}' is not a position; expected {EXPECTED}")
    fields = {name: str(field).strip() for name, field in fields_of(value).items() if field is not None}
    inclusive = fields.get("isInclusive", "true").lower()
    if inclusive not in {"true", "false"}:
        raise option_error(f"the field 'isInclusive' of a position is '{inclusive}'; expected true or false")
    is_inclusive, offset = inclusive == "true", fields.get("offset", "")
    # If several fields are set, the legacy connector's order applies.
    if fields.get("seqNo", "-1") != "-1":
        number = fields["seqNo"]
        if not number.isdecimal():
            raise option_error(f"the field 'seqNo' of a position is '{number}'; expected a whole number from 0")
        at = EventPosition.sequence_number(int(number))
        return EventPosition(by=at.by, value=at.value, inclusive=is_inclusive)
    if offset:
        return _WORDS.get(offset.lower()) or EventPosition.offset(offset, inclusive=is_inclusive)
    if "enqueuedTime" in fields:
        return EventPosition(by="enqueued time", value=_time(fields["enqueuedTime"]), inclusive=is_inclusive)
    raise option_error("a position has no field; expected one of offset, seqNo and enqueuedTime")


def fields_of(given: Mapping[object, object]) -> dict[str, object]:
    """The legacy connector's fields of a position, with their names in its spelling.

    Raises:
        OptionError: a field with another name.
        OptionTypeError: a value of another type.
    """
    found: dict[str, object] = {}
    for name, value in given.items():
        if str(name).lower() not in _FIELDS:
            raise option_error(
                f"'{name}' is not a field of a position; expected {', '.join(n for n, _ in _FIELDS.values())}"
            )
        field, types = _FIELDS[str(name).lower()]
        if value is not None and (not isinstance(value, types) or (isinstance(value, bool) and bool not in types)):
            expected = " or ".join(kind.__name__ for kind in types)
            raise option_type_error(f"the field '{field}' of a position is {value!r}; expected {expected} or None")
        time = EventPosition.enqueued_time(value).to_dict()[field] if isinstance(value, datetime) else value
        found[field] = time
    return found


def partition_key(key: str) -> int | NameAndPartition:
    """A partition by its id, or by the JSON that the legacy connector has for one.

    Raises:
        OptionError: another text.
    """
    if key.strip().isdecimal():
        return int(key)
    try:
        named = json.loads(key)
        return NameAndPartition(name=named["ehName"], partition_id=int(named["partitionId"]))
    except (ValueError, KeyError, TypeError):
        raise option_error(
            f"'{key}' is not a partition; expected its id, such as 0 or '0', or a NameAndPartition"
        ) from None


def positions_of(text: str, hub: str) -> dict[int, EventPosition]:
    """The positions of a hub's partitions that a JSON object names.

    Raises:
        OptionError: another text, or a partition of another hub.
    """
    try:
        given = dict(json.loads(text).items())
    except (ValueError, AttributeError):
        raise option_error(f"'{text}' is not a JSON object with a position for each partition") from None
    return {_partition(key, hub): position_in(value) for key, value in given.items()}


def _partition(key: str, hub: str) -> int:
    partition = partition_key(key)
    if isinstance(partition, int):
        return partition
    if partition.name.lower() != hub.lower():
        raise option_error(f"a position is for the hub '{partition.name}', but the query reads '{hub}'")
    return partition.partition_id


def _of_word(plain: str) -> EventPosition:
    word = plain.lower()
    if word in _WORDS:
        return _WORDS[word]
    if word == _STORE:
        return EventPosition.checkpoint_store()
    if plain.isdecimal():
        return EventPosition.sequence_number(int(plain))
    return EventPosition.enqueued_time(_time(plain))


def _time(text: str) -> datetime:
    found = _TIME.fullmatch(text.strip())
    wrong = option_error(f"'{text}' is not a position; expected {EXPECTED}")
    if found is None:
        raise wrong
    day, minutes, seconds, fraction, zone = found.groups()
    digits = (fraction or "").ljust(9, "0")
    # Python has no digits below a microsecond, so the next one is the first that is not before the time.
    micros = int(digits[:6]) + (int(digits[6:]) > 0)
    offset = "+0000" if zone.upper() == "Z" else zone.replace(":", "")
    try:
        whole = datetime.strptime(f"{day} {minutes}{seconds or ':00'} {offset}", "%Y-%m-%d %H:%M:%S %z")
        return (whole + timedelta(microseconds=micros)).astimezone(timezone.utc)
    except (ValueError, OverflowError):
        raise wrong from None
