"""An answer to a question about the service that no public evidence answers."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A question, what the connector assumes, what was seen, and whether it matters."""

    question: str
    assumed: str
    seen: str
    matters: str

    def to_dict(self) -> dict[str, str]:
        """For JSON."""
        return asdict(self)
