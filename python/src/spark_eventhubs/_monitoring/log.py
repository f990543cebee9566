"""Watching in a log: one line for each new progress report."""

from __future__ import annotations

import sys
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Final

from spark_eventhubs._monitoring.formats import count, duration, rate
from spark_eventhubs._monitoring.history import History
from spark_eventhubs._monitoring.summary import warnings_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

    from spark_eventhubs._monitoring.queries import WatchedQuery
    from spark_eventhubs._monitoring.reports import ProgressReport

_OLD_REPORTS: Final = 10


class LogDisplay:
    """Writes plain lines to a text file, standard output by default. Of what was reported before, it shows 10 lines."""

    def __init__(self, file: TextIO | None = None) -> None:
        self._file = file or sys.stdout
        # By run. A line says what was known at its report, also when several reports come together.
        self._histories: dict[str, History] = {}
        self._ended: set[str] = set()

    def open(self) -> None:
        """Nothing has to be prepared."""

    def show(self, queries: Sequence[WatchedQuery]) -> None:
        """Writes the new reports, and the end of queries."""
        for query in queries:
            # The run may have a hundred older reports when watching begins. As `tail` does, show a few.
            is_known = query.run_id in self._histories
            history = self._histories.setdefault(query.run_id, History())
            shown = query.new_reports if is_known else query.new_reports[-_OLD_REPORTS:]
            for report in query.new_reports:
                # The last reports of a query that has ended come again.
                if history.add([report]) and report in shown:
                    self.note(_line(query.name, history, report), at=report.ended)
            if not query.is_active and query.run_id not in self._ended:
                self._ended.add(query.run_id)
                self.note(f"{query.name} {query.state}" + (f": {query.error}" if query.error else ""))

    def note(self, sentence: str, *, at: datetime | None = None) -> None:
        """Writes a line with its time in UTC."""
        moment = (at or datetime.now(timezone.utc)).astimezone(timezone.utc)
        # A name may have characters that the file's encoding lacks, such as that of a pipe on Windows.
        encoding = getattr(self._file, "encoding", None) or "utf-8"
        shown = sentence.encode(encoding, "backslashreplace").decode(encoding)
        self._file.write(f"{moment:%Y-%m-%dT%H:%M:%SZ} {shown}\n")
        self._file.flush()

    def close(self) -> None:
        """The file stays open, because it belongs to the caller."""


def _line(name: str, history: History, report: ProgressReport) -> str:
    took = report.duration.total_seconds()
    parts = [
        f"{name} batch {report.batch_id}: {count(report.rows)} rows in {duration(took)}",
        f"input {rate(report.input_rate)}",
        f"processed {rate(report.process_rate)}",
    ]
    for source in report.sources:
        if source.is_event_hub:
            slowest = f", partition {source.slowest}"
            lag = f" ({duration(source.seconds_behind)}{slowest})" if source.events_behind else ""
            parts.append(f"{count(source.events_behind)} {source.unit} behind{lag}")
    if history.fraction_done is not None:
        left = history.time_left
        parts.append(
            f"{history.fraction_done:.0%} done, {duration(None if left is None else left.total_seconds())} left"
        )
    return ", ".join([*parts, *warnings_of(report)])
