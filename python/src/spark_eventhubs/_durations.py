"""Durations in the forms that the connector reads: ISO-8601, or Spark's short form."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Final

_ISO: Final = r"P(?=\d|T\d)(\d+D)?(T(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?"
_SPARK: Final = r"\d+\s*(us|ms|s|m|min|h|d|(millisecond|second|minute|hour|day)s?)"
DURATION: Final = re.compile(f"{_ISO}|{_SPARK}", re.IGNORECASE)


def duration_text(duration: timedelta) -> str:
    """The ISO-8601 text, such as `PT90S`. The connector's durations have a resolution of milliseconds."""
    milliseconds = duration // timedelta(milliseconds=1)
    if milliseconds % 1000 == 0:
        return f"PT{milliseconds // 1000}S"
    return f"PT{milliseconds / 1000:.3f}S"
