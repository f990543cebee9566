"""What several progress reports of one run say together: rates in the hub and the time to the end."""

from __future__ import annotations

from collections import deque
from datetime import timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spark_eventhubs._monitoring.reports import ProgressReport

# Rates are means over this time, because one micro-batch may be long or short.
_WINDOW: Final = timedelta(seconds=30)
_LONGEST: Final = 1000


class History:
    """The reports of one run of a query, oldest first. At most 1,000 are kept."""

    def __init__(self, reports: Iterable[ProgressReport] = ()) -> None:
        self._reports: deque[ProgressReport] = deque(maxlen=_LONGEST)
        self._first_with_end: ProgressReport | None = None
        self.total_rows = 0
        self.add(reports)

    @property
    def last(self) -> ProgressReport | None:
        """The newest report; None before the first."""
        return self._reports[-1] if self._reports else None

    def add(self, reports: Iterable[ProgressReport]) -> list[ProgressReport]:
        """Adds the reports that are new, and returns them."""
        # The same batch has several reports while there are no events. Their times differ.
        last = self.last
        new = [report for report in reports if last is None or report.ended > last.ended]
        self._reports.extend(new)
        self.total_rows += sum(report.rows for report in new)
        if self._first_with_end is None:
            self._first_with_end = next((each for each in new if each.events_left is not None), None)
        return new

    def arrival_rate(self, source: int = 0) -> float | None:
        """Events per second that arrive in the hub of a source, as a mean over the last 30 s or two reports."""
        first, last = self._window()
        if first is None or last is None:
            return None
        seconds = (last.ended - first.ended).total_seconds()
        return max(0, last.sources[source].newest - first.sources[source].newest) / seconds

    def read_rates(self, source: int = 0) -> dict[int | str, float]:
        """Events per second that the query reads from each partition, by its name, over the same time."""
        first, last = self._window()
        if first is None or last is None:
            return {}
        seconds = (last.ended - first.ended).total_seconds()
        before = {each.name: each.next_to_read for each in first.sources[source].partitions}
        return {
            each.name: max(0, each.next_to_read - before[each.name]) / seconds
            for each in last.sources[source].partitions
            if each.name in before
        }

    @property
    def fraction_done(self) -> float | None:
        """How much of its work a query with the trigger AvailableNow has done since the first report; else None."""
        first, last = self._first_with_end, self.last
        if first is None or last is None or first.events_left is None or last.events_left is None:
            return None
        whole = first.events_left + first.rows_with_end
        return 1.0 if whole == 0 else max(0.0, min(1.0, 1 - last.events_left / whole))

    @property
    def time_left(self) -> timedelta | None:
        """Until a query with the trigger AvailableNow ends, from the end of the last report, at its recent rate.

        None with other triggers and before the first events are read.
        """
        first, last = self._window()
        if last is None or last.events_left is None:
            return None
        if last.events_left == 0:
            return timedelta(0)
        # The first micro-batch is slow, because connections are opened in it. Later estimates leave it out.
        if first is None or first.events_left is None:
            read, took = last.rows_with_end, last.duration
        else:
            read, took = first.events_left - last.events_left, last.ended - first.ended
        return took * (last.events_left / read) if read > 0 else None

    def _window(self) -> tuple[ProgressReport | None, ProgressReport | None]:
        last = self.last
        if last is None:
            return None, None
        earlier = [each for each in self._reports if each.ended < last.ended and len(each.sources) == len(last.sources)]
        recent = [each for each in earlier if last.ended - each.ended <= _WINDOW]
        return (recent[0] if recent else earlier[-1] if earlier else None), last
