"""What a view of a query shows, as text: the same for a terminal, a notebook and a log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spark_eventhubs._monitoring.formats import count, duration, rate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_eventhubs._monitoring.history import History
    from spark_eventhubs._monitoring.queries import WatchedQuery
    from spark_eventhubs._monitoring.reports import PartitionReport, ProgressReport, SourceReport


@dataclass(frozen=True, kw_only=True)
class LagRow:
    """A partition, or several, in the table of a source. `share` is its part of the largest lag, from 0 to 1."""

    label: str
    behind: str
    time_behind: str
    read_rate: str
    share: float | None = None


@dataclass(frozen=True, kw_only=True)
class SourceSummary:
    """One event hub that a query reads. `unit` is what `behind` counts."""

    title: str
    unit: str
    rows: tuple[LagRow, ...]
    total: LagRow


@dataclass(frozen=True, kw_only=True)
class QuerySummary:
    """One query. `warnings` has what somebody should look at, such as losses."""

    name: str
    state: str
    batch: str
    arrival_rate: str
    input_rate: str
    process_rate: str
    batch_duration: str
    rows: str
    total_rows: str
    behind: str
    time_behind: str
    throttled: str
    lost: str
    written: str
    warnings: tuple[str, ...]
    fraction_done: float | None
    time_left: str
    activity: str
    error: str | None
    sources: tuple[SourceSummary, ...]


def summarize(query: WatchedQuery, *, top: int) -> QuerySummary:
    """The summary of a query now. Of a source with more than `top` partitions it names those with the largest lag."""
    history, report = query.history, query.history.last
    hubs = [(index, each) for index, each in enumerate(report.sources if report else ()) if each.is_event_hub]
    seconds = [each.seconds_behind for _, each in hubs if each.seconds_behind is not None]
    arrivals = [found for index, _ in hubs if (found := history.arrival_rate(index)) is not None]
    left = history.time_left
    return QuerySummary(
        name=query.name,
        state=query.state,
        batch=count(report.batch_id if report else None),
        arrival_rate=rate(sum(arrivals) if arrivals else None),
        input_rate=rate(report.input_rate if report else None),
        process_rate=rate(report.process_rate if report else None),
        batch_duration=duration(report.duration.total_seconds() if report else None),
        rows=count(report.rows if report else None),
        total_rows=count(history.total_rows),
        behind=count(sum(each.events_behind for _, each in hubs) if hubs else None),
        time_behind=duration(max(seconds) if seconds else None),
        throttled=count(_total(hubs, "throttled") + _sink(report, "throttledSends")),
        lost=count(_total(hubs, "lostEvents")),
        written=_written(report),
        warnings=warnings_of(report) if report else (),
        fraction_done=history.fraction_done,
        time_left=duration(None if left is None else left.total_seconds()),
        activity=query.activity,
        error=query.error,
        sources=tuple(_source_summary(each, history, index, top) for index, each in hubs),
    )


def _source_summary(source: SourceReport, history: History, index: int, top: int) -> SourceSummary:
    rates = history.read_rates(index)
    largest = max((each.events_behind for each in source.partitions), default=0)
    shown = list(source.partitions)
    if len(shown) > top:
        shown = sorted(shown, key=lambda each: (-each.events_behind, each.hub or "", each.partition))[:top]
    others = [each for each in source.partitions if each not in shown]
    rows = [
        _row(str(each.name), [each], rates, share=each.events_behind / largest if largest else 0.0) for each in shown
    ]
    if others:
        rows.append(_row(f"{len(others)} others", others, rates))
    total = _row("total", source.partitions, rates)
    return SourceSummary(
        title=source.title,
        unit=source.unit,
        rows=tuple(rows),
        total=total,
    )


def _row(
    label: str, partitions: Sequence[PartitionReport], rates: dict[int | str, float], *, share: float | None = None
) -> LagRow:
    seconds = [each.seconds_behind for each in partitions if each.seconds_behind is not None]
    known_rates = [rates[each.name] for each in partitions if each.name in rates]
    return LagRow(
        label=label,
        behind=count(sum(each.events_behind for each in partitions)),
        time_behind=duration(max(seconds) if seconds else None),
        read_rate=rate(sum(known_rates) if known_rates else None),
        share=share,
    )


def _total(hubs: Sequence[tuple[int, SourceReport]], metric: str) -> float:
    return sum(each.number(metric) or 0 for _, each in hubs)


def _sink(report: ProgressReport | None, metric: str) -> float:
    return float(report.sink.get(metric, 0)) if report else 0


def _written(report: ProgressReport | None) -> str:
    return count(_sink(report, "eventsSent")) if report and "eventsSent" in report.sink else ""


def warnings_of(report: ProgressReport) -> tuple[str, ...]:
    """What somebody should look at: losses and throttling since the start, and troubles of the last write."""
    hubs = [(0, each) for each in report.sources if each.is_event_hub]
    numbers = {
        "lost": _total(hubs, "lostEvents"),
        "throttled": _total(hubs, "throttled") + _sink(report, "throttledSends"),
        "sent again": _sink(report, "retriedSends"),
        "dropped": _sink(report, "droppedEvents"),
    }
    return tuple(f"{count(number)} {what}" for what, number in numbers.items() if number > 0)
