"""Which events a partition retains, as the SDK's properties of it say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def retained(properties: Mapping[str, Any]) -> tuple[int, int]:
    """The first sequence number that a partition retains, and that of its next event. Equal in an empty partition."""
    end = int(properties["last_enqueued_sequence_number"]) + 1
    return (end if properties["is_empty"] else int(properties["beginning_sequence_number"])), end
