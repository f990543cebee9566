"""Reads a range of one partition: each sequence number once, in order. A gap is explained, or it fails the task."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Final

from spark_eventhubs.errors import EventHubsError
from spark_eventhubs.pure._amqp_values import MalformedMessageError
from spark_eventhubs.pure._columns import Columns
from spark_eventhubs.pure._errors import failure, may_pass
from spark_eventhubs.pure._partitions import Place
from spark_eventhubs.pure._ranges import is_agreed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Protocol

    import pyarrow as pa

    from spark_eventhubs.pure._partitions import Bounds, HubInfo
    from spark_eventhubs.pure._ranges import Range
    from spark_eventhubs.pure._settings import ReadSettings

    class Link(Protocol):
        """What a reader needs of an `EventLink`."""

        def open(self) -> None:
            """Attaches it."""

        def receive(self, most: int, seconds: float) -> list[bytes]:
            """The messages that came."""

        def hub(self) -> HubInfo:
            """The hub to which it leads."""

        def bounds(self, partition: int) -> Bounds:
            """What the partition retains."""

        def close(self) -> None:
            """Ends it."""


_LOGGER: Final = logging.getLogger(__name__)

_MOST_EVENTS: Final = 10_000
_MOST_BYTES: Final = 16 << 20
# Events on the way wait in the connection's buffers, and in memory while the service is asked a question.
_MOST_ON_THE_WAY: Final = 5_000
# Their size is not known yet. Later ones may be larger than the ones before, so the number grows slowly.
_FIRST_ON_THE_WAY: Final = 16
_GROWTH: Final = 2
_FEWEST_ON_THE_WAY: Final = 8
_SILENCE_SECONDS: Final = 2.0
_LONGEST_PAUSE: Final = 5.0


class RangeReader:
    """Reads one range. For one thread."""

    def __init__(
        self,
        settings: ReadSettings,
        wanted: Range,
        connect: Callable[[int], Link],
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`connect` makes a link that begins at a sequence number."""
        self._settings = settings
        self._wanted = wanted
        self._connect = connect
        self._clock, self._sleep = clock, sleep
        self._expected = wanted.start
        self._columns = Columns(wanted.partition, settings.address.hub if settings.include_event_hub else None)
        self._place = Place(settings.address.hub, settings.address.host, settings.group)
        self._link: Link | None = None
        self._has_read = False
        self._most = _FIRST_ON_THE_WAY
        self._suspected: int | None = None
        self._progress_at = clock()
        self._progress_to = wanted.start
        self._looks = 0
        self._doubts = 0
        self._doubtful_since = 0.0
        self._failures = 0

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The events, in Arrow batches that are bounded in events and bytes."""
        try:
            while self._expected < self._wanted.until:
                for message in self._messages():
                    if not self._take(message) or self._expected >= self._wanted.until:
                        break
                    if len(self._columns) >= _MOST_EVENTS or self._columns.size >= _MOST_BYTES:
                        yield self._columns.batch()
                        # The time that the rows took is no silence of the service.
                        self._progress_at = self._clock()
            if len(self._columns):
                yield self._columns.batch()
        finally:
            self._close()

    def _messages(self) -> list[bytes]:
        """The next messages; none after a silence."""
        # Messages alone are no progress: a question about a gap before them may fail each time.
        if self._expected > self._progress_to:
            self._progress()
        try:
            if self._link is None:
                self._link = self._connect(self._expected)
                self._link.open()
                self._verify(self._link)
            left = self._wanted.until - self._expected
            messages = self._link.receive(min(left, self._most), _SILENCE_SECONDS)
            if messages:
                mean = sum(map(len, messages)) // len(messages)
                fitting = min(_MOST_ON_THE_WAY, _GROWTH * self._most, _MOST_BYTES // max(1, mean))
                self._most = max(_FEWEST_ON_THE_WAY, fitting)
            else:
                self._look(self._link)
        except EventHubsError as error:
            self._begin_again(error)
            return []
        return messages

    def _begin_again(self, error: EventHubsError) -> None:
        """Another link follows, after a pause. An error that cannot pass, or lasts for too long, is raised."""
        self._close()
        if not may_pass(error) or self._clock() - self._progress_at > self._settings.address.timeout:
            raise error
        self._failures += 1
        self._sleep(min(0.1 * 2**self._failures, _LONGEST_PAUSE))

    def _take(self, message: bytes) -> bool:
        """Adds an event. False when another link begins, so that later messages of this one do not count."""
        number = self._added(message)
        if number <= self._expected - 1:
            # It was added, or the service began with older events than it was asked for.
            return True
        end = min(number, self._wanted.until)
        try:
            earliest = self._bounds().earliest
        except EventHubsError as error:
            self._begin_again(error)
            return False
        self._expire(min(earliest, end))
        if self._expected < end:
            if self._suspected != self._expected:
                self._suspected = self._expected
                self._close()
                return False
            if self._is_unread_start:
                self._expire(end)
            else:
                self._lose("GAP", end, f"event {number} came next, twice")
        if number < self._wanted.until:
            self._added(message)
        return True

    def _added(self, message: bytes) -> int:
        try:
            number = self._columns.add(message, self._expected)
        except MalformedMessageError as problem:
            raise failure(
                "EVENTHUBS_MALFORMED_EVENT",
                hub=self._place.hub,
                namespace=self._place.namespace,
                partition=self._wanted.partition,
                seqNo=self._expected,
                problem=problem,
            ) from None
        if number == self._expected:
            self._expected += 1
            self._has_read = True
            self._suspected = None
        return number

    def _verify(self, link: Link) -> None:
        """A recreated hub has other events under the same numbers."""
        found = link.hub()
        if found.created != self._wanted.created:
            facts = "the range was planned for the hub of another creation time"
            raise self._place.lost("RECREATED", self._wanted.partition, self._expected, self._expected, facts)

    def _look(self, link: Link) -> None:
        """Asks what has become of events that do not come."""
        self._verify(link)
        bounds = link.bounds(self._wanted.partition)
        now = self._clock()
        timeout = self._settings.address.timeout
        if bounds.latest < self._wanted.until:
            self._doubtful_since = self._doubtful_since if self._doubts else now
            self._doubts += 1
            if is_agreed(self._doubts, now - self._doubtful_since, timeout):
                facts = f"the next event to arrive is {bounds.latest}, as {self._doubts} answers in a row say"
                self._lose("RECREATED", self._expected, facts)
                self._expected = self._wanted.until
            return
        self._doubts = 0
        self._expire(min(bounds.earliest, self._wanted.until))
        if self._expected >= self._wanted.until:
            return
        self._looks += 1
        if now - self._progress_at > timeout:
            raise failure(
                "EVENTHUBS_TIMEOUT",
                hub=self._place.hub,
                namespace=self._place.namespace,
                doing=f"reading partition {self._wanted.partition} from sequence number {self._expected}",
                said=f"no event came in {timeout:g} s, although the partition has some",
            )
        if self._looks > 1:
            self._close()

    def _bounds(self) -> Bounds:
        link = self._link
        if link is None:
            raise AssertionError("a message came over a link")
        return link.bounds(self._wanted.partition)

    @property
    def _is_unread_start(self) -> bool:
        return self._wanted.starts_at_earliest and not self._has_read

    def _expire(self, until: int) -> None:
        if until <= self._expected:
            return
        if self._is_unread_start:
            self._expected = until
        else:
            self._lose("EXPIRED", until, f"the first retained event is {until}, or a later one")

    def _lose(self, kind: str, until: int, facts: str) -> None:
        error = self._place.lost(kind, self._wanted.partition, self._expected, until, facts)
        if self._settings.fail_on_data_loss:
            raise error
        _LOGGER.warning("Continuing, because failOnDataLoss is false: %s", error)
        self._expected = until

    def _progress(self) -> None:
        self._progress_at, self._progress_to = self._clock(), self._expected
        self._looks = self._doubts = self._failures = 0

    def _close(self) -> None:
        link, self._link = self._link, None
        if link is not None:
            link.close()
