"""The streaming queries to watch: which they are, how they stand, and why they failed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final, Protocol

from spark_eventhubs._monitoring.history import History
from spark_eventhubs._monitoring.reports import parse_report

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import SparkSession

    from spark_eventhubs._monitoring.reports import ProgressReport

_OUR_SENTENCE: Final = re.compile(r"\[EVENTHUBS_[\w.]+\][^\n]*")
_SPARKS_PREAMBLE: Final = re.compile(r"^.*?terminated with (?:exception|error): ?", re.DOTALL)
_SQL_STATE: Final = re.compile(r"\s*SQLSTATE: \w{5}\s*$")


class Query(Protocol):
    """What this package uses of a `StreamingQuery`, classic or over Spark Connect."""

    @property
    def id(self) -> str: ...

    @property
    def runId(self) -> str: ...  # noqa: N802

    @property
    def name(self) -> str | None: ...

    @property
    def isActive(self) -> bool: ...  # noqa: N802

    @property
    def status(self) -> dict[str, Any]: ...

    @property
    def lastProgress(self) -> Any: ...  # noqa: ANN401, N802 - its type differs between versions

    @property
    def recentProgress(self) -> Sequence[Any]: ...  # noqa: N802

    def exception(self) -> Exception | None: ...


class WatchedQuery:
    """A query with the history of its run. `update` asks Spark."""

    def __init__(self, query: Query) -> None:
        self._query = query
        self._last_seen: object = None
        self.run_id = str(query.runId)
        self.name = query.name or f"query {str(query.id)[:8]}"
        self.history = History()
        self.new_reports: list[ProgressReport] = []
        self.is_active = True
        self.activity = ""
        self.error: str | None = None

    def update(self) -> None:
        """Takes the reports since the last call, and notices the end of the query."""
        # First the state: a query that was active here may still report, one that had ended has reported all.
        self.is_active = self._query.isActive
        self.new_reports = self._take_reports()
        self.activity = str(self._query.status.get("message", "")) if self.is_active else ""
        if not self.is_active:
            failure = self._query.exception()
            self.error = None if failure is None else error_sentence(failure)

    @property
    def state(self) -> str:
        """`running`, `ended` or `failed`."""
        return "running" if self.is_active else "failed" if self.error else "ended"

    def _take_reports(self) -> list[ProgressReport]:
        last = self._query.lastProgress
        if last is None or last == self._last_seen:
            return []
        self._last_seen = last
        reports = [parse_report(each) for each in self._query.recentProgress]
        return self.history.add(report for report in reports if report.run_id == self.run_id)


def find_queries(target: Query | Iterable[Query] | SparkSession) -> Callable[[], list[Query]]:
    """A function that returns the queries of `target` now: of a session those that are active.

    Raises:
        TypeError: `target` has no queries.
    """
    streams: Any = getattr(target, "streams", None)
    if streams is not None:
        return lambda: list(streams.active)
    given: list[Any] = list(target) if isinstance(target, Iterable) else [target]
    for each in given:
        # Not `isinstance` of the protocol: in Python 3.10 and 3.11 it evaluates each property, which asks Spark.
        if not hasattr(type(each), "recentProgress"):
            raise TypeError(
                f"expected a StreamingQuery, several of them or a SparkSession; this is of type {type(each).__name__}"
            )
    return lambda: given


def error_sentence(failure: BaseException) -> str:
    """The connector's own sentence, else the first line of what Spark says. Without stack trace and SQLSTATE."""
    text = str(failure).strip()
    ours = _OUR_SENTENCE.search(text)
    sentence = ours.group(0) if ours else (_SPARKS_PREAMBLE.sub("", text).strip() or text)
    lines = sentence.splitlines()
    return _SQL_STATE.sub("", lines[0]).strip() if lines else type(failure).__name__
