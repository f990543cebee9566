"""Plans where the batches of a stream start and end. It keeps nothing that a restarted query would need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from spark_eventhubs.position import EventPosition
from spark_eventhubs.pure._errors import failure
from spark_eventhubs.pure._partitions import fair_share, offset_of, positions_in
from spark_eventhubs.pure._ranges import Range, agree_seconds, is_agreed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spark_eventhubs.errors import EventHubsError
    from spark_eventhubs.pure._asking import Snapshot
    from spark_eventhubs.pure._partitions import Bounds
    from spark_eventhubs.pure._planning import Planner
    from spark_eventhubs.pure._settings import ReadSettings


# Other partitions than the one that is behind may have new events too.
_RECENT_SECONDS: Final = 5.0


class StreamPlanner:
    """Where the batches of a stream start and end. It keeps nothing that a restarted query would need."""

    def __init__(self, settings: ReadSettings, planner: Planner) -> None:
        """Does not ask yet."""
        self._settings = settings
        self._planner = planner
        self._hub = settings.address.hub
        self._last: Snapshot | None = None
        self._is_last_new = False
        self._asked_at = 0.0
        self._initial: dict[int, int] | None = None
        self._target: dict[int, int] | None = None
        self._gone: frozenset[int] = frozenset()

    def initial_offset(self) -> dict[str, dict[str, int]]:
        """Where a new query starts.

        The first batch ends where this answer says "latest", so a repetition of that batch loses nothing, although a
        restarted query resolves its positions again.
        """
        if self._initial is None:
            self._initial = self._planner.starts(self._first(), EventPosition.latest())
        return offset_of(self._hub, self._initial)

    def stop_at_present(self) -> None:
        """No later offset goes beyond what the hub has now."""
        self._target = _ends(self._first())

    def known_end(self) -> dict[str, dict[str, int]] | None:
        """What the hub had when it was last asked."""
        return None if self._last is None else offset_of(self._hub, _ends(self._last))

    def latest_offset(self, start: Mapping[str, Any] | None, most: int | None) -> dict[str, dict[str, int]]:
        """Where the next batch ends, with at most so many events."""
        positions = {} if not start else positions_in(start, self._hub)
        snapshot = self._believed(self._next(positions), positions)
        self._require_partitions(positions, snapshot)
        begins: dict[int, int] = {}
        ends: dict[int, int] = {}
        for partition, bounds in snapshot.bounds.items():
            # A partition that appeared later is read by the next run.
            if self._target is None or partition in self._target:
                begin, end = self._extent(partition, positions.get(partition), bounds)
                begins[partition], ends[partition] = begin, end
        if most is not None and positions:
            share = fair_share(most, {each: end - begins[each] for each, end in ends.items()})
            ends |= {each: begins[each] + events for each, events in share.items() if events}
        return offset_of(self._hub, positions | ends)

    def _extent(self, partition: int, known: int | None, bounds: Bounds) -> tuple[int, int]:
        """Where the partition's next events begin and end."""
        end = bounds.latest if self._target is None else min(bounds.latest, self._target[partition])
        if known is not None and known > bounds.latest:
            self._planner.report(self._shrunk(partition, known, bounds))
            return bounds.earliest, end
        return max(known or 0, bounds.earliest), max(known or 0, end)

    def ranges(self, start: Mapping[str, Any], end: Mapping[str, Any]) -> list[Range]:
        """What a batch reads. It depends on the offsets alone, and on what the hub still retains."""
        starts, ends = positions_in(start, self._hub), positions_in(end, self._hub)
        changed = {each: until for each, until in ends.items() if starts.get(each, 0) != until}
        if not changed:
            return []
        snapshot = self._last or self._first()
        self._require_partitions(ends, snapshot)
        ranges = (self._range(each, starts.get(each), changed[each], snapshot) for each in sorted(changed))
        return [each for each in ranges if each is not None]

    def _range(self, partition: int, start: int | None, until: int, snapshot: Snapshot) -> Range | None:
        bounds = snapshot.bounds.get(partition)
        if bounds is None:
            return None
        first = 0 if start is None else start
        is_unread = start is None or self._starts_at_earliest(partition, start)
        if first > until:
            if self._initial is not None and self._initial.get(partition) == first:
                return None  # A new query's first batch, which is repeated: its start was resolved again.
            self._planner.report(self._shrunk(partition, first, bounds))
            first, is_unread = bounds.earliest, True
        if first < bounds.earliest and first < until:
            end = min(bounds.earliest, until)
            if not is_unread:
                facts = f"the first retained event is {bounds.earliest}"
                self._planner.report(self._planner.place.lost("EXPIRED", partition, first, end, facts))
            first = end
        if first >= until:
            return None
        return Range(partition, first, until, snapshot.info.created, is_unread)

    def _starts_at_earliest(self, partition: int, start: int) -> bool:
        if self._initial is None or self._initial.get(partition) != start:
            return False
        return self._settings.start_of(partition, EventPosition.latest()) == EventPosition.earliest()

    def _first(self) -> Snapshot:
        """The first answer of this process, also when several calls need it."""
        if self._last is None:
            self._asked_at = self._planner.questions.clock()
            self._last, self._is_last_new = self._planner.questions.snapshot(), True
        return self._last

    def _next(self, positions: Mapping[int, int]) -> Snapshot:
        """The first answer once, then the known one while the query is behind it, then another one."""
        if self._last is None or self._is_last_new:
            snapshot, self._is_last_new = self._first(), False
            return snapshot
        is_recent = self._planner.questions.clock() - self._asked_at < _RECENT_SECONDS
        return self._last if is_recent and _is_ahead(self._last, positions) else self._again()

    def _again(self) -> Snapshot:
        before, self._asked_at = self._last, self._planner.questions.clock()
        snapshot = self._planner.questions.next_snapshot()
        if before is not None and before.info.created != snapshot.info.created:
            partition = min(before.bounds, default=0)
            at = before.bounds[partition].latest if partition in before.bounds else 0
            facts = "it has another creation time than when the query started"
            # Its numbers have begun again, so no position of the query has a meaning in it.
            raise self._planner.place.lost("RECREATED", partition, at, at, facts)
        self._last = snapshot
        return snapshot

    def _believed(self, snapshot: Snapshot, positions: Mapping[int, int]) -> Snapshot:
        """An answer that lacks events which were read may come from a replica that lags behind. Several may not."""
        timeout = self._settings.address.timeout
        since, answers = self._planner.questions.clock(), 1
        sought = {each: at for each, at in positions.items() if each not in self._gone}
        while _lacks(snapshot, sought) and not is_agreed(answers, self._planner.questions.clock() - since, timeout):
            self._planner.questions.sleep(agree_seconds(timeout) / 4)
            snapshot, answers = self._again(), answers + 1
        # The checkpoint keeps a partition that is gone, so each batch has it again.
        self._gone = frozenset(positions).difference(snapshot.info.partitions)
        return snapshot

    def _require_partitions(self, positions: Mapping[int, int], snapshot: Snapshot) -> None:
        place = self._planner.place
        gone = {each: at for each, at in positions.items() if each not in snapshot.bounds}
        left_out = {each: at for each, at in gone.items() if each in snapshot.info.partitions}
        if left_out:
            left = ", ".join(f"partition {each} at {at}" for each, at in sorted(left_out.items()))
            self._planner.report(
                failure("EVENTHUBS_PARTITIONS_NARROWED", hub=place.hub, namespace=place.namespace, left=left)
            )
        for partition, at in sorted(gone.items()):
            if partition not in left_out:
                facts = f"the hub has the partitions {', '.join(map(str, snapshot.info.partitions))}"
                self._planner.report(place.lost("PARTITION_REMOVED", partition, at, at, facts))

    def _shrunk(self, partition: int, at: int, bounds: Bounds) -> EventHubsError:
        facts = f"the next event to arrive is {bounds.latest}"
        return self._planner.place.lost("RECREATED", partition, at, at, facts)


def _ends(snapshot: Snapshot) -> dict[int, int]:
    return {partition: bounds.latest for partition, bounds in snapshot.bounds.items()}


def _is_ahead(snapshot: Snapshot, positions: Mapping[int, int]) -> bool:
    """Whether a partition has events to read."""
    return any(
        bounds.latest > max(bounds.earliest, positions.get(partition, 0))
        for partition, bounds in snapshot.bounds.items()
    )


def _lacks(snapshot: Snapshot, positions: Mapping[int, int]) -> bool:
    return any(
        partition not in snapshot.info.partitions
        or (partition in snapshot.bounds and snapshot.bounds[partition].latest < known)
        for partition, known in positions.items()
    )
