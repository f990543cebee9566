"""Queries whose progress reports were recorded: see python/tests/unit/recordings/README.md."""

from __future__ import annotations

import io
import json
from typing import Any

from rich.console import Console

from pages import ROOT
from spark_eventhubs._monitoring import terminal
from spark_eventhubs._monitoring.queries import WatchedQuery
from spark_eventhubs._monitoring.summary import QuerySummary, summarize

RECORDINGS = ROOT / "python" / "tests" / "unit" / "recordings"
KINDS = ["classic-3.5", "classic-4.2", "connect-4.2"]


class RecordedQuery:
    """A query whose reports come one at a time from a recording. It ends after the last."""

    def __init__(self, reports: list[dict[str, Any]], *, failure: Exception | None = None) -> None:
        self._reports = reports
        self._shown = 0
        self._failure = failure
        self.id, self.runId, self.name = reports[0]["id"], reports[0]["runId"], reports[0]["name"]
        self.status = {"message": "Processing new data"}

    @property
    def isActive(self) -> bool:  # noqa: N802 - as in PySpark
        self._shown += 1
        return self._shown < len(self._reports)

    @property
    def recentProgress(self) -> list[dict[str, Any]]:  # noqa: N802
        return self._reports[: self._shown]

    @property
    def lastProgress(self) -> dict[str, Any] | None:  # noqa: N802
        return self.recentProgress[-1] if self.recentProgress else None

    def exception(self) -> Exception | None:
        return self._failure


def recorded(kind: str, trigger: str) -> list[dict[str, Any]]:
    reports: list[dict[str, Any]] = json.loads((RECORDINGS / f"{kind}-{trigger}.json").read_text(encoding="utf-8"))
    return reports


def summary_of(reports: list[dict[str, Any]], *, top: int = 16) -> QuerySummary:
    query = WatchedQuery(RecordedQuery(reports))
    for _ in reports:
        query.update()
    return summarize(query, top=top)


def on_screen(summaries: list[QuerySummary], *, width: int = 80) -> str:
    console = Console(file=io.StringIO(), width=width, color_system=None)
    console.print(terminal.render(summaries, width=width))
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()
