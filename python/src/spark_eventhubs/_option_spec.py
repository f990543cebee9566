"""The type of an entry in the option table, which is generated from Scala's table."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

Scope = Literal["connection", "read", "write", "registry"]

PATHS: Final = frozenset(
    {
        "eventhubs.auth.certificatePath",
        "eventhubs.auth.federatedTokenFile",
        "eventhubs.tls.trustedCertificates",
        "eventhubs.writeLogLocation",
    }
)
"""Options of the type `text` that may also be an `os.PathLike` in Python."""

_OF_A_CREDENTIAL: Final = "eventhubs.auth."
KEYWORDS: Final = {
    "eventhubs.namespace": "fully_qualified_namespace",
    "eventhubs.name": "eventhub_name",
    "eventhubs.retry.maxRetries": "max_retries",
}
"""Keywords that are not the option's key in snake case. The first two are the names of the Azure SDK."""


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

    @property
    def keyword(self) -> str | None:
        """The option's name in `EventHubsConf`, such as `max_events_per_trigger`.

        None if a credential sets it, and for those of the functions that use a schema registry.
        """
        if self.key.startswith(_OF_A_CREDENTIAL) or self.scope == "registry":
            return None
        words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", self.key.removeprefix("eventhubs."))
        return KEYWORDS.get(self.key, words.replace(".", "_").lower())
