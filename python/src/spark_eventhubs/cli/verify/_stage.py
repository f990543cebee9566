"""The result of one stage."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

CREATE: Final = "create"
RIGHTS: Final = "rights"
WRITE: Final = "write by partition and key"
READ: Final = "read by position"
STREAM: Final = "stream with restart"
EXACTLY_ONCE: Final = "exactly once with lost answers"
THROTTLING: Final = "throttling"
STORE: Final = "ownership and checkpoints"
IDLE: Final = "idle links"
# They run in a process of their own.
WITH_SPARK: Final = (RIGHTS, WRITE, READ, STREAM, EXACTLY_ONCE, THROTTLING, STORE, IDLE)

Status = Literal["passed", "failed", "skipped"]


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One stage: what was found, or why it failed or was skipped.

    Attributes:
        name: of the stage.
        status: how it ended.
        found: in words.
        condition: the connector's condition of docs/errors.md, if the stage failed with one.
        seconds: how long it took.
        lacks: whether it was skipped because something is not installed.
    """

    name: str
    status: Status
    found: str
    condition: str | None = None
    seconds: float = 0.0
    lacks: bool = False

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


class NotSeenError(Exception):
    """What a stage is about did not happen, so it neither passed nor failed."""


class DifferenceError(Exception):
    """The service, or the connector on it, did something else than a stage expects."""


def skipped(name: str, why: str) -> Stage:
    """A stage that did not run."""
    return Stage(name=name, status="skipped", found=why)


def lacking(name: str, why: str) -> Stage:
    """A stage that did not run because something is not installed."""
    return Stage(name=name, status="skipped", found=why, lacks=True)
