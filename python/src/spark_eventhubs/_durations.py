"""Durations in the forms that the connector reads: ISO-8601, or Spark's short form."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Final

# Those of the connector's DurationText, in milliseconds.
_UNITS: Final = {
    name: milliseconds
    for milliseconds, names in (
        (1, ("ms", "millisecond", "milliseconds")),
        (1000, ("s", "sec", "second", "seconds")),
        (60_000, ("m", "min", "minute", "minutes")),
        (3_600_000, ("h", "hour", "hours")),
        (86_400_000, ("d", "day", "days")),
    )
    for name in names
}
_SPARK: Final = re.compile(r"([0-9]+)\s*([a-z]+)", re.ASCII)
# As `java.time.Duration.parse`, which allows a sign in front of each number.
_ISO: Final = re.compile(
    r"([-+]?)p(?:([-+]?[0-9]+)d)?(t(?:([-+]?[0-9]+)h)?(?:([-+]?[0-9]+)m)?"
    r"(?:([-+]?)([0-9]+)(?:[.,]([0-9]{0,9}))?s)?)?",
    re.ASCII,
)
# Digits of a number that may be a duration. Python refuses to parse very long ones.
_LONGEST: Final = 50
_NANOS: Final = 1_000_000
_MOST_NANOS: Final = 36_500 * _UNITS["d"] * _NANOS


def duration_text(duration: timedelta) -> str:
    """The ISO-8601 text, such as `PT90S`. The connector's durations have a resolution of milliseconds."""
    milliseconds = duration // timedelta(milliseconds=1)
    if milliseconds % 1000 == 0:
        return f"PT{milliseconds // 1000}S"
    return f"PT{milliseconds / 1000:.3f}S"


def is_duration_of_an_option(text: str) -> bool:
    """Whether the connector accepts the text: a duration above zero, and at most 100 years."""
    return 0 < (_nanos(_plain(text)) or 0) <= _MOST_NANOS


def seconds_of(text: str) -> float:
    """The seconds of a text that the connector accepts."""
    return (_nanos(_plain(text)) or 0) / (1000 * _NANOS)


def _plain(text: str) -> str:
    return text.strip("".join(map(chr, range(33)))).lower()


def _nanos(text: str) -> int | None:
    if len(text) > _LONGEST:
        return None
    short = _SPARK.fullmatch(text)
    if short is not None:
        unit = _UNITS.get(short[2])
        return None if unit is None else int(short[1]) * unit * _NANOS
    iso = _ISO.fullmatch(text)
    if iso is None or not any(iso.group(2, 4, 5, 7)):
        return None
    sign, days, _, hours, minutes, second_sign, seconds, fraction = iso.groups()
    parts = ((days, "d"), (hours, "h"), (minutes, "m"), (f"{second_sign or ''}{seconds or 0}", "s"))
    total = sum(int(number or 0) * _UNITS[unit] for number, unit in parts) * _NANOS
    total += int(f"{second_sign or ''}{(fraction or '').ljust(9, '0')}")
    return -total if sign == "-" else total
