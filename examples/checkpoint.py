"""Reads the checkpoint files of a query that reads one hub."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def events_committed(checkpoint: Path) -> int:
    """Number of events that the query has read and committed. Sequence numbers start at 0."""
    batches = [int(commit.name) for commit in checkpoint.glob("commits/[0-9]*")]
    if not batches:
        return 0
    offsets = json.loads((checkpoint / "offsets" / str(max(batches))).read_text(encoding="utf-8").splitlines()[-1])
    return sum(until for partitions in offsets.values() for until in partitions.values())
