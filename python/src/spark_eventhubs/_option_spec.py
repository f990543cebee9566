"""The shape of one entry of the option table, which is generated from Scala's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Scope = Literal["connection", "read", "write"]


@dataclass(frozen=True, kw_only=True)
class OptionSpec:
    """One option: how it is called, what it may be, and what it does.

    `type` is `text`, `int`, `long`, `bytes`, `boolean`, `duration`, `position`, `positions` or `partitions`, or the
    words that are allowed, joined by `|`. `minimum` and `maximum` bound the numbers. A `secret` is never printed.
    """

    key: str
    aliases: tuple[str, ...] = ()
    type: str
    default: str | None = None
    minimum: int | None = None
    maximum: int | None = None
    doc: str
    secret: bool = False
    scope: Scope
