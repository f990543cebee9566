"""Accounts for every event of a chaos run: pure functions of what was sent, stored and written.

The checks are those of jepsen.tests.kafka that make sense for copies: lost writes, phantoms, duplicates, lost events
and order. An acknowledged write must be stored; one without an answer may be.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

EXACTLY_ONCE: Final = "exactly-once"
AT_LEAST_ONCE: Final = "at-least-once"

# So many examples of each violation are shown.
_SHOWN: Final = 5


class Stored(NamedTuple):
    """An event of the source: where it is stored, and its body."""

    partition: int
    number: int
    body: str

    def text(self) -> str:
        """The body of its copy."""
        return f"{self.partition}:{self.number}:{self.body}"

    @classmethod
    def parse(cls, text: str) -> Stored:
        """Of the body of a copy. A ValueError for a body that no copy has."""
        partition, number, body = text.split(":", 2)
        return cls(int(partition), int(number), body)


@dataclass(frozen=True)
class Copy:
    """What a query wrote.

    Args:
        name: of the query.
        guarantee: exactly once or at least once.
        parts: the copies, in the order of each place that has an order: a partition of a hub. Files have none, so each
            of their events is a part of its own.
    """

    name: str
    guarantee: str
    parts: Sequence[Sequence[str]]


@dataclass
class Verdict:
    """What a run has shown. `violations` is empty when all promises were kept."""

    events: int = 0
    duplicates: dict[str, int] = field(default_factory=dict)
    violations: list[str] = field(default_factory=list)

    def violated(self, what: str, examples: Iterable[object]) -> None:
        """Notes a violation if there are examples."""
        found = list(examples)
        if found:
            shown = ", ".join(map(str, found[:_SHOWN]))
            self.violations.append(f"{len(found)} {what}: {shown}{', ...' if len(found) > _SHOWN else ''}")


def check(acknowledged: Iterable[str], source: Sequence[Sequence[Stored]], copies: Iterable[Copy]) -> Verdict:
    """Checks a run.

    Args:
        acknowledged: the bodies whose writes were confirmed.
        source: the events of each partition of the source, in order.
        copies: of the source, after all queries have read everything.
    """
    verdict = Verdict(events=sum(map(len, source)))
    stored = {event for part in source for event in part}
    bodies = {event.body for event in stored}
    verdict.violated("confirmed writes are not stored", sorted(set(acknowledged) - bodies))
    for copy in copies:
        _check_copy(copy, stored, verdict)
    return verdict


def _check_copy(copy: Copy, stored: set[Stored], verdict: Verdict) -> None:
    texts = Counter(text for part in copy.parts for text in part)
    expected = {event.text() for event in stored}
    verdict.violated(f"events of '{copy.name}' were never sent", sorted(texts.keys() - expected))
    verdict.violated(f"events are lost in '{copy.name}'", sorted(expected - texts.keys()))
    duplicates = sorted(text for text, times in texts.items() if times > 1)
    verdict.duplicates[copy.name] = sum(times - 1 for times in texts.values())
    if copy.guarantee == EXACTLY_ONCE:
        verdict.violated(f"events are twice in '{copy.name}'", duplicates)
    for part in copy.parts:
        verdict.violated(f"events are out of order in '{copy.name}'", _out_of_order(part, expected))


def _out_of_order(part: Sequence[str], expected: set[str]) -> list[str]:
    """The events whose first copy comes after one of a later event of the same source partition."""
    last: dict[int, int] = {}
    seen: set[str] = set()
    wrong = []
    for text in part:
        if text in seen or text not in expected:
            continue
        seen.add(text)
        event = Stored.parse(text)
        if event.number < last.get(event.partition, -1):
            wrong.append(text)
        last[event.partition] = max(event.number, last.get(event.partition, -1))
    return wrong


# No fault of a run explains these: a query that fails with one of them has broken a promise.
_NEVER: Final = ("EVENTHUBS_DATA_LOSS", "EVENTHUBS_EXACTLY_ONCE", "EVENTHUBS_MALFORMED", "EVENTHUBS_CHECKPOINT_OF")


def unexpected(failures: Mapping[str, int]) -> list[str]:
    """The conditions of failed queries that break a promise. A failure without a condition is one of them."""
    return sorted(condition for condition in failures if not condition or condition.startswith(_NEVER))
