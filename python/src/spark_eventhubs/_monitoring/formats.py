"""Numbers as people read them."""

from __future__ import annotations

from typing import Final

_MINUTE: Final = 60
_HOUR: Final = 60 * _MINUTE
_DAY: Final = 24 * _HOUR
# The two units of a time, by the larger one.
_UNITS: Final = (((_DAY, "d"), (_HOUR, "h")), ((_HOUR, "h"), (_MINUTE, "min")), ((_MINUTE, "min"), (1, "s")))
UNKNOWN: Final = "-"


def count(number: float | None) -> str:
    """A whole number with separators."""
    return UNKNOWN if number is None else f"{number:,.0f}"


def rate(per_second: float | None) -> str:
    """A rate with two significant digits at least: `0.25/s`, `1,204/s`."""
    if per_second is None:
        return UNKNOWN
    digits = 0 if per_second >= 10 or per_second == 0 else 1 if per_second >= 1 else 2  # noqa: PLR2004
    return f"{per_second:,.{digits}f}/s"


def duration(seconds: float | None) -> str:
    """A time in at most two units: `850 ms`, `4.2 s`, `3 min 12 s`, `2 h 5 min`, `3 d 4 h`."""
    if seconds is None:
        return UNKNOWN
    if seconds < 10:  # noqa: PLR2004
        return "0 s" if seconds == 0 else f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < _MINUTE:
        return f"{whole} s"
    large, small = next(units for units in _UNITS if whole >= units[0][0])
    return f"{whole // large[0]} {large[1]} {whole % large[0] // small[0]} {small[1]}"
