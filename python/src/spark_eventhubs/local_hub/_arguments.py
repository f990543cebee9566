"""Python values as options of the hub's command line."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from os import PathLike, fspath
from typing import TYPE_CHECKING

from spark_eventhubs._durations import duration_text

if TYPE_CHECKING:
    from collections.abc import Mapping

ArgumentValue = str | int | float | bool | timedelta | PathLike[str] | None


def command_line(options: Mapping[str, ArgumentValue]) -> list[str]:
    """The arguments of all options except those of None. A flag is True or False."""
    arguments: list[str] = []
    for name, value in options.items():
        if isinstance(value, bool):
            arguments += [name] if value else []
        elif value is not None:
            arguments += [name, _text(value)]
    return arguments


def listed(name: str, values: object) -> list[str]:
    """The texts of an argument, where a single text is one of them and not its letters.

    Raises:
        TypeError: anything else.
    """
    found = [values] if isinstance(values, str) else values
    if isinstance(found, Iterable) and not isinstance(found, (bytes, bytearray, memoryview)):
        texts = list(found)
        if all(isinstance(text, str) for text in texts):
            return texts
    raise TypeError(f"{name} is {values!r}; expected a list of texts")


def _text(value: str | float | timedelta | PathLike[str]) -> str:
    if isinstance(value, timedelta):
        return duration_text(value)
    return fspath(value) if isinstance(value, PathLike) else str(value)
