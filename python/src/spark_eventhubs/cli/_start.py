"""Where reading starts: `earliest`, `latest`, a sequence number, a time, or a duration before now."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Start = str | int | datetime

_UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(Z|[+-][0-9]{2}:?[0-9]{2})?")
_AGO: Final = re.compile(r"([0-9]{1,19})([smhd])")
_FRACTION: Final = re.compile(r"\.(\d+)")
# The largest sequence number.
MOST: Final = 2**63 - 1
_NUMBER: Final = re.compile(r"[0-9]{1,19}")


# Generic only in newer versions of click.
if TYPE_CHECKING:
    _ParamType = click.ParamType[Start]
else:
    _ParamType = click.ParamType


class StartType(_ParamType):
    """The text of a start on the command line."""

    name = "POSITION"

    def __init__(self, now: Callable[[], datetime] = lambda: datetime.now(timezone.utc)) -> None:
        """Durations end at `now()`."""
        self._now = now

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Start:  # noqa: ANN401
        """A word, a sequence number or a time with a zone."""
        text = str(value).strip()
        if text in ("earliest", "latest"):
            return text
        number = _number(text)
        if number is not None:
            return number
        ago = _AGO.fullmatch(text)
        if ago:
            return _before(self._now(), int(ago[1]), _UNITS[ago[2]])
        if _DAY.fullmatch(text):
            self.fail(f"'{text}' has no time of day; expected a time such as {text[:10]}T00:00:00Z", param, ctx)
        time = parse_time(text)
        if time is None:
            self.fail(
                f"'{text}' is no position; expected earliest, latest, a sequence number, a time such as "
                "2026-01-31T12:00:00Z, or a duration before now such as 15m",
                param,
                ctx,
            )
        if time.tzinfo is None:
            self.fail(f"'{text}' has no time zone; add Z for UTC, or an offset such as +01:00", param, ctx)
        return time


def sdk_start(start: Start, properties: Mapping[str, Any]) -> tuple[str | int | datetime, bool]:
    """The SDK's starting position of one partition, and whether it is inclusive.

    A start behind the end of the partition becomes the end: the service would refuse it.

    Args:
        start: from the command line.
        properties: the SDK's properties of the partition.
    """
    last = int(properties["last_enqueued_sequence_number"])
    if start == "earliest" or last < 0:
        return "-1", True
    if start == "latest" or (isinstance(start, int) and start > last):
        # The number, because `@latest` moves until the reader is open, and again when it is opened again.
        return last, False
    return start, True


def _number(text: str) -> int | None:
    """A sequence number; None for another text."""
    number = int(text) if _NUMBER.fullmatch(text) else None
    return number if number is not None and number <= MOST else None


def _before(now: datetime, number: int, unit: str) -> datetime:
    try:
        return now - timedelta(**{unit: number})
    except OverflowError:  # before the year 1
        return datetime.fromtimestamp(0, timezone.utc)


def parse_time(text: str) -> datetime | None:
    """A time in ISO 8601, with or without a zone; None for another text."""
    # Python 3.10 reads neither Z nor a fraction that has other than three or six digits.
    text = _FRACTION.sub(lambda fraction: f".{fraction[1][:6]:0<6}", text.replace("Z", "+00:00"))
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None
