"""What is known of a hub and its partitions, and what follows from it. No class here waits or connects."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from math import ceil, floor
from typing import TYPE_CHECKING, Any, TypeVar

from spark_eventhubs.pure._errors import failure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spark_eventhubs.errors.kinds import EventHubsError
    from spark_eventhubs.position import EventPosition

_Key = TypeVar("_Key")


@dataclass(frozen=True)
class HubInfo:
    """A hub, by when it was created: a recreated hub has another time, in milliseconds."""

    created: int
    partitions: tuple[int, ...]


@dataclass(frozen=True)
class Bounds:
    """What a partition retains: from `earliest`, before `latest`, the number of the next event to arrive."""

    earliest: int
    latest: int
    last_offset: str = "-1"
    last_millis: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether it retains no event."""
        return self.earliest >= self.latest


def fair_share(limit: int, backlog: Mapping[_Key, int]) -> dict[_Key, int]:
    """A limit for all partitions, divided in proportion to their backlog, as the jar does.

    A share below one event counts as one, so that no partition starves.
    """
    waiting = {key: max(0, events) for key, events in backlog.items()}
    total = sum(waiting.values())
    if total <= limit:
        return waiting
    shares = {key: limit * (events / total) for key, events in waiting.items()}
    return {key: min(waiting[key], ceil(share) if share < 1 else floor(share)) for key, share in shares.items()}


def is_after_last(position: EventPosition, bounds: Bounds) -> bool:
    """Whether no event of the partition is at or after the position. A link there might wait for ever."""
    value = position.value
    if isinstance(value, datetime):
        last = datetime.fromtimestamp(bounds.last_millis / 1000, tz=timezone.utc)
        return last < value if position.inclusive else last <= value
    if position.by == "offset":
        wanted, last_offset = str(value), bounds.last_offset
        if wanted.isdecimal() and last_offset.isdecimal():
            past = int(wanted) - int(last_offset)
            return past > 0 if position.inclusive else past >= 0
        return not position.inclusive and wanted == last_offset
    return False


def up_to_millis(moment: datetime) -> datetime:
    """The service stores times in milliseconds: the first of them that is not before the moment."""
    missing = -moment.microsecond % 1000
    return moment + timedelta(microseconds=missing)


def offset_of(hub: str, positions: Mapping[int, int]) -> dict[str, dict[str, int]]:
    """The offset of a stream, as the jar writes it: `{"hub":{"0":23,"1":45}}`."""
    return {hub: {str(partition): positions[partition] for partition in sorted(positions)}}


def positions_in(offset: Mapping[str, Any], hub: str) -> dict[int, int]:
    """The positions of the partitions in an offset of this source or of the jar's.

    Raises:
        CheckpointError: it is no such offset, or one of another hub.
    """
    try:
        hubs = {str(name): {int(key): _number(value) for key, value in offset[name].items()} for name in offset}
    except (TypeError, ValueError, AttributeError) as wrong:
        raise failure("EVENTHUBS_MALFORMED_OFFSET", text=offset, reason=wrong) from None
    if not any(hubs.values()):
        raise failure("EVENTHUBS_MALFORMED_OFFSET", text=offset, reason="no partition in it")
    others = [name for name in hubs if name.lower() != hub.lower()]
    if others:
        recorded = " and ".join(f"'{name}'" for name in others)
        raise failure(
            "EVENTHUBS_CHECKPOINT_OF_ANOTHER_HUB", path="of this query", recorded=recorded, configured=f"'{hub}'"
        )
    return next(iter(hubs.values()))


@dataclass(frozen=True)
class Place:
    """What the texts of data loss say of the query."""

    hub: str
    namespace: str
    group: str

    def lost(self, kind: str, partition: int, start: int, until: int, facts: str) -> EventHubsError:
        """The error for events that are gone. With `until` = `start`, nobody knows how many."""
        events = f"sequence numbers {start} until {until}" if until > start else f"from sequence number {start} on"
        return failure(
            f"EVENTHUBS_DATA_LOSS.{kind}",
            hub=self.hub,
            namespace=self.namespace,
            consumerGroup=self.group,
            partition=partition,
            events=events,
            facts=facts,
        )


def _number(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{value} is not a sequence number")
    return value
