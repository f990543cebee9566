"""Bars of stages, in a terminal or in a notebook."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final, Protocol

from spark_eventhubs._monitoring import html
from spark_eventhubs._monitoring.notebook import is_notebook

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TextIO

    from rich.console import RenderableType

_MOST_BARS: Final = 12
# Two live displays would write over each other.
_SHOWN: Final[ContextVar[tuple[TextIO | None, Bars] | None]] = ContextVar("shown bars", default=None)


class Bars(Protocol):
    """One bar for each stage."""

    def show(self, stage: int, completed: int, total: int) -> None:
        """Sets the tasks of a stage."""


@contextmanager
def new_bars(file: TextIO | None) -> Iterator[Bars]:
    """Bars that stay after the block: in the output of a notebook's cell, else on standard output or `file`.

    A block inside another one with the same output has its bars.
    """
    shown = _SHOWN.get()
    if shown is not None and shown[0] is file:
        yield shown[1]
        return
    with _opened(file) as bars:
        token = _SHOWN.set((file, bars))
        try:
            yield bars
        finally:
            _SHOWN.reset(token)


@contextmanager
def _opened(file: TextIO | None) -> Iterator[Bars]:
    if file is None and is_notebook():
        yield NotebookBars()
        return
    from rich.console import Console  # noqa: PLC0415 - rich takes long to import
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    class WithFreeLine(Progress):
        # PySpark writes its own progress bar of stages into the line of the cursor.
        def get_renderables(self) -> Iterable[RenderableType]:
            yield self.make_tasks_table(self.tasks)
            yield Text()

    columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("tasks")]
    with WithFreeLine(*columns, TimeElapsedColumn(), console=Console(file=file)) as progress:
        yield TerminalBars(progress)


class TerminalBars:
    """Bars of rich. Only the newest 12 are visible."""

    def __init__(self, progress: Any) -> None:  # noqa: ANN401 - rich is imported late
        self._progress = progress
        self._tasks: dict[int, Any] = {}
        self._lock = threading.Lock()

    def show(self, stage: int, completed: int, total: int) -> None:
        """Sets the tasks of a stage."""
        with self._lock:
            if stage not in self._tasks:
                self._tasks[stage] = self._progress.add_task(f"stage {stage}", total=total)
                for old in list(self._tasks.values())[:-_MOST_BARS]:
                    self._progress.update(old, visible=False)
            self._progress.update(self._tasks[stage], completed=completed, total=total)


class NotebookBars:
    """Bars in the output of a cell. Only the newest 12 are visible."""

    def __init__(self) -> None:
        self._stages: dict[int, tuple[int, int]] = {}
        self._handle: Any = None
        self._lock = threading.Lock()

    def show(self, stage: int, completed: int, total: int) -> None:
        """Sets the tasks of a stage."""
        from IPython.display import HTML, display  # noqa: PLC0415 - only a notebook has it

        with self._lock:
            self._stages[stage] = (completed, total)
            shown = list(self._stages.items())[-_MOST_BARS:]
            lines = [html.bar(done / of, f"stage {number}: {done:,} of {of:,} tasks") for number, (done, of) in shown]
            if self._handle is None:
                self._handle = display(HTML("".join(lines)), display_id=True)
            else:
                self._handle.update(HTML("".join(lines)))
