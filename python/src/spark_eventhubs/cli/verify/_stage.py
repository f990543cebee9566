"""The result of one stage."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

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
    """

    name: str
    status: Status
    found: str
    condition: str | None = None
    seconds: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


class DifferenceError(Exception):
    """The service, or the connector on it, did something else than a stage expects."""


def skipped(name: str, why: str) -> Stage:
    """A stage that did not run."""
    return Stage(name=name, status="skipped", found=why)
