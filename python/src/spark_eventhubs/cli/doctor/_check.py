"""The result of one check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Status = Literal["ok", "warn", "fail", "skip"]


@dataclass(frozen=True, kw_only=True)
class Check:
    """One check: what was found, and what to do about it."""

    name: str
    status: Status
    found: str
    advice: str | None = None

    def line(self) -> str:
        """One line of text."""
        text = f"{self.status:<4}  {self.name}: {' '.join(self.found.split())}"
        return text if self.advice is None else f"{text}. {self.advice}"

    def to_dict(self) -> dict[str, str | None]:
        """For JSON."""
        return {"name": self.name, "status": self.status, "found": self.found, "advice": self.advice}


def ok(name: str, found: str) -> Check:
    """Nothing to do."""
    return Check(name=name, status="ok", found=found)


def warn(name: str, found: str, advice: str) -> Check:
    """Something that hinders some jobs."""
    return Check(name=name, status="warn", found=found, advice=advice)


def fail(name: str, found: str, advice: str | None = None) -> Check:
    """Something that stops a job."""
    return Check(name=name, status="fail", found=found, advice=advice)


def skip(name: str, found: str) -> Check:
    """Not checked."""
    return Check(name=name, status="skip", found=found)
