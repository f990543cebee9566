"""Resolves the positions of a query, and plans what a batch reads. One for each query, on the driver."""

from __future__ import annotations

import logging
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from spark_eventhubs.position import EventPosition
from spark_eventhubs.pure._columns import Columns
from spark_eventhubs.pure._errors import failure
from spark_eventhubs.pure._partitions import Place, is_after_last, up_to_millis
from spark_eventhubs.pure._ranges import Range

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spark_eventhubs.errors import EventHubsError
    from spark_eventhubs.pure._asking import HubQuestions, Snapshot
    from spark_eventhubs.pure._partitions import Bounds
    from spark_eventhubs.pure._reading import Link
    from spark_eventhubs.pure._settings import ReadSettings

_LOGGER: Final = logging.getLogger(__name__)


class Planner:
    """Resolves the positions of a query, and plans what a batch reads."""

    def __init__(
        self, settings: ReadSettings, questions: HubQuestions, link_at: Callable[[int, EventPosition], Link]
    ) -> None:
        """`link_at` makes a link to a partition that begins at a position."""
        self._settings = settings
        self._link_at = link_at
        self.questions = questions
        self.place = Place(settings.address.hub, settings.address.host, settings.group)

    def batch(self) -> list[Range]:
        """What a batch reads."""
        snapshot = self.questions.snapshot()
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
        return self.questions.repeated(lambda: self._found(position, partition))

    def _found(self, position: EventPosition, partition: int) -> int:
        """The sequence number of the first event at a position, which only receiving it shows."""
        columns = Columns(partition, None)
        end = self.questions.clock() + self._settings.address.timeout
        link = self._link_at(partition, position)
        try:
            link.open()
            while self.questions.clock() < end:
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
