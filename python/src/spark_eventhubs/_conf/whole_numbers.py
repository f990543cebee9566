"""Whole numbers, also those of NumPy and pandas."""

from __future__ import annotations

from numbers import Integral


def whole_number(value: object) -> int | None:
    """The value as an int; None for another type, such as a bool or a float."""
    return None if isinstance(value, bool) or not isinstance(value, Integral) else int(value)
