"""Watching in a terminal: a table that is updated in place."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Final

from rich import box
from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from spark_eventhubs.monitoring.formats import UNKNOWN
from spark_eventhubs.monitoring.summary import summarize

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

    from rich.console import RenderableType

    from spark_eventhubs.monitoring.queries import WatchedQuery
    from spark_eventhubs.monitoring.summary import LagRow, QuerySummary, SourceSummary

_STYLES: Final = {"running": "green", "ended": "cyan", "failed": "red"}
_BAR: Final = "cyan"
_BAR_CELLS: Final = 16
# Cells of a terminal that is wide enough for all columns.
_WIDE: Final = 100
# Lines of a view of one query that are not in the table of a source, and those of a table that are not its rows.
_LINES_OF_VIEW: Final = 9
_LINES_OF_TABLE: Final = 7
_FEWEST_ROWS: Final = 3
_MOST_ROWS: Final = 16


class TerminalDisplay:
    """A live view in a terminal. `top` is the number of partitions to name; None fits them into the window."""

    def __init__(self, console: Console, *, top: int | None = None) -> None:
        self._console = console
        self._top = top
        self._live = Live(console=console, auto_refresh=False)

    def open(self) -> None:
        """Starts the live view below the cursor."""
        self._live.start()

    def show(self, queries: Sequence[WatchedQuery]) -> None:
        """Replaces the view."""
        top = _fitting_rows(queries, self._console.height) if self._top is None else self._top
        view = render([summarize(query, top=top) for query in queries], width=self._console.width)
        # PySpark writes its own progress bar of stages into the line of the cursor, so that line stays empty.
        self._live.update(Group(view, Text()), refresh=True)

    def note(self, sentence: str) -> None:
        """Prints a line above the view."""
        self._console.print(Text(sentence))

    def close(self) -> None:
        """Leaves the last view on the screen."""
        self._live.stop()


def terminal_display(file: TextIO | None, *, top: int | None) -> TerminalDisplay:
    """A live view on standard output or on another terminal."""
    return TerminalDisplay(Console(file=file), top=top)


def render(queries: Sequence[QuerySummary], *, width: int = 80) -> RenderableType:
    """One query with its partitions, or several with one row each. `width` is that of the terminal, in cells."""
    if not queries:
        return Text("no streaming query yet", style="dim")
    return _one(queries[0]) if len(queries) == 1 else _several(queries, is_wide=width >= _WIDE)


def _fitting_rows(queries: Sequence[WatchedQuery], height: int) -> int:
    reports = [query.history.last for query in queries]
    tables = max((len([hub for hub in each.sources if hub.is_event_hub]) for each in reports if each), default=0)
    fitting = (height - _LINES_OF_VIEW) // max(1, tables) - _LINES_OF_TABLE
    return max(_FEWEST_ROWS, min(_MOST_ROWS, fitting))


def _one(query: QuerySummary) -> RenderableType:
    parts: list[RenderableType] = [_facts(query)]
    if query.fraction_done is not None and not query.error:
        parts.append(_done(query))
    for source in query.sources:
        parts += [Text(), Text(source.title, style="bold"), _lag_table(source)]
    if query.error:
        parts += [Text(), Text(query.error, style="red")]
    title = Text.assemble(
        (query.name, "bold not dim"),
        " ─ ",
        (query.state, f"{_STYLES[query.state]} not dim"),
        f" ─ batch {query.batch}",
    )
    activity = Text(query.activity) if query.activity else None
    return Panel(
        Group(*parts), title=title, title_align="left", subtitle=activity, subtitle_align="left", border_style="dim"
    )


def _facts(query: QuerySummary) -> Table:
    facts = Table.grid(padding=(0, 2), expand=True)
    for _ in range(3):
        facts.add_column(style="dim", no_wrap=True)
        facts.add_column(justify="right", no_wrap=True, ratio=1)
    lost = Text(query.lost, style="" if query.lost in {"0", UNKNOWN} else "bold red")
    facts.add_row("arriving", query.arrival_rate, "batch took", query.batch_duration, "behind", query.behind)
    facts.add_row("input", query.input_rate, "rows", query.rows, "time behind", query.time_behind)
    facts.add_row("processed", query.process_rate, "throttled", query.throttled, "lost", lost)
    if query.written:
        facts.add_row("", "", "written", query.written, "", "")
    return facts


def _done(query: QuerySummary) -> Table:
    line = Table.grid(padding=(0, 2), expand=True)
    line.add_column(ratio=1)
    line.add_column(no_wrap=True)
    fraction = query.fraction_done or 0.0
    left = f", {query.time_left} left" if query.state == "running" else ""
    bar = ProgressBar(total=1.0, completed=fraction, complete_style=_BAR, finished_style=_BAR)
    line.add_row(bar, f"{fraction:.0%} done{left}")
    return line


def _lag_table(source: SourceSummary) -> Table:
    table = Table(box=box.SIMPLE, show_edge=False, show_footer=True, pad_edge=False, header_style="dim")
    total = source.total
    table.add_column("partition", total.label, justify="right", no_wrap=True)
    table.add_column(f"{source.unit} behind", total.behind, justify="right", no_wrap=True)
    table.add_column("time behind", total.time_behind, justify="right", no_wrap=True)
    table.add_column("read", total.read_rate, justify="right", no_wrap=True)
    table.add_column("", width=_BAR_CELLS)
    for row in source.rows:
        table.add_row(row.label, row.behind, row.time_behind, row.read_rate, _bar(row))
    return table


def _bar(row: LagRow) -> Text:
    return Text("━" * ceil((row.share or 0.0) * _BAR_CELLS), style=_BAR)


def _several(queries: Sequence[QuerySummary], *, is_wide: bool) -> RenderableType:
    table = Table(box=box.SIMPLE, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    table.add_column("query", overflow="ellipsis", no_wrap=True, max_width=30 if is_wide else 15)
    headings = ["batch", "input", "processed", "behind", "time behind", *(["batch took"] if is_wide else [])]
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("state", no_wrap=True)
    for query in queries:
        cells = [query.batch, query.input_rate, query.process_rate, query.behind, query.time_behind]
        cells += [query.batch_duration] if is_wide else []
        table.add_row(query.name, *cells, _state(query))
    notes = [Text(f"{query.name}: {', '.join(query.warnings)}", style="yellow") for query in queries if query.warnings]
    errors = [Text(f"{query.name}: {query.error}", style="red") for query in queries if query.error]
    return Group(table, *notes, *errors)


def _state(query: QuerySummary) -> Text:
    is_counting = query.state == "running" and query.fraction_done is not None
    return Text(f"{query.fraction_done:.0%} done" if is_counting else query.state, style=_STYLES[query.state])
