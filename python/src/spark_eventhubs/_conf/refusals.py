"""The errors of a conf. Their classes are PySpark's subclasses, and this package imports without PySpark."""

from __future__ import annotations

import re
from os import PathLike, fspath
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from spark_eventhubs.errors import OptionError, OptionTypeError

# A key or a signature in a connection string (not the <key> of an example), and a password in front of a host.
_SECRET: Final = re.compile(r"((?:SharedAccessKey|AccountKey)\s*=\s*|\bsig=)[^;&'\"\s<][^;&'\"\s]*", re.IGNORECASE)
_PASSWORD: Final = re.compile(r":[^\s@/'\"]+@")


def without_secrets(text: str) -> str:
    """The text with *** for what is secret in it, such as a connection string that was passed as a name."""
    return _PASSWORD.sub(":***@", _SECRET.sub(r"\1***", text))


def folder_text(name: str, value: object) -> str:
    """A folder or its address as text; `str` alone would make a folder "None".

    Raises:
        OptionTypeError: neither a text nor a path, or a blank one.
    """
    text = path_text(value)
    if text is None or not text.strip():
        raise option_type_error(f"{name} is {value!r}; expected a folder or its address, as text or as a path")
    return text


def file_text(name: str, value: object) -> str:
    """A file's path as text.

    Raises:
        OptionTypeError: neither a text nor a path.
        OptionError: a blank text.
    """
    text = path_text(value)
    if text is None:
        raise option_type_error(f"{name} is a {type(value).__name__}; expected a file, as text or as a path")
    if not text.strip():
        raise option_error(f"{name} is empty; expected a file, as text or as a path")
    return text


def not_empty(what: str, value: str) -> str:
    """The value, after a check that it is a text with something in it."""
    if not isinstance(value, str):
        raise option_type_error(f"{what} is a {type(value).__name__}; expected the text that Azure shows for it")
    if not value.strip():
        raise option_error(f"{what} is empty; expected the value that Azure shows for it")
    return value


def path_text(value: object) -> str | None:
    """The text of a path; None for what is neither a text nor a path of texts."""
    text = fspath(value) if isinstance(value, (str, PathLike)) else None
    return text if isinstance(text, str) else None


def option_error(text: str) -> OptionError:
    """A value of a wrong form, or a contradiction. It is a ValueError."""
    from spark_eventhubs.errors import OptionError  # noqa: PLC0415 - see above

    return OptionError(without_secrets(text))


def option_type_error(text: str) -> OptionTypeError:
    """A value of a wrong type. It is a ValueError and a TypeError."""
    from spark_eventhubs.errors import OptionTypeError  # noqa: PLC0415 - see above

    return OptionTypeError(without_secrets(text))
