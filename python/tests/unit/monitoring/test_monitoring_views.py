"""Views of reports that real queries wrote: see recordings/README.md."""

from __future__ import annotations

import io
import json
import re
import sys
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal

import pytest
from rich.console import Console

from recorded import KINDS, RecordedQuery, on_screen, recorded, summary_of
from spark_eventhubs import plot_lag, plot_throughput, start_watch, watch
from spark_eventhubs._monitoring import notebook, terminal
from spark_eventhubs._monitoring.queries import WatchedQuery

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from matplotlib.figure import Figure

PNG = b"\x89PNG"


@pytest.mark.parametrize("kind", KINDS)
def test_the_log_of_an_available_now_query_counts_down_to_its_end(kind: str) -> None:
    log = io.StringIO()

    watch(RecordedQuery(recorded(kind, "available-now")), interval=timedelta(0), file=log)

    lines = log.getvalue().splitlines()
    assert re.search(r" copy batch 0: 3,000 rows in .*, 9,000 events behind \(.*\), 25% done, .* left$", lines[0])
    assert re.search(r" copy batch 3: 3,000 rows in .*, 0 events behind, 100% done, 0 s left$", lines[3])
    assert lines[-1].endswith(" copy ended")


@pytest.mark.parametrize("kind", KINDS)
def test_a_query_has_the_lag_of_each_partition_and_the_number_of_events_written(kind: str) -> None:
    first = summary_of(recorded(kind, "available-now")[:1])

    assert (first.behind, first.rows, first.written) == ("9,000", "3,000", "3,000")
    assert [row.label for row in first.sources[0].rows] == ["0", "1", "2", "3"]
    behind = [int(row.behind.replace(",", "")) for row in first.sources[0].rows]
    assert sum(behind) == 9000
    assert behind[3] == 0
    assert first.sources[0].rows[3].time_behind == "0 s"
    assert first.sources[0].title.startswith("telemetry in localhost")


@pytest.mark.parametrize("kind", KINDS)
def test_the_rates_of_a_running_query_are_known_after_two_reports(kind: str) -> None:
    summary = summary_of(recorded(kind, "continuous"))

    assert all(re.fullmatch(r"[\d,.]+/s", text) for text in (summary.arrival_rate, summary.process_rate))
    assert summary.fraction_done is None
    assert re.fullmatch(r"[\d,.]+/s", summary.sources[0].total.read_rate)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("trigger", ["available-now", "continuous"])
def test_a_terminal_of_80_columns_cuts_nothing_off(kind: str, trigger: str) -> None:
    one = summary_of(recorded(kind, trigger))

    for screen in (on_screen([one]), on_screen([one, one])):
        assert "…" not in screen
        assert max(map(len, screen.splitlines())) <= 80


def test_a_wide_terminal_says_when_each_of_several_queries_ends() -> None:
    one = replace(summary_of(recorded("classic-4.2", "available-now")[:2]), state="running")

    wide, narrow = (on_screen([one, one], width=width) for width in (120, 80))

    assert one.time_left != "-"
    assert wide.count(f"50% done, {one.time_left} left") == 2
    assert narrow.count("50% done") == 2
    assert "left" not in narrow


def test_a_log_has_each_report_once_when_one_query_ends_before_the_other() -> None:
    log = io.StringIO()
    queries = [RecordedQuery(recorded("classic-4.2", trigger)) for trigger in ("available-now", "continuous")]

    watch(queries, interval=timedelta(0), file=log)

    lines = log.getvalue().splitlines()
    assert len(lines) == len(set(lines)) == 4 + 12 + 2
    assert [line.split()[1] for line in lines if line.endswith(" ended")] == ["copy", "flights"]


def many_partitions() -> list[dict[str, Any]]:
    """A recorded report, with 32 partitions in place of its four. Partition n is n * 1,000 events behind."""
    report = recorded("classic-4.2", "available-now")[0]
    source = report["sources"][0]
    source["endOffset"] = {"telemetry": {str(partition): 500 for partition in range(32)}}
    source["latestOffset"] = {"telemetry": {str(partition): 500 + 1000 * partition for partition in range(32)}}
    source["metrics"]["secondsBehind"] = json.dumps({str(partition): 1.5 * partition for partition in range(30)})
    return [report]


def test_of_many_partitions_those_with_the_largest_lag_are_named_and_the_others_summed() -> None:
    source = summary_of(many_partitions(), top=3).sources[0]

    assert [(row.label, row.behind, row.time_behind) for row in source.rows] == [
        ("31", "31,000", "-"),
        ("30", "30,000", "-"),
        ("29", "29,000", "44 s"),
        ("29 others", "406,000", "42 s"),
    ]
    assert (source.total.label, source.total.behind) == ("total", "496,000")


def test_a_low_terminal_shows_all_of_the_view() -> None:
    file = io.StringIO()
    console = Console(file=file, width=80, height=24, force_terminal=True, color_system=None)
    display = terminal.TerminalDisplay(console)
    query = WatchedQuery(RecordedQuery(many_partitions()))
    query.update()

    display.open()
    display.show([query])
    shown = file.getvalue()
    display.close()

    assert "31,000" in shown
    assert "total" in shown
    assert shown.rstrip().endswith("╯")


@pytest.mark.parametrize("output", ["log", "terminal"])
def test_an_error_is_shown_once_and_without_a_stack_trace(output: Literal["log", "terminal"]) -> None:
    failure = ValueError(
        "[STREAM_FAILED] Query terminated with exception: [EVENTHUBS_NOT_FOUND] No hub.\n\nJVM\n\tat a.B"
    )
    screen = io.StringIO()

    watch(
        RecordedQuery(recorded("classic-4.2", "available-now"), failure=failure),
        interval=timedelta(0),
        output=output,
        file=screen,
    )

    assert screen.getvalue().count("[EVENTHUBS_NOT_FOUND] No hub.") == 1
    assert "failed" in screen.getvalue()
    assert "at a.B" not in screen.getvalue()


def test_a_view_ends_when_spark_is_gone() -> None:
    class Gone(RecordedQuery):
        @property
        def isActive(self) -> bool:  # noqa: N802
            raise ConnectionError("Connection refused\n\tat py4j")

    log = io.StringIO()
    start_watch(Gone(recorded("classic-4.2", "available-now")), file=log).stop()
    assert log.getvalue().endswith("stopped watching, because Spark does not answer: Connection refused\n")


@pytest.mark.parametrize("kind", KINDS)
def test_a_notebook_shows_the_same_numbers(kind: str) -> None:
    first = summary_of(recorded(kind, "available-now")[:1])

    one, two = notebook.render([first]), notebook.render([first, first])

    assert one.count("<tr>") == 2 + 6
    assert ">9,000</td>" in one
    assert "25% done" in one
    assert two.count(">9,000</td>") == 2


def test_what_is_not_a_query_is_refused() -> None:
    with pytest.raises(TypeError, match=r"expected a StreamingQuery, several of them or a SparkSession.*type str"):
        watch(["telemetry"])  # type: ignore[list-item]


@pytest.mark.parametrize("plot", [plot_lag, plot_throughput])
@pytest.mark.parametrize("kind", KINDS)
def test_a_plot_is_a_figure_a_file_and_the_result_of_a_notebooks_cell(
    plot: Callable[..., Figure], kind: str, tmp_path: Path
) -> None:
    reports = recorded(kind, "continuous")

    figure = plot(reports, path=tmp_path / "plot.png")

    assert (tmp_path / "plot.png").read_bytes().startswith(PNG)
    assert figure._repr_png_().startswith(PNG)  # type: ignore[attr-defined]
    upper, lower = figure.axes
    assert len(list(upper.lines[-1].get_xdata())) == len(reports)  # type: ignore[arg-type]
    assert upper.get_ylabel() in ("events behind", "rows per second")
    assert lower.get_xlabel() == "UTC"


def test_the_lag_in_a_plot_is_that_of_the_reports() -> None:
    figure = plot_lag(recorded("classic-4.2", "available-now"))

    events = list(figure.axes[0].lines[0].get_ydata())  # type: ignore[arg-type]
    assert (events[0], events[-1]) == (9000, 0)


def test_the_plot_of_the_throughput_compares_arriving_and_processed_events() -> None:
    reports = recorded("classic-4.2", "continuous")
    rates = plot_throughput(reports).axes[0]

    legend = rates.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["arriving", "input", "processed"]
    assert len(list(rates.lines[0].get_xdata())) == len(reports) - 1  # type: ignore[arg-type]
    assert all(float(value) >= 0 for value in list(rates.lines[0].get_ydata()))  # type: ignore[arg-type]


def test_without_matplotlib_the_error_has_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ModuleNotFoundError, match=r"install it with: pip install 'matplotlib>=3\.8'"):
        plot_lag(recorded("classic-4.2", "continuous"))


def test_a_plot_without_reports_says_to_wait() -> None:
    with pytest.raises(ValueError, match="no progress report of an event hub yet; wait for the first micro-batch"):
        plot_lag([])
    with pytest.raises(ValueError, match="no progress report yet"):
        plot_throughput([])
