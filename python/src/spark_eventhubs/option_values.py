"""Finds options in the table and converts Python values to the text of Spark's options."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from spark_eventhubs._durations import DURATION, duration_text
from spark_eventhubs._options import LEGACY_KEYS, OPTIONS
from spark_eventhubs.position import EventPosition

if TYPE_CHECKING:
    from spark_eventhubs._option_spec import OptionSpec

OptionValue = str | bool | int | timedelta | EventPosition | Sequence[int]

_BY_NAME: Mapping[str, OptionSpec] = {name.lower(): spec for spec in OPTIONS for name in (spec.key, *spec.aliases)}


_PREFIX: Final = "eventhubs."
_LEGACY: Final = frozenset(key.lower() for key in LEGACY_KEYS)
_LENIENT: Final = _BY_NAME["eventhubs.ignoreunknownoptions"]


def find_option(key: str) -> OptionSpec | None:
    """The option with this key or alias, ignoring case."""
    return _BY_NAME.get(key.lower())


def setting(key: str, value: OptionValue) -> tuple[str, str]:
    """Key and text of an option. A ValueError names the most similar key or the expected value.

    Keys of the legacy connector that no longer have a meaning are kept. The connector reports what it does with them.
    """
    spec = find_option(key)
    if spec is not None:
        return spec.key, option_text(spec, value)
    if key.lower() in _LEGACY:
        return key, _text(value)
    full = key.lower() if "." in key else f"{_PREFIX}{key.lower()}"
    near = difflib.get_close_matches(full, _BY_NAME, n=1, cutoff=0.6)
    hint = f"did you mean '{_BY_NAME[near[0]].key}'?" if near else "see spark_eventhubs.OPTIONS for all of them"
    raise ValueError(f"'{key}' is not an option of the connector; {hint}")


def settings(options: Mapping[str, OptionValue | None]) -> Iterator[tuple[str, str]]:
    """Keys and texts of a job's options, without those of None. Unknown keys without our prefix belong to Spark."""
    given = {key: value for key, value in options.items() if value is not None}
    lenient = any(
        find_option(key) is _LENIENT and _text(value).strip().lower() == "true" for key, value in given.items()
    )
    for key, value in given.items():
        ours = find_option(key) is not None or (key.lower().startswith(_PREFIX) and not lenient)
        yield setting(key, value) if ours else (key, _text(value))


def option_text(spec: OptionSpec, value: OptionValue) -> str:
    """The text of `value`, if it is valid for the option. Otherwise a ValueError, which never shows a secret."""
    text = _text(value)
    form, expected = _FORMS.get(spec.type) or _one_of(spec.type.split("|"))
    if not form.fullmatch(text.strip()) or not _within(spec, text):
        shown = "***" if spec.secret else text
        raise ValueError(f"'{spec.key}' is '{shown}'; expected {expected}{_bounds(spec)}")
    return text


def _text(value: OptionValue) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, timedelta):
        return duration_text(value)
    if isinstance(value, EventPosition):
        return value.to_json()
    if isinstance(value, (str, int)):
        return str(value)
    return ",".join(str(part) for part in value)


_ANYTHING: Final = re.compile(r"(?s:.+)")
_WHOLE: Final = (re.compile(r"-?\d+"), "a whole number")
_FORMS: Final[Mapping[str, tuple[re.Pattern[str], str]]] = {
    "text": (_ANYTHING, "some text"),
    "int": _WHOLE,
    "long": _WHOLE,
    "bytes": (re.compile(r"\d+\s*([kmg]?(i?b)?)", re.IGNORECASE), "a number of bytes such as 1048576 or 16m"),
    "boolean": (re.compile(r"true|false", re.IGNORECASE), "true or false"),
    "duration": (DURATION, "a duration such as PT30S or 30s"),
    "position": (_ANYTHING, "an EventPosition"),
    "positions": (_ANYTHING, "a position for each partition"),
    "partitions": (re.compile(r"[\d\s,\-\[\]]*\d[\d\s,\-\[\]]*"), "partition ids with commas, such as 0,2"),
}


def _one_of(words: list[str]) -> tuple[re.Pattern[str], str]:
    return re.compile("|".join(map(re.escape, words)), re.IGNORECASE), f"one of {', '.join(words)}"


def _within(spec: OptionSpec, text: str) -> bool:
    if not _WHOLE[0].fullmatch(text.strip()):
        return True
    number = int(text)
    return (spec.minimum is None or number >= spec.minimum) and (spec.maximum is None or number <= spec.maximum)


def _bounds(spec: OptionSpec) -> str:
    if spec.minimum is None:
        return "" if spec.maximum is None else f" up to {spec.maximum}"
    return f" from {spec.minimum}" + ("" if spec.maximum is None else f" to {spec.maximum}")
