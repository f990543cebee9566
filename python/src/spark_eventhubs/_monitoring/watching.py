"""`watch`: a live view of streaming queries in a terminal, a notebook or a log."""

from __future__ import annotations

import signal
import sys
import threading
from contextlib import contextmanager, suppress
from datetime import timedelta
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Final, Literal, Protocol, get_args

from spark_eventhubs._monitoring.log import LogDisplay
from spark_eventhubs._monitoring.notebook import NotebookDisplay, is_notebook
from spark_eventhubs._monitoring.queries import WatchedQuery, error_sentence, find_queries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from types import FrameType, TracebackType
    from typing import TextIO

    from pyspark.sql import SparkSession
    from typing_extensions import Self

    from spark_eventhubs._monitoring.queries import Query

Output = Literal["auto", "terminal", "notebook", "log"]
_INTERVAL: Final = timedelta(seconds=1)


class Display(Protocol):
    """Where a view is shown."""

    def open(self) -> None: ...
    def show(self, queries: Sequence[WatchedQuery]) -> None: ...
    def note(self, sentence: str) -> None: ...
    def close(self) -> None: ...


class _NoAnswerError(Exception):
    """Spark is gone. A failure of the display is not one of Spark."""


class Watch:
    """A view that is updated until its queries end, or until `stop`. As a context manager it stops with the block."""

    def __init__(self, queries: Callable[[], list[Query]], display: Display, interval: timedelta) -> None:
        self._queries = queries
        self._display = display
        self._interval = interval.total_seconds()
        self._watched: dict[str, WatchedQuery] = {}
        self._is_stopping = False
        self._wakeups: SimpleQueue[None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="spark-eventhubs-watch", daemon=True)

    def start(self) -> Self:
        """Updates the view in a thread. Returns at once."""
        # Here and not in the thread: a notebook drops an output that a cell gets after its end.
        self._display.open()
        self._thread.start()
        return self

    def stop(self) -> None:
        """Shows the state once more and ends the view. The queries continue. May be called more than once."""
        self._end_soon()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join()

    def wait(self) -> None:
        """Shows the view until its queries end, or until Ctrl-C, which the queries do not notice."""
        with _ctrl_c(self._end_soon):
            self._display.open()
            self._run()

    def __enter__(self) -> Self:
        """Returns the view."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ends the view."""
        self.stop()

    def _run(self) -> None:
        try:
            while self._update() and not self._wait():
                pass
            if self._is_stopping and self._update():
                self._display.note("stopped watching; the query continues")
        except _NoAnswerError as failure:
            self._display.note(f"stopped watching, because Spark does not answer: {failure}")
        finally:
            self._display.close()

    def _end_soon(self) -> None:
        """May be called by a signal handler. Its thread may hold the lock of an Event, but never that of this queue."""
        self._is_stopping = True
        self._wakeups.put(None)

    def _wait(self) -> bool:
        """Waits for the interval. Whether the view is to end."""
        with suppress(Empty):
            self._wakeups.get(timeout=max(0.0, self._interval))
        return self._is_stopping

    def _update(self) -> bool:
        """Asks Spark and shows the answer. Whether a query is active."""
        try:
            queries = self._ask()
        except Exception as failure:  # noqa: BLE001 - py4j and gRPC report it with types of their own
            raise _NoAnswerError(error_sentence(failure)) from None
        if queries:
            self._display.show(queries)
        else:
            self._display.note("no streaming query is active")
        return any(each.is_active for each in queries)

    def _ask(self) -> list[WatchedQuery]:
        for query in self._queries():
            if str(query.runId) not in self._watched:
                self._watched[str(query.runId)] = WatchedQuery(query)
        queries = list(self._watched.values())
        for watched in queries:
            if watched.is_active:
                watched.update()
        return queries


def watch(
    target: Query | Iterable[Query] | SparkSession,
    *,
    top: int | None = None,
    interval: timedelta = _INTERVAL,
    output: Output = "auto",
    file: TextIO | None = None,
) -> None:
    """Shows a query, several, or all active queries of a session, and returns when they have ended.

    A terminal gets a table that is updated in place, a notebook an output that is updated, anything else a line for
    each progress report. `output` chooses one of these, and `file` replaces standard output. Works with classic PySpark
    and over Spark Connect. Ctrl-C, or an interrupt of the notebook's cell, ends the view and not the query.

    Args:
        target: a `StreamingQuery`, several, or a `SparkSession`; queries that start later are added.
        top: how many partitions to name, those with the largest lag; by default what fits, at most 16.
        interval: time between two looks at the queries.
        output: `auto`, `terminal`, `notebook` or `log`.
        file: where a terminal view or log lines go.

    Raises:
        TypeError: `target` has no queries, or `interval` is no timedelta.
        ValueError: an unknown `output`.
    """
    _new_watch(target, top=top, interval=interval, output=output, file=file).wait()


def start_watch(
    target: Query | Iterable[Query] | SparkSession,
    *,
    top: int | None = None,
    interval: timedelta = _INTERVAL,
    output: Output = "auto",
    file: TextIO | None = None,
) -> Watch:
    """As `watch`, in a thread: returns at once. End the view with `stop()`, or use it in a `with` block.

    Raises:
        TypeError, ValueError: as `watch`.
    """
    return _new_watch(target, top=top, interval=interval, output=output, file=file).start()


def _new_watch(
    target: Query | Iterable[Query] | SparkSession,
    *,
    top: int | None,
    interval: timedelta,
    output: Output,
    file: TextIO | None,
) -> Watch:
    if not isinstance(interval, timedelta):
        raise TypeError(f"interval is {interval!r}; expected a timedelta such as timedelta(seconds=1)")
    if output not in get_args(Output):
        raise ValueError(f"output is {output!r}; expected one of {', '.join(get_args(Output))}")
    return Watch(find_queries(target), _display(output, file, top), interval)


def _display(output: Output, file: TextIO | None, top: int | None) -> Display:
    if output == "notebook" or (output == "auto" and file is None and is_notebook()):
        return NotebookDisplay(top=top)
    # Objects that replace standard output, as some platforms have, may lack the method.
    is_terminal = getattr(file or sys.stdout, "isatty", bool)
    if output == "terminal" or (output == "auto" and is_terminal()):
        from spark_eventhubs._monitoring.terminal import terminal_display  # noqa: PLC0415 - rich takes long to import

        return terminal_display(file, top=top)
    return LogDisplay(file)


@contextmanager
def _ctrl_c(handle: Callable[[], None]) -> Iterator[None]:
    """Replaces what Ctrl-C does. PySpark's own handler cancels all Spark jobs, also those of the query."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def once(_number: int, _frame: FrameType | None) -> None:
        # A second Ctrl-C ends the program, if Spark hangs.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        handle()

    before = signal.signal(signal.SIGINT, once)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before or signal.SIG_DFL)
