"""The errors of a conf. Their classes are PySpark's subclasses, and this package imports without PySpark."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spark_eventhubs.errors import OptionError, OptionTypeError


def option_error(text: str) -> OptionError:
    """A value of a wrong form, or a contradiction. It is a ValueError."""
    from spark_eventhubs.errors import OptionError  # noqa: PLC0415 - see above

    return OptionError(text)


def option_type_error(text: str) -> OptionTypeError:
    """A value of a wrong type. It is a ValueError and a TypeError."""
    from spark_eventhubs.errors import OptionTypeError  # noqa: PLC0415 - see above

    return OptionTypeError(text)
