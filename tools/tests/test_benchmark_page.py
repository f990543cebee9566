from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import benchmark_page
import benchmark_plot
import benchmark_sentences
from benchmark_cloud import cloud_goals
from benchmark_latency import latency_table
from benchmark_results import Case, Results

if TYPE_CHECKING:
    from pathlib import Path

MACHINE = {
    "processor": "a processor",
    "cores": 2,
    "memory": "8 GB",
    "system": "Linux",
    "java": "a JVM",
    "spark": "4.2.0",
    "eventHubsSdk": "5.21.3",
    "kafkaClient": "3.9.2",
    "plan": "quick",
    "date": "2026-01-31T12:00:00Z",
    "minutes": 14,
    "commit": "abc1234",
    "otherCores": 0.1,
}


def case(name: str, system: str, rate: float, **fields: object) -> Case:
    api_version = {"sdk": None, "spark-eventhubs": "v2" if name.startswith("stream") else "v1", "spark-kafka": "v1"}[
        system
    ]
    return Case(
        {
            "name": name,
            "system": system,
            "apiVersion": api_version,
            "bodyBytes": 1024,
            "partitions": 4,
            "content": "bare",
            "sink": "noop" if "read" in name else None,
            "eventsPerSecond": rate,
            "megabytesPerSecond": rate * 1024 / 1e6,
            "spread": 0.1,
            "cpuMicrosPerEvent": 2.0,
            "jitShare": 0.2,
            "serverCpuMicrosPerEvent": 1.0,
            "serverCores": 0.4,
            "allocatedBytesPerEvent": 3000,
            "peakRssBytes": 800_000_000,
            **fields,
        }
    )


def reached(*cases: Case) -> dict[str, bool]:
    return {goal.text: goal.reached for goal in Results(list(cases)).goals()}


def in_cloud(name: str, system: str, rate: float, *, millis: int = 10, **fields: object) -> Case:
    return case(name, system, rate, profile="cloud", roundTripMillis=millis, **fields)


def test_the_goals_of_the_cloud_profile_compare_cases_of_the_same_distance() -> None:
    loopback = [case("batch-read", "spark-eventhubs", 9000), case("receive", "sdk", 100)]
    cloud = [
        in_cloud("receive", "sdk", 1000),
        in_cloud("batch-read", "spark-eventhubs", 900),
        in_cloud("batch-read", "spark-kafka", 451),
        in_cloud("batch-read", "spark-eventhubs", 1000, millis=0),
        in_cloud("stream-read", "spark-eventhubs", 2000, steady=True),
        in_cloud("stream-read", "spark-kafka", 1000, steady=True),
    ]
    goals = {goal.text: goal.reached for goal in cloud_goals(Results(loopback + cloud))}
    assert goals == {
        "batch read of 1 KB, compared with the SDK's receive: at least 0.9": True,
        "batch read of 1 KB, compared with Kafka's: at least 2": False,
        "streaming read of 1 KB in steady state, compared with Kafka's: at least 2": True,
        "batch read of 1 KB, compared with no distance: at least 0.9": True,
    }


def test_a_page_keeps_the_two_profiles_apart() -> None:
    cases = [case("batch-read", "spark-eventhubs", 900), in_cloud("batch-read", "spark-eventhubs", 500)]
    parts = benchmark_page.benchmark_parts(Results(cases), MACHINE)
    assert "500 ±" in parts["cloudRates"]
    assert "900 ±" not in parts["cloudRates"]
    assert "900 ±" in parts["reads"]
    assert "500 ±" not in parts["reads"]
    assert parts["steadyRates"] == "Not part of this run."


def test_the_summary_of_the_cloud_profile_compares_long_streams_with_kafka() -> None:
    cases = [
        case("batch-read", "spark-eventhubs", 9000),
        in_cloud("receive", "sdk", 1000),
        in_cloud("batch-read", "spark-eventhubs", 1500),
        in_cloud("stream-read", "spark-eventhubs", 800),
        in_cloud("stream-read", "spark-kafka", 100),
        in_cloud("stream-read", "spark-eventhubs", 600, steady=True),
        in_cloud("stream-read", "spark-kafka", 200, steady=True),
    ]
    rows = benchmark_page.benchmark_parts(Results(cases), MACHINE)["cloudSummary"].splitlines()
    assert rows[2] == "| batch read |  | 1.50 |  |  |  |  |"
    assert rows[3] == "| streaming read |  | 0.80 |  |  | 3.00 |  |"
    assert rows[-1] == "Streams are compared with Kafka's over more than a hundred micro-batches."
    short = benchmark_page.benchmark_parts(Results(cases[:-2]), MACHINE)["cloudSummary"].splitlines()
    assert short[3] == "| streaming read |  | 0.80 |  |  | 8.00 |  |"
    assert short[-1] == "Streams are compared with Kafka's over two to seven micro-batches."


def test_a_run_of_the_cloud_profile_alone_is_named() -> None:
    cloud = MACHINE | {"plan": "cloud", "commit": "def5678", "minutes": 61.0}
    parts = benchmark_page.benchmark_parts(Results([]), MACHINE | {"cloud": cloud})
    assert "`BENCH=cloud` of 2026-01-31T12:00:00Z, 61.0 minutes, at def5678" in parts["cloudRun"]
    assert "another machine" not in parts["cloudRun"]
    other = benchmark_page.benchmark_parts(Results([]), MACHINE | {"cloud": cloud | {"java": "a newer JVM"}})
    assert "other software: java a newer JVM." in other["cloudRun"]
    assert "abc1234" in parts["machine"]
    streams = cloud | {"plan": "streams"}
    both = benchmark_page.benchmark_parts(Results([]), MACHINE | {"cloud": cloud, "streams": streams})
    assert both["cloudRun"].startswith(parts["cloudRun"])
    assert "Its long streams and the rates at 0 ms were measured by `BENCH=streams` of" in both["cloudRun"]
    assert benchmark_page.benchmark_parts(Results([]), MACHINE)["cloudRun"] == ""
    assert benchmark_page.benchmark_parts(Results([]), MACHINE)["cloudSummary"] == "Not part of this run."


def test_a_goal_is_reached_at_its_factor_and_not_below_it() -> None:
    sdk = case("receive", "sdk", 1000)
    at = reached(sdk, case("batch-read", "spark-eventhubs", 900))
    below = reached(sdk, case("batch-read", "spark-eventhubs", 899))
    assert list(at.values()) == [True]
    assert list(below.values()) == [False]


def test_batch_writes_and_stream_writes_are_compared_with_the_sdk() -> None:
    sdk = case("send", "sdk", 1000)
    goals = reached(sdk, case("batch-write", "spark-eventhubs", 850), case("stream-write", "spark-eventhubs", 849))
    assert goals == {
        "batch write of 1 KB, compared with the SDK's producer: at least 0.85": True,
        "stream write of 1 KB, compared with the SDK's producer: at least 0.85": False,
    }


def test_the_exactly_once_goal_uses_the_ratio_of_neighbouring_passes() -> None:
    default = case("stream-write", "spark-eventhubs", 1000, apiVersion="v1")

    def goals(**fields: object) -> list[bool]:
        once = case("stream-write", "spark-eventhubs", 800, apiVersion="v1", deliveryGuarantee="exactly-once", **fields)
        return list(reached(default, once).values())

    assert goals() == [False]
    assert goals(ofDefault=0.9) == [True]
    assert goals(ofDefault=0.899) == [False]


def test_a_micro_batch_may_take_as_long_as_a_batch_read_plus_a_micro_batch_of_one_event() -> None:
    def goals(millis: float) -> dict[str, bool]:
        stream = {"eventsPerBatch": 1000, "oneEventBatchMillis": 100, "microBatchMillis": {"triggerExecution": millis}}
        return reached(
            case("batch-read", "spark-eventhubs", 1000), case("stream-read", "spark-eventhubs", 800, **stream)
        )

    assert list(goals(1150).values()) == [True]
    assert list(goals(1160).values()) == [False]


def test_a_goal_without_measurements_is_left_out() -> None:
    assert reached(case("batch-read", "spark-eventhubs", 900)) == {}


def test_results_with_the_same_case_twice_are_rejected() -> None:
    with pytest.raises(ValueError, match="the same"):
        Results([case("receive", "sdk", 1), case("receive", "sdk", 2)])


@pytest.mark.parametrize(
    ("page", "figure"), [("benchmarks.md", "| batch read |  | 0.91 |"), ("internals/benchmarks.md", "912,345 ± 5 %")]
)
def test_a_page_gets_the_figures_of_the_results_in_place_of_its_own(page: str, figure: str) -> None:
    results = Results([case("receive", "sdk", 1_000_000), case("batch-read", "spark-eventhubs", 912_345)])
    parts = benchmark_page.benchmark_parts(results, MACHINE)
    text = benchmark_page.filled((benchmark_page.DOCS / page).read_text(), parts)
    assert figure in text
    assert benchmark_page.filled(text, parts) == text


def test_prose_around_figures_stays_one_paragraph_of_short_lines() -> None:
    parts = {"rate": "one two three " * 10 + "four", "table": "| a |\n|---|"}
    text = f"{'word ' * 22}is <!--rate-->old<!--/--> here.\n\n<!--table-->\n\nold\n\n<!--/-->\nlast\nline\n"
    filled = benchmark_page.filled(text, parts)
    assert "<!--table-->\n\n| a |\n|---|\n\n<!--/-->\nlast\nline\n" in filled
    prose = filled.split("\n\n")[0].splitlines()
    assert [len(line) <= benchmark_page.LINE_LENGTH and not line.startswith("<") for line in prose] == [True] * 3


def test_the_first_screen_of_the_benchmark_page_shows_ratios_the_plot_and_how_to_run_it() -> None:
    first_screen = "\n".join((benchmark_page.DOCS / "benchmarks.md").read_text().splitlines()[:30])
    assert "| batch read | " in first_screen
    assert "benchmarks.svg" in first_screen
    assert "make bench BENCH=quick" in first_screen


def test_prose_with_figures_is_broken_into_short_lines_and_tables_and_code_stay_as_they_are() -> None:
    long_row = f"| {'cell ' * 40}|"
    page = f"# Title\n\n- {'word ' * 40}\n  <!--a-->more<!--/-->\n- next\n\n{long_row}\n\n```\n{'code ' * 40}\n```\n"
    lines = benchmark_page.reflowed(page).split("\n")
    assert [len(line) <= 120 for line in lines if "word" in line] == [True, True]
    assert lines[3].endswith("<!--a-->more<!--/-->")
    assert lines[3].startswith("  word")
    assert lines[4] == "- next"
    assert long_row in lines
    assert "code " * 40 in lines


def test_a_table_and_a_paragraph_of_a_list_entry_stay_in_it() -> None:
    row = f"  | {'cell ' * 40}|"
    page = f"- entry <!--a-->1<!--/-->\n  more\n\n{row}\n\n  {'word ' * 40}<!--b-->2<!--/-->\n- next\n"
    lines = benchmark_page.reflowed(page).split("\n")
    assert lines[:4] == ["- entry <!--a-->1<!--/--> more", "", row, ""]
    assert [line.startswith("  word") and len(line) <= 120 for line in lines[4:-2]] == [True, True]
    assert lines[-2:] == ["- next", ""]


def test_the_table_of_goals_shows_the_previous_run() -> None:
    def run(rate: float) -> Results:
        return Results([case("receive", "sdk", 1000), case("batch-read", "spark-eventhubs", rate)])

    before = run(800), {**MACHINE, "commit": "def5678"}
    parts = benchmark_page.benchmark_parts(run(950), MACHINE, before)
    assert "| 0.95 | yes | 0.80 |" in parts["goals"]
    assert "def5678" in parts["before"]
    assert "reached 0 of 1" in parts["before"]
    assert benchmark_page.benchmark_parts(run(950), MACHINE)["before"] == ""


def test_a_table_shows_a_ratio_to_the_sdk_only_together_with_the_sdk() -> None:
    full = {"content": "properties and keys"}
    cases = [
        case("send", "sdk", 1000),
        case("batch-write", "spark-eventhubs", 870, ofSdk=0.87),
        case("send", "sdk", 2000, **full),
        case("batch-write", "spark-eventhubs", 900, ofSdk=0.45, **full),
    ]
    parts = benchmark_page.benchmark_parts(Results(cases), MACHINE)
    assert "| 0.87 |" in parts["writes"]
    assert "0.45" not in parts["writes"]
    assert "900" in parts["writtenContent"]
    assert "0.45" not in parts["writtenContent"]


def test_batch_reads_are_also_compared_without_the_time_of_a_query_of_one_event() -> None:
    ours = case("batch-read", "spark-eventhubs", 400, events=1000, fixedMillis=500)
    theirs = case("batch-read", "spark-kafka", 250, events=1000, fixedMillis=2000)
    sentence = benchmark_page.without_fixed(Results([ours, theirs]))
    assert "runs at 500 events/s and Kafka's at 500: 1.00 times" in sentence
    assert benchmark_page.without_fixed(Results([ours])) == ""


def test_a_sentence_contains_the_ratio_of_each_measured_size() -> None:
    results = Results(
        [
            case("stream-read", "spark-eventhubs", 1500),
            case("stream-read", "spark-kafka", 1000),
            case("stream-read", "spark-eventhubs", 900, bodyBytes=100),
        ]
    )
    assert benchmark_sentences.sentences(results)["streamsOfKafka"] == "1.50 (1 KB)"


def test_a_sentence_without_measurements_says_so() -> None:
    sentences = benchmark_sentences.sentences(Results([case("receive", "sdk", 648_347)]))
    assert sentences.pop("sdkRates") == "648k (1 KB)"
    assert set(sentences.values()) == {benchmark_sentences.NOT_MEASURED}


def test_a_sentence_says_how_much_longer_a_micro_batch_took_than_expected() -> None:
    stream = {"eventsPerBatch": 1000, "oneEventBatchMillis": 100, "microBatchMillis": {"triggerExecution": 1210}}
    cases = [case("batch-read", "spark-eventhubs", 1000), case("stream-read", "spark-eventhubs", 800, **stream)]
    assert benchmark_sentences.sentences(Results(cases))["longerBatches"] == "+10 % (1 KB)"


def test_the_exactly_once_ratio_is_shown_per_pair_of_jvms_with_the_uncertainty_of_its_median() -> None:
    pairs = [0.8, 0.9, 0.95, 1.0]
    once = {"apiVersion": "v1", "deliveryGuarantee": "exactly-once", "ofDefault": 0.92, "ofDefaultOfJvms": pairs}
    sentences = benchmark_sentences.sentences(Results([case("stream-write", "spark-eventhubs", 800, **once)]))
    assert sentences["exactlyOnce"] == "8 % (1 KB)"
    assert "**0.92** at 1 KB" in sentences["exactlyOncePairs"]
    assert "0.80, 0.90, 0.95, 1.00" in sentences["exactlyOncePairs"]
    low, high = benchmark_sentences.nine_of_ten_medians(pairs)
    assert min(pairs) <= low < 0.92 < high <= max(pairs)
    assert benchmark_sentences.nine_of_ten_medians([0.9] * 4) == (0.9, 0.9)


def test_the_plot_contains_the_digest_of_its_results(tmp_path: Path) -> None:
    results = Results([case("receive", "sdk", 1000), case("batch-read", "spark-eventhubs", 900)])
    benchmark_plot.draw(results, tmp_path / "plot.svg", "digest-of-results")
    assert "digest-of-results" in (tmp_path / "plot.svg").read_text()


def test_the_pages_and_the_plot_show_the_latest_results() -> None:
    assert benchmark_page.pages(), "there are no benchmark results"
    assert benchmark_page.stale() == []


def test_the_latency_table_has_the_goal_of_each_profile_for_our_connector_alone() -> None:
    delays = {"rate": 1000, "events": 10000, "roundTripMillis": 0, "p50": 3, "p95": 9, "max": 80}
    table = latency_table(
        [
            {"profile": "cloud", "client": "spark-eventhubs", "p99": 45, **delays},
            {"profile": "loopback", "client": "spark-kafka", "p99": 50, **delays},
            {"profile": "loopback", "client": "spark-eventhubs", "p99": 19, **delays},
        ]
    )

    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in table.splitlines()[2:]]
    assert [(row[0], row[2], row[-1]) for row in rows] == [
        ("loopback", "spark-eventhubs", "below 20: yes"),
        ("loopback", "spark-kafka", ""),
        ("cloud", "spark-eventhubs", "below 45: **no**"),
    ]
