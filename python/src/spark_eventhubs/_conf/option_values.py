"""Finds options in the table and converts Python values to the text of Spark's options."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from spark_eventhubs._conf.near_names import explain, explain_option, is_common
from spark_eventhubs._conf.position_forms import EXPECTED
from spark_eventhubs._conf.position_values import Position, position_text, positions_text
from spark_eventhubs._conf.refusals import option_error, option_type_error, path_text
from spark_eventhubs._conf.whole_numbers import whole_number
from spark_eventhubs._durations import duration_text, is_duration_of_an_option
from spark_eventhubs._option_spec import KEYWORDS, PATHS
from spark_eventhubs._options import LEGACY_KEYS, OPTIONS

if TYPE_CHECKING:
    from spark_eventhubs._option_spec import OptionSpec

OptionValue = (
    str | bool | int | timedelta | os.PathLike[str] | Position | Sequence[int] | Sequence[str] | Mapping[Any, Any]
)

_BY_NAME: Mapping[str, OptionSpec] = {name.lower(): spec for spec in OPTIONS for name in (spec.key, *spec.aliases)}

_LEGACY: Final = frozenset(key.lower() for key in LEGACY_KEYS)
_LENIENT: Final = _BY_NAME["eventhubs.ignoreunknownoptions"]


def find_option(key: object) -> OptionSpec | None:
    """The option with this key or alias, ignoring case. None for a key that is no text."""
    return _BY_NAME.get(key.lower()) if isinstance(key, str) else None


def setting(key: str, value: object, hub: str | None = None) -> tuple[str, str]:
    """Key and text of an option. An OptionError names the most similar key or the expected value.

    Keys of the legacy connector that no longer have a meaning are kept. The connector reports what it does with them.
    """
    spec = find_option(_text_key(key))
    if spec is not None:
        return spec.key, option_text(spec, value, hub)
    if key.lower() in _LEGACY:
        return key, _plain(key, value)
    raise option_error(f"'{key}' is not an option of the connector; {explain_option(key)}")


def _mapping(options: object) -> Mapping[Any, Any]:
    if not isinstance(options, Mapping):
        raise option_type_error(f"options is a {type(options).__name__}; expected a dict of keys and values")
    return options


def _text_key(key: object) -> str:
    if not isinstance(key, str):
        raise option_type_error(f"{key!r} is not the key of an option; expected text such as 'eventhubs.consumerGroup'")
    return key


def settings(options: Mapping[str, OptionValue | None]) -> Iterator[tuple[str, object]]:
    """Keys and values of a job's options, without those of None. Other keys belong to Spark.

    Raises:
        OptionError: a key that is nearly one of ours, or one option in two spellings with two values.
    """
    given = {_text_key(key): value for key, value in _mapping(options).items() if value is not None}
    lenient = any(find_option(key) is _LENIENT and str(value).strip().lower() == "true" for key, value in given.items())
    spellings: dict[str, tuple[str, object]] = {}
    for key, value in given.items():
        spec = find_option(key)
        wrong = None if spec or key.lower() in _LEGACY or lenient or is_common(key) else explain(key)
        if wrong is not None:
            raise option_error(f"'{key}' is not an option of the connector; {wrong}")
        name, text = setting(key, value) if spec else (key.lower(), _plain(key, value))
        other, before = spellings.setdefault(name, (key, text))
        if spec and str(before).strip() != text.strip():
            shown, other_shown = ("***", "***") if spec.secret else (text, before)
            raise option_error(
                f"'{other}' is '{other_shown}' and '{key}', another name of it, is '{shown}'; set '{spec.key}' only"
            )
        yield key, value if spec else text


def option_text(spec: OptionSpec, value: object, hub: str | None = None) -> str:
    """The text of `value`, if it is valid for the option.

    Raises:
        OptionTypeError: a value of a wrong type.
        OptionError: a value of a wrong form or out of bounds. No error shows a secret.
    """
    if spec.type in {"position", "positions"}:
        return _position(spec, value, hub)
    form, expected = _PATH if spec.key in PATHS else _FORMS.get(spec.type) or _one_of(spec.type.split("|"))
    text = _text(spec, value)
    if text is None:
        shown = f"a {type(value).__name__}" if spec.secret else f"{value!r}"
        raise option_type_error(f"{_named(spec)} is {shown}; expected {expected}{_bounds(spec)}")
    if not form.fullmatch(text.strip()) or not _within(spec, text) or _is_no_time(value):
        shown = "***" if spec.secret and text.strip() else text
        raise option_error(f"{_named(spec)} is '{shown}'; expected {expected}{_bounds(spec)}")
    return text


def _named(spec: OptionSpec) -> str:
    """The key, and the keyword if it does not show the key."""
    return f"'{spec.key}' ({spec.keyword})" if spec.key in KEYWORDS else f"'{spec.key}'"


def _position(spec: OptionSpec, value: object, hub: str | None) -> str:
    try:
        return position_text(value) if spec.type == "position" else positions_text(value, hub)
    except ValueError as wrong:
        raise type(wrong)(f"'{spec.key}': {wrong}") from None


def _text(spec: OptionSpec, value: object) -> str | None:
    """The text of a value. None if its type cannot be a value of this option."""
    if isinstance(value, str) or spec.key in PATHS:
        return path_text(value)
    if isinstance(value, bool):
        return None if spec.type in {"text", "names", "duration", "partitions"} else str(value).lower()
    if isinstance(value, timedelta):
        return duration_text(value) if spec.type == "duration" else None
    number = whole_number(value)
    if number is not None:
        return str(number) if spec.type in {"int", "long", "bytes"} or spec.key in _NUMBERS_AS_TEXT else None
    if spec.type == "partitions" and isinstance(value, (Sequence, range, set, frozenset)):
        return ",".join(str(part) for part in value) if all(_is_id(part) for part in value) else None
    return _joined_names(value) if spec.type == "names" else None


def _joined_names(value: object) -> str | None:
    if not isinstance(value, (Sequence, set, frozenset)) or not value:
        return None
    return ",".join(value) if all(isinstance(name, str) for name in value) else None


def _is_id(value: object) -> bool:
    return whole_number(value) is not None or (isinstance(value, str) and value.isdecimal())


def _is_no_time(value: object) -> bool:
    # The connector's durations have a resolution of milliseconds.
    return isinstance(value, timedelta) and timedelta() <= value < timedelta(milliseconds=1)


def _plain(key: str, value: object) -> str:
    """The text of an option that is not in the table: Spark's, the legacy connector's or a user's."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, timedelta):
        return duration_text(value)
    path = path_text(value)
    if path is not None:
        return path
    if isinstance(value, (str, int, float)) or whole_number(value) is not None:
        return str(value)
    raise option_type_error(f"'{key}' is a {type(value).__name__}; expected text, a number or a boolean")


_NUMBERS_AS_TEXT: Final = frozenset({"eventhubs.partitionKey"})
_ANYTHING: Final = re.compile(r"(?s:.+)")
# Digits of a number of 64 bits, with spaces. Python refuses to parse very long ones.
_LONGEST_NUMBER: Final = 50
_PATH: Final = (_ANYTHING, "a path, as text or as an os.PathLike")
_WHOLE: Final = (re.compile(r"-?\d+"), "a whole number")
_FORMS: Final[Mapping[str, tuple[re.Pattern[str], str]]] = {
    "text": (_ANYTHING, "some text"),
    "int": _WHOLE,
    "long": _WHOLE,
    "bytes": (re.compile(r"\d+\s*([kmg]?(i?b)?)", re.IGNORECASE), "a number of bytes such as 1048576 or 16m"),
    "boolean": (re.compile(r"true|false", re.IGNORECASE), "true or false"),
    "duration": (_ANYTHING, "a timedelta above zero, or a duration as text such as PT30S or 30s"),
    "position": (_ANYTHING, EXPECTED),
    "positions": (_ANYTHING, "a position for each partition"),
    "names": (_ANYTHING, "the name of an event hub, or a list of names"),
    "partitions": (re.compile(r"[\d\s,\-\[\]]*\d[\d\s,\-\[\]]*"), "partition ids with commas, such as 0,2"),
}


def _one_of(words: list[str]) -> tuple[re.Pattern[str], str]:
    return re.compile("|".join(map(re.escape, words)), re.IGNORECASE), f"one of {', '.join(words)}"


def _within(spec: OptionSpec, text: str) -> bool:
    if spec.type == "duration":
        return is_duration_of_an_option(text)
    if not _WHOLE[0].fullmatch(text.strip()):
        return True
    if len(text) > _LONGEST_NUMBER:
        return False
    number = int(text)
    return (spec.minimum is None or number >= spec.minimum) and (spec.maximum is None or number <= spec.maximum)


def _bounds(spec: OptionSpec) -> str:
    if spec.minimum is None:
        return "" if spec.maximum is None else f" up to {spec.maximum}"
    return f" from {spec.minimum}" + ("" if spec.maximum is None else f" to {spec.maximum}")
