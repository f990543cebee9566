"""Watching in a notebook: a table in the cell's output that is updated in place."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from spark_eventhubs._monitoring import html
from spark_eventhubs._monitoring.formats import UNKNOWN
from spark_eventhubs._monitoring.summary import summarize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_eventhubs._monitoring.queries import WatchedQuery
    from spark_eventhubs._monitoring.summary import QuerySummary, SourceSummary

_COLOURS: Final = {"running": "#0f7b6c", "ended": "#3b7dd8", "failed": "#c0392b"}
_MOST_ROWS: Final = 16


def is_notebook() -> bool:
    """Whether this process is the kernel of a notebook. IPython need not be installed."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return shell is not None and hasattr(shell, "kernel")


class NotebookDisplay:
    """A view in the output of a cell. `top` is the number of partitions to name, 16 by default."""

    def __init__(self, *, top: int | None = None) -> None:
        self._top = _MOST_ROWS if top is None else top
        self._handle: Any = None
        self._notes: list[str] = []
        self._body = ""

    def open(self) -> None:
        """Adds an output to the cell."""
        from IPython.display import HTML, display  # noqa: PLC0415 - only a notebook has it

        self._handle = display(HTML(html.paragraph("no progress yet")), display_id=True)

    def show(self, queries: Sequence[WatchedQuery]) -> None:
        """Replaces the output."""
        self._body = render([summarize(query, top=self._top) for query in queries])
        self._update()

    def note(self, sentence: str) -> None:
        """Adds a line below the view."""
        self._notes.append(sentence)
        self._update()

    def close(self) -> None:
        """The last view stays in the notebook."""

    def _update(self) -> None:
        from IPython.display import HTML  # noqa: PLC0415 - as above

        self._handle.update(HTML(self._body + "".join(html.paragraph(each) for each in self._notes)))


def render(queries: Sequence[QuerySummary]) -> str:
    """One query with its partitions, or several with one row each."""
    if not queries:
        return html.paragraph("no streaming query yet")
    return _one(queries[0]) if len(queries) == 1 else _several(queries)


def _one(query: QuerySummary) -> str:
    names = ["batch", "arriving", "input", "processed", "took", "rows", "behind", "time behind", "throttled", "lost"]
    values = [
        query.batch,
        query.arrival_rate,
        query.input_rate,
        query.process_rate,
        query.batch_duration,
        query.rows,
        query.behind,
    ]
    values += [query.time_behind, query.throttled, query.lost]
    if query.written:
        names, values = [*names, "written"], [*values, query.written]
    parts = [html.heading(query.name, query.state, _COLOURS[query.state]), html.table(names, [values])]
    if query.fraction_done is not None and not query.error:
        left = "" if query.state == "ended" else f", {query.time_left} left"
        parts.append(html.bar(query.fraction_done, f"{query.fraction_done:.0%} done{left}"))
    parts += [_source(each) for each in query.sources]
    if query.activity:
        parts.append(html.paragraph(query.activity, "#888"))
    if query.error:
        parts.append(html.paragraph(query.error, _COLOURS["failed"]))
    return "".join(parts)


def _source(source: SourceSummary) -> str:
    title = html.heading(source.title)
    rows = [[row.label, row.behind, row.time_behind, row.read_rate] for row in (*source.rows, source.total)]
    return title + html.table(["partition", f"{source.unit} behind", "time behind", "read"], rows, last_is_total=True)


def _several(queries: Sequence[QuerySummary]) -> str:
    headings = ["query", "batch", "input", "processed", "behind", "time behind", "took", "done", "left", "state"]
    rows = [
        [
            query.name,
            query.batch,
            query.input_rate,
            query.process_rate,
            query.behind,
            query.time_behind,
            query.batch_duration,
            UNKNOWN if query.fraction_done is None else f"{query.fraction_done:.0%}",
            query.time_left,
            query.state,
        ]
        for query in queries
    ]
    notes = [html.paragraph(f"{each.name}: {', '.join(each.warnings)}", "#b8860b") for each in queries if each.warnings]
    errors = [html.paragraph(f"{each.name}: {each.error}", _COLOURS["failed"]) for each in queries if each.error]
    return html.table(headings, rows) + "".join(notes + errors)
