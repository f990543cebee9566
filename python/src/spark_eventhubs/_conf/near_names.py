"""Names that are not options: what they were probably meant to be. The connector's `NameGuesses` has the same rules."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from spark_eventhubs._options import KAFKA_OPTIONS, OPTIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

_PREFIX: Final = "eventhubs."
_SHORT_NAMES: Final = {spec.key.removeprefix(_PREFIX).lower(): spec.key for spec in OPTIONS}
# Written as the keywords of EventHubsConf, such as max_events_per_trigger, or with other separators.
_BY_LETTERS: Final = {re.sub(r"[^a-z0-9]", "", name): name for name in _SHORT_NAMES} | {
    spec.keyword.replace("_", ""): spec.key.removeprefix(_PREFIX).lower() for spec in OPTIONS if spec.keyword
}
_KAFKA: Final = {name.lower(): instead for name, instead in KAFKA_OPTIONS.items()}
_COMMON: Final = frozenset({"name", "partition", "topic", "maxretries"})
_SHORTEST_WITH_TYPOS: Final = 6
_SHORTEST_WITH_TWO: Final = 10


def is_common(name: str) -> bool:
    """Whether many sources have this name, so that options may be shared with them. The connector only warns."""
    return name.lower() in _COMMON


def explain(name: str) -> str | None:
    """What is wrong with a name that is not an option. None if it belongs to Spark or to the user."""
    lower = name.lower()
    rest = _without_prefix(lower)
    if rest is not None:
        return _misspelt(_nearest(rest, _SHORT_NAMES))
    return _of_kafka(lower) or _short(lower) or _of_kafka(_typo(lower, _KAFKA) or "")


def explain_option(name: str) -> str:
    """What is wrong with a name that must be an option."""
    return explain(name) or _misspelt(_nearest(name.lower(), _SHORT_NAMES))


def _of_kafka(lower: str) -> str | None:
    instead = _KAFKA.get(lower)
    if instead is None and lower.startswith("kafka."):
        instead = "Remove it: this connector uses AMQP, and has no Kafka client"
    return None if instead is None else f"Spark's Kafka connector has it. Here: {instead}"


def _short(lower: str) -> str | None:
    known = _BY_LETTERS.get(re.sub(r"[^a-z0-9]", "", lower)) or _typo(lower, _SHORT_NAMES)
    return None if known is None else _misspelt(known)


def _misspelt(known: str | None) -> str:
    return f"did you mean '{_SHORT_NAMES[known]}'?" if known else "see spark_eventhubs.OPTIONS for all of them"


def _without_prefix(lower: str) -> str | None:
    bare = lower.removeprefix("azure.").removeprefix("spark.")
    first, dot, rest = bare.partition(".")
    if bare.startswith("eventhub"):
        return bare.removeprefix("eventhub").removeprefix("s").lstrip("._- ")
    return rest if dot and _distance(first, "eventhubs") <= 2 else None  # noqa: PLR2004 - as in Scala


def _nearest(name: str, candidates: Iterable[str]) -> str | None:
    measured = ((_distance(name, candidate), candidate) for candidate in candidates)
    return min((pair for pair in measured if pair[0] <= max(1, len(pair[1]) // 3)), default=(0, None))[1]


def _typo(name: str, candidates: Iterable[str]) -> str | None:
    measured = (
        (_distance(name, candidate), candidate) for candidate in candidates if len(candidate) >= _SHORTEST_WITH_TYPOS
    )
    near = (pair for pair in measured if pair[0] <= (2 if len(pair[1]) >= _SHORTEST_WITH_TWO else 1))
    return min(near, default=(0, None))[1]


def _distance(left: str, right: str) -> int:
    """Number of insertions, deletions, substitutions and swaps of neighbours that turn `left` into `right`."""
    rows = [[i + j for j in range(len(right) + 1)] for i in range(len(left) + 1)]
    for i, a in enumerate(left, 1):
        for j, b in enumerate(right, 1):
            rows[i][j] = min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
    return rows[-1][-1]
