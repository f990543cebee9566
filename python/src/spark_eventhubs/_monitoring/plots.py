"""Plots of the lag and the throughput of a query, from its recent progress reports. They need matplotlib."""

from __future__ import annotations

import io
from datetime import timezone
from typing import TYPE_CHECKING, Any, Final

from spark_eventhubs._install import install
from spark_eventhubs._monitoring.history import History
from spark_eventhubs._monitoring.reports import parse_report

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime
    from os import PathLike

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from spark_eventhubs._monitoring.queries import Query
    from spark_eventhubs._monitoring.reports import ProgressReport, SourceReport

_SIZE: Final = (8.0, 4.5)
_BLUE: Final = "#1f6feb"
_GREEN: Final = "#1a7f37"
_ORANGE: Final = "#d9730d"


def plot_lag(source: Query | Iterable[object], *, path: str | PathLike[str] | None = None) -> Figure:
    """How far a query is behind: events in total and of the slowest partition, and seconds, over time (UTC).

    Spark keeps the last 100 progress reports (`spark.sql.streaming.numRecentProgressUpdates`).

    Args:
        source: a query, or progress reports that you collected, such as `event.progress` of a listener.
        path: a file to write, such as `lag.png`; the suffix chooses the format.

    Returns:
        The figure, which a notebook shows as the result of a cell.

    Raises:
        ModuleNotFoundError: matplotlib is not installed.
        ValueError: there is no report of an event hub yet.
    """
    reports = [each for each in _reports(source) if any(hub.partitions for hub in each.sources)]
    if not reports:
        raise ValueError("no progress report of an event hub yet; wait for the first micro-batch of the query")
    figure, (events, seconds) = _figure(2)
    units = {hub.unit for hub in _hubs(reports[-1])}
    _line(events, reports, lambda each: sum(hub.events_behind for hub in _hubs(each)), "all partitions", _BLUE)
    _line(events, reports, _slowest_partition, "slowest partition", _ORANGE)
    events.set_ylabel(f"{' or '.join(sorted(units))} behind")
    _line(seconds, reports, _seconds("maxSecondsBehind", max), "slowest partition", _ORANGE)
    _line(seconds, reports, _seconds("avgSecondsBehind", _mean), "mean of the partitions", _BLUE)
    seconds.set_ylabel("seconds behind")
    return _finish(figure, f"Lag of {_title(source)}", path)


def plot_throughput(source: Query | Iterable[object], *, path: str | PathLike[str] | None = None) -> Figure:
    """The rates of a query and the duration of each micro-batch, over time (UTC).

    The rates are events per second that arrive in the hub, and Spark's input and processed rows per second. The query
    falls behind while more events arrive than its input has.

    Arguments, result and errors are those of `plot_lag`.
    """
    reports = _reports(source)
    if not reports:
        raise ValueError("no progress report yet; wait for the first micro-batch of the query")
    figure, (rows, batches) = _figure(2)
    arrivals = _arrival_rates(reports)
    if arrivals:
        _line(rows, reports, lambda each: arrivals.get(each.ended), "arriving", _GREEN)
    _line(rows, reports, lambda each: each.input_rate, "input", _ORANGE)
    _line(rows, reports, lambda each: each.process_rate, "processed", _BLUE)
    rows.set_ylabel("rows per second")
    _line(batches, reports, lambda each: each.duration.total_seconds(), "micro-batch", _BLUE)
    batches.set_ylabel("seconds per micro-batch")
    return _finish(figure, f"Throughput of {_title(source)}", path)


def _reports(source: Any) -> list[ProgressReport]:  # noqa: ANN401 - a query or reports
    found = getattr(source, "recentProgress", source)
    reports = sorted((parse_report(each) for each in found), key=lambda each: each.ended)
    return [each for each in reports if each.run_id == reports[-1].run_id]


def _hubs(report: ProgressReport) -> list[SourceReport]:
    return [each for each in report.sources if each.partitions]


def _slowest_partition(report: ProgressReport) -> float:
    return max(each.events_behind for hub in _hubs(report) for each in hub.partitions)


def _seconds(metric: str, combine: Callable[[Sequence[float]], float]) -> Callable[[ProgressReport], float | None]:
    def value(report: ProgressReport) -> float | None:
        known = [number for hub in _hubs(report) if (number := hub.number(metric)) is not None]
        return combine(known) if known else None

    return value


def _arrival_rates(reports: Sequence[ProgressReport]) -> dict[datetime, float]:
    """By the end of a report, as a live view shows them; without the first, which has no earlier one."""
    history, found = History(), {}
    for report in reports:
        history.add([report])
        rates = [history.arrival_rate(index) for index, each in enumerate(report.sources) if each.is_event_hub]
        known = [rate for rate in rates if rate is not None]
        if known:
            found[report.ended] = sum(known)
    return found


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers)


def _title(source: object) -> str:
    name = getattr(source, "name", None)
    return str(name) if name else "the query"


def _figure(rows: int) -> tuple[Figure, Sequence[Axes]]:
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - matplotlib is optional
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError(
            f"plots need matplotlib; install it with: {install('plot')}", name=missing.name
        ) from None

    class NotebookFigure(Figure):
        """A figure without pyplot's state, which a notebook shows even where `%matplotlib inline` did not run."""

        def _repr_png_(self) -> bytes:
            png = io.BytesIO()
            self.savefig(png, format="png", dpi=96)
            return png.getvalue()

    figure = NotebookFigure(figsize=_SIZE, layout="constrained")
    return figure, figure.subplots(rows, 1, sharex=True)


def _line(
    axes: Axes,
    reports: Sequence[ProgressReport],
    value: Callable[[ProgressReport], float | None],
    label: str,
    colour: str,
) -> None:
    points: list[tuple[Any, float]] = [
        (each.ended.astimezone(timezone.utc), number) for each in reports if (number := value(each)) is not None
    ]
    axes.plot([time for time, _ in points], [number for _, number in points], label=label, color=colour, marker=".")


def _finish(figure: Figure, title: str, path: str | PathLike[str] | None) -> Figure:
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter  # noqa: PLC0415 - as above
    from matplotlib.ticker import EngFormatter  # noqa: PLC0415

    for axes in figure.axes:
        locator = AutoDateLocator(tz=timezone.utc)  # type: ignore[no-untyped-call]
        axes.xaxis.set_major_locator(locator)
        formatter = ConciseDateFormatter(locator, tz=timezone.utc)  # type: ignore[no-untyped-call]
        axes.xaxis.set_major_formatter(formatter)
        axes.set_ylim(bottom=0)
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
        if len(axes.lines) > 1:
            axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=3, frameon=False)
    figure.axes[0].yaxis.set_major_formatter(EngFormatter(sep=""))
    figure.axes[-1].set_xlabel("UTC")
    figure.suptitle(title, x=0.01, ha="left")
    if path is not None:
        figure.savefig(path, dpi=120)
    return figure
