"""Plans what a batch reads, and where the batches of a stream end. One planner for each query, on the driver."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from spark_eventhubs.errors import EventHubsError
from spark_eventhubs.position import EventPosition
from spark_eventhubs.pure._columns import Columns
from spark_eventhubs.pure._errors import failure, may_pass
from spark_eventhubs.pure._partitions import (
    Bounds,
    HubInfo,
    Place,
    fair_share,
    is_after_last,
    offset_of,
    positions_in,
)
from spark_eventhubs.pure._positions import up_to_millis
from spark_eventhubs.pure._reading import Range, agree_seconds, is_agreed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Protocol

    from spark_eventhubs.pure._reading import Link
    from spark_eventhubs.pure._settings import ReadSettings

    class Connection(Protocol):
        """What a planner needs of a `HubConnection`."""

        def hub(self) -> HubInfo:
            """The hub."""

        def bounds(self, partition: int) -> Bounds:
            """What a partition retains."""

        def close(self) -> None:
            """Ends it."""


_LOGGER: Final = logging.getLogger(__name__)

_LONGEST_PAUSE: Final = 5.0
# The service ends connections that are silent for some minutes.
_UNUSED_SECONDS: Final = 30.0


@dataclass(frozen=True)
class Snapshot:
    """The hub at one time: the partitions that the query reads."""

    info: HubInfo
    bounds: Mapping[int, Bounds]


class Planner:
    """Asks about one hub, and resolves positions."""

    def __init__(
        self,
        settings: ReadSettings,
        connect: Callable[[], Connection],
        link_at: Callable[[int, EventPosition], Link],
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`connect` makes a connection for questions, `link_at` a link to a partition that begins at a position."""
        self._settings = settings
        self._connect, self._link_at = connect, link_at
        self.clock, self.sleep = clock, sleep
        self.place = Place(settings.address.hub, settings.address.host, settings.group)
        self._connection: Connection | None = None
        self._used_at = 0.0

    def close(self) -> None:
        """Ends the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def snapshot(self) -> Snapshot:
        """The hub now. A failure that may pass is repeated until the operation timeout.

        Raises:
            EventHubsError: the service refuses the questions, or does not answer.
        """
        end, pause = self.clock() + self._settings.address.timeout, 0.1
        while True:
            try:
                return self._asked()
            except EventHubsError as error:
                self.close()
                if not may_pass(error) or self.clock() + pause > end:
                    raise
            self.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def batch(self) -> list[Range]:
        """What a batch reads."""
        snapshot = self.snapshot()
        return [self._batch_range(partition, snapshot) for partition in snapshot.bounds]

    def starts(self, snapshot: Snapshot, default: EventPosition) -> dict[int, int]:
        """The first event to read of each partition."""
        return {
            partition: self._within_retained(
                partition, self._resolved(self._settings.start_of(partition, default), partition, bounds), bounds
            )
            for partition, bounds in snapshot.bounds.items()
        }

    def report(self, error: EventHubsError) -> None:
        """Raises a loss, or logs it."""
        if self._settings.fail_on_data_loss:
            raise error
        _LOGGER.warning("Continuing, because failOnDataLoss is false: %s", error)

    def _asked(self) -> Snapshot:
        if self._connection is not None and self.clock() - self._used_at > _UNUSED_SECONDS:
            self.close()
        if self._connection is None:
            self._connection = self._connect()
        connection = self._connection
        info = connection.hub()
        only = self._settings.partitions
        positions = (("startingPositions", self._settings.starts), ("endingPositions", self._settings.ends))
        for key, named in (("partitions", only or ()), *positions):
            unknown = sorted(set(named) - set(info.partitions))
            if unknown:
                has = ", ".join(map(str, info.partitions))
                text = ", ".join(map(str, unknown))
                raise failure(
                    "EVENTHUBS_INVALID_OPTION",
                    key=f"eventhubs.{key}",
                    value=text,
                    expected=f"partitions of the event hub, which has {has}",
                )
        wanted = [each for each in info.partitions if only is None or each in only]
        bounds = {partition: connection.bounds(partition) for partition in wanted}
        self._used_at = self.clock()
        return Snapshot(info, bounds)

    def _batch_range(self, partition: int, snapshot: Snapshot) -> Range:
        bounds = snapshot.bounds[partition]
        first = self._settings.start_of(partition, EventPosition.earliest())
        last = self._settings.end_of(partition)
        start = self._resolved(first, partition, bounds)
        until = self._resolved(last, partition, bounds)
        self._require_order(partition, (first, start), (last, until), bounds)
        until = max(start, min(until, bounds.latest))
        start = self._within_retained(partition, start, bounds, until)
        return Range(partition, start, max(start, until), snapshot.info.created, first == EventPosition.earliest())

    def _require_order(
        self, partition: int, first: tuple[EventPosition, int], last: tuple[EventPosition, int], bounds: Bounds
    ) -> None:
        """A start after its end is an error, unless retention put it there."""
        (position, start), (end, until) = first, last
        if position == EventPosition.earliest() or end == EventPosition.latest():
            return
        from_time, to_time = position.value, end.value
        if isinstance(from_time, datetime) and isinstance(to_time, datetime):
            wrong = from_time > to_time
        else:
            wrong = start > until and (position.by == "sequence number" or start > bounds.earliest)
        if wrong:
            shown = [each.isoformat() if isinstance(each, datetime) else None for each in (from_time, to_time)]
            raise failure(
                "EVENTHUBS_START_AFTER_END",
                hub=self.place.hub,
                namespace=self.place.namespace,
                partition=partition,
                start=shown[0] or f"sequence number {start}",
                end=shown[1] or until,
            )

    def _within_retained(self, partition: int, number: int, bounds: Bounds, until: int | None = None) -> int:
        if number > bounds.latest:
            raise failure(
                "EVENTHUBS_POSITION_BEYOND_END",
                hub=self.place.hub,
                namespace=self.place.namespace,
                partition=partition,
                seqNo=number,
                latest=bounds.latest,
            )
        if number < bounds.earliest and (until is None or number < until):
            end = bounds.earliest if until is None else min(bounds.earliest, until)
            facts = f"the starting position is {number}, the first retained event {bounds.earliest}"
            self.report(self.place.lost("EXPIRED", partition, number, end, facts))
        return max(number, bounds.earliest)

    def _resolved(self, position: EventPosition, partition: int, bounds: Bounds) -> int:
        if position == EventPosition.earliest():
            return bounds.earliest
        if position == EventPosition.latest():
            return bounds.latest
        if position.by == "sequence number" and isinstance(position.value, int):
            return position.value if position.inclusive else position.value + 1
        if bounds.is_empty or is_after_last(position, bounds):
            return bounds.latest
        return self._found(position, partition)

    def _found(self, position: EventPosition, partition: int) -> int:
        """The sequence number of the first event at a position, which only receiving it shows."""
        columns = Columns(partition, None)
        end = self.clock() + self._settings.address.timeout
        link = self._link_at(partition, position)
        try:
            link.open()
            while self.clock() < end:
                for message in link.receive(1, 1.0):
                    number = columns.add(message, columns.add(message, -1))
                    event = columns.batch().select(["offset", "enqueuedTime"]).to_pylist()[0]
                    if _is_at_or_after(event, position):
                        return number
        finally:
            link.close()
        raise failure(
            "EVENTHUBS_TIMEOUT",
            hub=self.place.hub,
            namespace=self.place.namespace,
            doing=f"looking for a position in partition {partition} for consumer group {self.place.group}",
            said="no event arrived, although the partition is not empty",
        )


class StreamPlanner:
    """Where the batches of a stream start and end. It keeps nothing that a restarted query would need."""

    def __init__(self, settings: ReadSettings, planner: Planner) -> None:
        """Does not ask yet."""
        self._settings = settings
        self._planner = planner
        self._hub = settings.address.hub
        self._last: Snapshot | None = None
        self._is_last_new = False
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
        snapshot = self._believed(self._next(), positions)
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
        snapshot = self._last or self._next()
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
            self._last, self._is_last_new = self._planner.snapshot(), True
        return self._last

    def _next(self) -> Snapshot:
        if self._last is None or self._is_last_new:
            snapshot, self._is_last_new = self._first(), False
            return snapshot
        return self._again()

    def _again(self) -> Snapshot:
        before, snapshot = self._last, self._planner.snapshot()
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
        since, answers = self._planner.clock(), 1
        sought = {each: at for each, at in positions.items() if each not in self._gone}
        while _lacks(snapshot, sought) and not is_agreed(answers, self._planner.clock() - since, timeout):
            self._planner.sleep(agree_seconds(timeout) / 4)
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


def _lacks(snapshot: Snapshot, positions: Mapping[int, int]) -> bool:
    return any(
        partition not in snapshot.info.partitions
        or (partition in snapshot.bounds and snapshot.bounds[partition].latest < known)
        for partition, known in positions.items()
    )


def _is_at_or_after(event: Mapping[str, Any], position: EventPosition) -> bool:
    """The service may begin with events that are older than the position."""
    if isinstance(position.value, datetime):
        time_of = event["enqueuedTime"]
        wanted = up_to_millis(position.value)
        return bool(time_of >= wanted if position.inclusive else time_of > position.value)
    found, sought = str(event["offset"]), str(position.value)
    if found == sought:
        return position.inclusive
    numbers = [text.split(":") for text in (found, sought)]
    if len(numbers[0]) == len(numbers[1]) and all(each.isdecimal() for parts in numbers for each in parts):
        return [int(each) for each in numbers[0]] > [int(each) for each in numbers[1]]
    return True
