"""Positions in the forms that the options have, as values."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from typing import Final

from spark_eventhubs._conf.position_values import hub_names
from spark_eventhubs._conf.refusals import option_error
from spark_eventhubs.position import EventPosition

_EXPECTED: Final = "'earliest', 'latest', a sequence number, a time with its zone, or the legacy connector's JSON"
_TIME: Final = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?(?:\.(\d{1,9}))?(Z|[+-]\d\d:?\d\d)", re.IGNORECASE)


def position_of(text: str) -> EventPosition:
    """The position that an option's text names.

    Raises:
        OptionError: another text, and the checkpoint store, which only the jar reads.
    """
    plain = text.strip()
    if plain.startswith(("{", '"')):
        return _of_json(json.loads(plain))
    return _of_word(plain)


def positions_of(text: str, hub: str) -> dict[int, EventPosition]:
    """Positions by partition. A key is a partition's id, or the JSON of a hub's name and the id.

    Raises:
        OptionError: another text, or a partition of another hub.
    """
    try:
        given = json.loads(text)
        keys = {_partition(key, hub): value for key, value in given.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as wrong:
        raise option_error(f"it is not a position for each partition ({wrong})") from None
    return {partition: _of_json(value) for partition, value in keys.items()}


def up_to_millis(moment: datetime) -> datetime:
    """The service stores times in milliseconds: the first of them that is not before the moment."""
    missing = -moment.microsecond % 1000
    return moment + timedelta(microseconds=missing)


def _of_word(plain: str) -> EventPosition:
    word = plain.lower()
    if word in {"earliest", "-1"}:
        return EventPosition.earliest()
    if word in {"latest", "@latest"}:
        return EventPosition.latest()
    if word == "checkpointstore":
        raise option_error("the engine in Python reads no checkpoint store; only the jar does")
    if plain.isdecimal():
        return EventPosition.sequence_number(int(plain))
    return EventPosition.enqueued_time(_time(plain))


def _of_json(value: object) -> EventPosition:
    if isinstance(value, str):
        return position_of(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return EventPosition.sequence_number(value)
    if not isinstance(value, Mapping):
        raise option_error(f"'{value}' is not a position; expected {_EXPECTED}")
    fields = {str(name).lower(): field for name, field in value.items() if field is not None}
    inclusive = str(fields.get("isinclusive", True)).lower() == "true"
    number = str(fields.get("seqno", "-1")).strip()
    offset = str(fields.get("offset", "")).strip()
    # If several fields are set, the legacy connector's order applies.
    if number != "-1":
        return EventPosition(by="sequence number", value=_of_word(number).value, inclusive=inclusive)
    if offset in {"-1", "@latest"} or offset.lower() in {"earliest", "latest"}:
        return _of_word(offset)
    if offset:
        return EventPosition.offset(offset, inclusive=inclusive)
    if "enqueuedtime" in fields:
        return EventPosition(by="enqueued time", value=_time(str(fields["enqueuedtime"])), inclusive=inclusive)
    raise option_error("a position has no field; expected one of offset, seqNo and enqueuedTime")


def _time(text: str) -> datetime:
    found = _TIME.fullmatch(text.strip())
    if found is None:
        raise option_error(f"'{text}' is not a position; expected {_EXPECTED}")
    day, minutes, seconds, fraction, zone = found.groups()
    digits = (fraction or "").ljust(9, "0")
    # Python has no digits below a microsecond, so the next one is the first that is not before the time.
    micros = int(digits[:6]) + (int(digits[6:]) > 0)
    offset = "+0000" if zone.upper() == "Z" else zone.replace(":", "")
    try:
        whole = datetime.strptime(f"{day} {minutes}{seconds or ':00'} {offset}", "%Y-%m-%d %H:%M:%S %z")
        return (whole + timedelta(microseconds=micros)).astimezone(timezone.utc)
    except (ValueError, OverflowError):
        raise option_error(f"'{text}' is not a position; expected {_EXPECTED}") from None


def _partition(key: str, hub: str) -> int:
    if key.strip().isdecimal():
        return int(key)
    named = json.loads(key)
    if str(named["ehName"]).lower() not in hub_names(hub):
        raise option_error(f"a position is for the hub '{named['ehName']}', but the query reads '{hub}'")
    return int(named["partitionId"])
