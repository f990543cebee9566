"""Shows the progress of the replay and the queries."""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from py4j.protocol import Py4JError
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

if TYPE_CHECKING:
    from types import TracebackType

    from pyspark.sql.streaming.listener import StreamingQueryProgress
    from pyspark.sql.streaming.query import StreamingQuery
    from typing_extensions import Self

    from flight_replay import Replay

_SECONDS = 0.5


class Speed(ProgressColumn):
    """Rows per second of the last half minute."""

    def render(self, task: Task) -> Text:
        """The speed, or nothing before the first measurement."""
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:,.0f} rows/s")


class Watch:
    """A live view of the replay and its queries. `dropped` is the number of rows behind the watermark."""

    def __init__(self, replay: Replay, queries: list[StreamingQuery]) -> None:
        """The view starts with the `with` block."""
        self._replay = replay
        self._queries = queries
        self._dropped: dict[tuple[str, int], int] = {}
        self._bars = Progress(
            TextColumn("{task.description:>7}"),
            BarColumn(),
            MofNCompleteColumn(),
            Speed(),
            TextColumn("{task.fields[lag]}"),
            TimeElapsedColumn(),
        )
        self._sending = self._bars.add_task("replay", total=replay.total, completed=replay.sent, lag="")
        self._reading = [self._bars.add_task(query.name, total=replay.total, lag="") for query in queries]
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._follow, daemon=True)

    @property
    def dropped(self) -> int:
        """Rows that queries dropped because they were behind the watermark."""
        return sum(self._dropped.values())

    def raise_if_failed(self) -> None:
        """Raises the failure of a query, if one has failed."""
        for query in self._queries:
            failure = query.exception()
            if failure is not None:
                raise failure

    def until_all_is_read(self) -> None:
        """Waits until the queries have committed all events in the hub. Raises the failure of a query."""
        for query in self._queries:
            query.processAllAvailable()

    def __enter__(self) -> Self:
        """Starts the view."""
        self._bars.start()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Shows the final state and stops the queries."""
        self._ended.set()
        self._thread.join()
        if failure is None:
            self._show()
            for query in self._queries:
                query.stop()
        self._bars.stop()

    def _follow(self) -> None:
        # When Spark is gone, the main thread fails too and reports it.
        with suppress(Py4JError, OSError):
            while not self._ended.wait(_SECONDS):
                self._show()

    def _show(self) -> None:
        self._bars.update(self._sending, completed=self._replay.sent)
        for query, task in zip(self._queries, self._reading, strict=True):
            recent = query.recentProgress
            self._dropped |= {(query.name, each.batchId): _dropped(each) for each in recent}
            if recent:
                self._show_query(task, recent[-1])

    def _show_query(self, task: TaskID, progress: StreamingQueryProgress) -> None:
        read = _events_read(progress)
        self._bars.update(task, completed=read, lag=f"lag {max(0, self._replay.sent - read):,}")


def _events_read(progress: StreamingQueryProgress) -> int:
    # The offsets count all events since the first run, because sequence numbers start at 0.
    offsets = json.loads(progress.sources[0].endOffset or "{}") or {}
    return sum(until for partitions in offsets.values() for until in partitions.values())


def _dropped(progress: StreamingQueryProgress) -> int:
    return sum(operator.numRowsDroppedByWatermark for operator in progress.stateOperators)
