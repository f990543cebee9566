"""The type of an entry in the option table, which is generated from Scala's table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Scope = Literal["connection", "read", "write"]

PATHS: Final = frozenset(
    {
        "eventhubs.auth.certificatePath",
        "eventhubs.auth.federatedTokenFile",
        "eventhubs.tls.trustedCertificates",
        "eventhubs.writeLogLocation",
    }
)
"""Options of the type `text` that may also be an `os.PathLike` in Python."""


@dataclass(frozen=True, kw_only=True)
class OptionSpec:
    """One option: its name, its type and its meaning.

    `type` is `text`, `int`, `long`, `bytes`, `boolean`, `duration`, `position`, `positions`, `partitions` or `names`,
    or the allowed words, joined by `|`. `minimum` and `maximum` limit numbers. A `secret` is never printed.
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
