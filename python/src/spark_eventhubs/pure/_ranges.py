"""What a task reads, and when answers of the service show that events are gone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_AGREE_SECONDS: Final = 10.0
_ANSWERS: Final = 4


@dataclass(frozen=True)
class Range:
    """Events of a partition, from `start`, before `until`.

    `created` names the hub for which it was planned. Nothing of a range that `starts_at_earliest` was read before, so
    what has expired at its start is no loss.
    """

    partition: int
    start: int
    until: int
    created: int
    starts_at_earliest: bool = False


def agree_seconds(timeout: float) -> float:
    """For how long answers that lack known events have to agree before they are believed."""
    return min(_AGREE_SECONDS, timeout / 2)


def is_agreed(answers: int, seconds: float, timeout: float) -> bool:
    """Whether so many answers in a row, over this time, show that events are gone."""
    return answers >= _ANSWERS and seconds >= agree_seconds(timeout)
