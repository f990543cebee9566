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

from spark_eventhubs._monitoring.formats import UNKNOWN
from spark_eventhubs._monitoring.summary import summarize

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

    from rich.console import RenderableType

    from spark_eventhubs._monitoring.queries import WatchedQuery
    from spark_eventhubs._monitoring.summary import LagRow, QuerySummary, SourceSummary

_STYLES: Final = {"running": "green", "ended": "cyan", "failed": "red"}
_BAR: Final = "cyan"
_BAR_CELLS: Final = 16
# Cells of a terminal that is wide enough for all columns, and of one that is too narrow for three facts in a row.
_WIDE: Final = 100
_NARROW: Final = 66
_FACTS_IN_A_ROW: Final = 3
_MORE_LINES_IF_NARROW: Final = 7
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
        height = self._console.height - (_MORE_LINES_IF_NARROW if self._console.width < _NARROW else 0)
        top = _fitting_rows(queries, height) if self._top is None else self._top
        view = render(
            [summarize(query, top=top) for query in queries],
            width=self._console.width,
            ascii_only=self._console.options.ascii_only,
        )
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


def render(queries: Sequence[QuerySummary], *, width: int = 80, ascii_only: bool = False) -> RenderableType:
    """One query with its partitions, or several with one row each.

    `width` is that of the terminal, in cells. With `ascii_only`, the terminal's encoding has no lines.
    """
    if not queries:
        return Text("no streaming query yet", style="dim")
    if len(queries) > 1:
        return _several(queries, width=width)
    return _one(queries[0], is_narrow=width < _NARROW, line="-" if ascii_only else "━")


def _fitting_rows(queries: Sequence[WatchedQuery], height: int) -> int:
    reports = [query.history.last for query in queries]
    tables = max((len([hub for hub in each.sources if hub.is_event_hub]) for each in reports if each), default=0)
    fitting = (height - _LINES_OF_VIEW) // max(1, tables) - _LINES_OF_TABLE
    return max(_FEWEST_ROWS, min(_MOST_ROWS, fitting))


def _one(query: QuerySummary, *, is_narrow: bool, line: str) -> RenderableType:
    parts: list[RenderableType] = [_facts(query, in_a_row=1 if is_narrow else _FACTS_IN_A_ROW)]
    if query.fraction_done is not None and not query.error:
        parts.append(_done(query))
    for source in query.sources:
        parts += [Text(), Text(source.title, style="bold"), _lag_table(source, is_narrow=is_narrow, line=line)]
    if query.error:
        parts += [Text(), Text(query.error, style="red")]
    title = Text.assemble(
        (query.name, "bold not dim"),
        f" {_dash(line)} ",
        (query.state, f"{_STYLES[query.state]} not dim"),
        f" {_dash(line)} batch {query.batch}",
    )
    activity = Text(query.activity) if query.activity else None
    return Panel(
        Group(*parts), title=title, title_align="left", subtitle=activity, subtitle_align="left", border_style="dim"
    )


def _dash(line: str) -> str:
    return "-" if line.isascii() else "─"


def _facts(query: QuerySummary, *, in_a_row: int) -> Table:
    facts = Table.grid(padding=(0, 2), expand=True)
    for _ in range(in_a_row):
        facts.add_column(style="dim", no_wrap=True)
        facts.add_column(justify="right", no_wrap=True, ratio=1)
    lost = Text(query.lost, style="" if query.lost in {"0", UNKNOWN} else "bold red")
    shown: list[tuple[str, str | Text]] = [
        ("arriving", query.arrival_rate),
        ("batch took", query.batch_duration),
        ("behind", query.behind),
        ("input", query.input_rate),
        ("rows", query.rows),
        ("time behind", query.time_behind),
        ("processed", query.process_rate),
        ("throttled", query.throttled),
        ("lost", lost),
    ]
    if query.written:
        shown += [("written", query.written)] if in_a_row == 1 else [("", ""), ("written", query.written)]
    for start in range(0, len(shown), in_a_row):
        facts.add_row(*(cell for fact in shown[start : start + in_a_row] for cell in fact))
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


def _lag_table(source: SourceSummary, *, is_narrow: bool, line: str) -> Table:
    table = Table(box=box.SIMPLE, show_edge=False, show_footer=True, pad_edge=False, header_style="dim")
    total = source.total
    headings = (
        ("", "behind", "time", "read") if is_narrow else ("partition", f"{source.unit} behind", "time behind", "read")
    )
    footers = (total.label, total.behind, total.time_behind, total.read_rate)
    for heading, footer in zip(headings, footers, strict=True):
        table.add_column(heading, footer, justify="right", no_wrap=True)
    if not is_narrow:
        table.add_column("", width=_BAR_CELLS)
    for row in source.rows:
        cells = (row.label, row.behind, row.time_behind, row.read_rate)
        table.add_row(*cells, *([] if is_narrow else [_bar(row, line)]))
    return table


def _bar(row: LagRow, line: str) -> Text:
    return Text(line * ceil((row.share or 0.0) * _BAR_CELLS), style=_BAR)


def _several(queries: Sequence[QuerySummary], *, width: int) -> RenderableType:
    is_wide, is_narrow = width >= _WIDE, width < _NARROW
    table = Table(box=box.SIMPLE, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    table.add_column("query", overflow="ellipsis", no_wrap=True, max_width=30 if is_wide else 15)
    all_headings = ["batch", "input", "processed", "behind", "time behind", *(["batch took"] if is_wide else [])]
    headings = ["behind", "time"] if is_narrow else all_headings
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("state", no_wrap=True)
    for query in queries:
        cells = [] if is_narrow else [query.batch, query.input_rate, query.process_rate]
        cells += [query.behind, query.time_behind, *([query.batch_duration] if is_wide else [])]
        # A text, because rich reads a name such as "orders [EU]" as markup.
        table.add_row(Text(query.name), *cells, _state(query, with_time_left=is_wide))
    notes = [Text(f"{query.name}: {', '.join(query.warnings)}", style="yellow") for query in queries if query.warnings]
    errors = [Text(f"{query.name}: {query.error}", style="red") for query in queries if query.error]
    return Group(table, *notes, *errors)


def _state(query: QuerySummary, *, with_time_left: bool) -> Text:
    shown = query.state
    if query.state == "running" and query.fraction_done is not None:
        shown = f"{query.fraction_done:.0%} done"
        if with_time_left and query.time_left != UNKNOWN:
            shown += f", {query.time_left} left"
    return Text(shown, style=_STYLES[query.state])
