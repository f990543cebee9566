from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import benchmark_page
import benchmark_plot
import benchmark_sentences
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
    face = {"sdk": None, "spark-eventhubs": "v2" if name.startswith("stream") else "v1", "spark-kafka": "v1"}[system]
    return Case(
        {
            "name": name,
            "system": system,
            "face": face,
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


def test_a_goal_is_reached_at_its_factor_and_not_below() -> None:
    sdk = case("receive", "sdk", 1000)
    at = reached(sdk, case("batch-read", "spark-eventhubs", 900))
    below = reached(sdk, case("batch-read", "spark-eventhubs", 899))
    assert list(at.values()) == [True]
    assert list(below.values()) == [False]


def test_batches_and_streams_are_both_written_beside_the_sdk() -> None:
    sdk = case("send", "sdk", 1000)
    goals = reached(sdk, case("batch-write", "spark-eventhubs", 850), case("stream-write", "spark-eventhubs", 849))
    assert goals == {
        "batch write of 1 KB, of the SDK's producer: at least 0.85": True,
        "stream write of 1 KB, of the SDK's producer: at least 0.85": False,
    }


def test_exactly_once_is_judged_by_passes_next_to_each_other() -> None:
    default = case("stream-write", "spark-eventhubs", 1000, face="v1")

    def goals(**fields: object) -> list[bool]:
        once = case("stream-write", "spark-eventhubs", 800, face="v1", deliveryGuarantee="exactly-once", **fields)
        return list(reached(default, once).values())

    assert goals() == [False]
    assert goals(ofDefault=0.9) == [True]
    assert goals(ofDefault=0.899) == [False]


def test_a_micro_batch_may_take_what_its_events_and_an_empty_one_take() -> None:
    def goals(millis: float) -> dict[str, bool]:
        stream = {"eventsPerBatch": 1000, "oneEventBatchMillis": 100, "microBatchMillis": {"triggerExecution": millis}}
        return reached(
            case("batch-read", "spark-eventhubs", 1000), case("stream-read", "spark-eventhubs", 800, **stream)
        )

    assert list(goals(1150).values()) == [True]
    assert list(goals(1160).values()) == [False]


def test_what_was_not_measured_is_no_goal() -> None:
    assert reached(case("batch-read", "spark-eventhubs", 900)) == {}


def test_the_same_case_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="the same"):
        Results([case("receive", "sdk", 1), case("receive", "sdk", 2)])


def test_the_page_holds_the_figures_of_the_results_and_every_part_of_the_template() -> None:
    results = Results([case("receive", "sdk", 1_000_000), case("batch-read", "spark-eventhubs", 912_345)])
    text = benchmark_page.filled("benchmarks.md", benchmark_page.benchmark_parts(results, MACHINE))
    assert "912,345 ± 5 %" in text
    assert "abc1234" in text
    assert "{{" not in text


def test_the_goals_stand_beside_those_of_the_run_before() -> None:
    def run(rate: float) -> Results:
        return Results([case("receive", "sdk", 1000), case("batch-read", "spark-eventhubs", rate)])

    before = run(800), {**MACHINE, "commit": "def5678"}
    parts = benchmark_page.benchmark_parts(run(950), MACHINE, before)
    assert "| 0.95 | yes | 0.80 |" in parts["goals"]
    assert "def5678" in parts["before"]
    assert "reached 0 of 1" in parts["before"]
    assert benchmark_page.benchmark_parts(run(950), MACHINE)["before"] == ""


def test_a_ratio_to_the_sdk_stands_only_beside_its_case() -> None:
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


def test_batch_reads_are_also_compared_without_what_a_query_of_one_event_takes() -> None:
    ours = case("batch-read", "spark-eventhubs", 400, events=1000, fixedMillis=500)
    theirs = case("batch-read", "spark-kafka", 250, events=1000, fixedMillis=2000)
    sentence = benchmark_page.without_fixed(Results([ours, theirs]))
    assert "at 500 events/s and Kafka's at 500: 1.00 times" in sentence
    assert benchmark_page.without_fixed(Results([ours])) == ""


def test_sentences_name_a_ratio_for_each_size_that_was_measured_and_no_other() -> None:
    results = Results(
        [
            case("stream-read", "spark-eventhubs", 1500),
            case("stream-read", "spark-kafka", 1000),
            case("stream-read", "spark-eventhubs", 900, bodyBytes=100),
        ]
    )
    assert benchmark_sentences.sentences(results)["streamsOfKafka"] == "1.50 (1 KB)"


def test_a_sentence_without_figures_says_that_there_are_none() -> None:
    sentences = benchmark_sentences.sentences(Results([case("receive", "sdk", 648_347)]))
    assert sentences.pop("sdkRates") == "648k (1 KB)"
    assert set(sentences.values()) == {benchmark_sentences.NOT_MEASURED}


def test_a_sentence_says_how_much_longer_a_micro_batch_took_than_expected() -> None:
    stream = {"eventsPerBatch": 1000, "oneEventBatchMillis": 100, "microBatchMillis": {"triggerExecution": 1210}}
    cases = [case("batch-read", "spark-eventhubs", 1000), case("stream-read", "spark-eventhubs", 800, **stream)]
    assert benchmark_sentences.sentences(Results(cases))["longerBatches"] == "+10 % (1 KB)"


def test_exactly_once_is_told_pair_by_pair_and_with_how_far_its_median_reaches() -> None:
    pairs = [0.8, 0.9, 0.95, 1.0]
    once = {"face": "v1", "deliveryGuarantee": "exactly-once", "ofDefault": 0.92, "ofDefaultOfJvms": pairs}
    sentence = benchmark_sentences.sentences(Results([case("stream-write", "spark-eventhubs", 800, **once)]))
    assert "1 KB at **0.92**" in sentence["exactlyOnce"]
    assert "0.80, 0.90, 0.95, 1.00" in sentence["exactlyOnce"]
    low, high = benchmark_sentences.nine_of_ten_medians(pairs)
    assert min(pairs) <= low < 0.92 < high <= max(pairs)
    assert benchmark_sentences.nine_of_ten_medians([0.9] * 4) == (0.9, 0.9)


def test_the_plot_carries_which_results_it_shows(tmp_path: Path) -> None:
    results = Results([case("receive", "sdk", 1000), case("batch-read", "spark-eventhubs", 900)])
    benchmark_plot.draw(results, tmp_path / "plot.svg", "digest-of-results")
    assert "digest-of-results" in (tmp_path / "plot.svg").read_text()


def test_the_pages_and_the_plot_are_of_the_latest_results() -> None:
    assert benchmark_page.pages(), "the results of no run are here"
    assert benchmark_page.stale() == []
