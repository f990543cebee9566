"""Durations as the connector reads them: ISO-8601, or Spark's short form."""

from __future__ import annotations

import re
from datetime import timedelta

_ISO = re.compile(r"P(?=\d|T\d)(\d+D)?(T(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?", re.IGNORECASE)
_SPARK = re.compile(r"\d+\s*(us|ms|s|m|min|h|d|(millisecond|second|minute|hour|day)s?)", re.IGNORECASE)


def is_duration(text: str) -> bool:
    """Whether the connector would read `text` as a length of time."""
    return any(form.fullmatch(text.strip()) for form in (_ISO, _SPARK))


def duration_text(duration: timedelta) -> str:
    """`PT90S` for a minute and a half; the connector counts no finer than milliseconds."""
    milliseconds = duration // timedelta(milliseconds=1)
    if milliseconds % 1000 == 0:
        return f"PT{milliseconds // 1000}S"
    return f"PT{milliseconds / 1000:.3f}S"
