from __future__ import annotations

import json
from datetime import timedelta

import pytest

from spark_eventhubs._monitoring.formats import count, duration, rate
from spark_eventhubs._monitoring.history import History
from spark_eventhubs._monitoring.queries import error_sentence
from spark_eventhubs._monitoring.reports import ProgressReport, parse_report


def report(second: int, read: int, newest: int, *, rows: int = 0, left: int | None = None) -> ProgressReport:
    """A report of a trigger of one second over one partition, which ended at this second."""
    metrics = {} if left is None else {"eventsLeft": str(left)}
    source = {
        "description": "EventHubs[telemetry in localhost, consumer group $Default]",
        "endOffset": {"telemetry": {"0": read}},
        "latestOffset": {"telemetry": {"0": newest}},
        "numInputRows": rows,
        "metrics": metrics,
    }
    fields = {
        "runId": "r",
        "batchId": second,
        "timestamp": f"2026-01-01T00:00:{second - 1:02}.000Z",
        "durationMs": {"triggerExecution": 1000},
        "numInputRows": rows,
        "sources": [source],
    }
    return parse_report(json.dumps(fields))


def test_rates_are_means_over_the_reports_of_the_last_half_minute() -> None:
    history = History([report(1, 0, 1000), report(11, 100, 1500), report(41, 700, 3000)])

    assert history.arrival_rate() == 50
    assert history.read_rates() == {0: 20}


def test_reports_further_apart_than_half_a_minute_still_give_a_rate() -> None:
    assert History([report(1, 0, 10), report(51, 500, 1010)]).arrival_rate() == 20


def test_one_report_gives_no_rate() -> None:
    history = History([report(1, 0, 10)])

    assert history.arrival_rate() is None
    assert history.read_rates() == {}


def test_a_hub_that_was_recreated_has_no_negative_rate() -> None:
    assert History([report(1, 100, 100), report(11, 5, 5)]).arrival_rate() == 0


def test_a_report_counts_once() -> None:
    history = History()

    assert len(history.add([report(1, 10, 10, rows=10)])) == 1
    assert [each.batch_id for each in history.add([report(1, 10, 10, rows=10), report(2, 30, 30, rows=20)])] == [2]
    assert history.total_rows == 30


def test_the_time_left_follows_from_the_rate_since_the_end_of_the_first_batch() -> None:
    history = History([report(2, 100, 1000, rows=100, left=900), report(5, 400, 1000, rows=300, left=600)])

    assert history.fraction_done == pytest.approx(0.4)
    assert history.time_left == timedelta(seconds=6)


def test_the_time_left_follows_a_change_of_the_rate() -> None:
    slow = [report(1, 10, 1000, rows=10, left=990), report(11, 20, 1000, rows=10, left=980)]
    fast = [report(50, 30, 1000, rows=10, left=970), report(52, 530, 1000, rows=500, left=470)]

    left = History([*slow, *fast]).time_left

    assert left is not None
    assert left < timedelta(seconds=3)


def test_after_one_batch_there_is_an_estimate_too() -> None:
    assert History([report(2, 250, 1000, rows=250, left=750)]).time_left == timedelta(seconds=3)


def test_a_query_that_has_read_everything_has_no_time_left() -> None:
    history = History([report(2, 0, 0, left=0)])

    assert history.fraction_done == 1
    assert history.time_left == timedelta(0)


def test_a_query_with_another_trigger_has_no_end() -> None:
    history = History([report(2, 250, 1000, rows=250)])

    assert history.fraction_done is None
    assert history.time_left is None


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (None, "-"),
        (0, "0 s"),
        (0.85, "850 ms"),
        (4.24, "4.2 s"),
        (59.4, "59 s"),
        (59.6, "1 min 0 s"),
        (3599.6, "1 h 0 min"),
        (7500, "2 h 5 min"),
        (273600, "3 d 4 h"),
    ],
)
def test_times_have_at_most_two_units(seconds: float | None, shown: str) -> None:
    assert duration(seconds) == shown


@pytest.mark.parametrize(
    ("per_second", "shown"), [(None, "-"), (0, "0/s"), (0.25, "0.25/s"), (1.5, "1.5/s"), (1204.4, "1,204/s")]
)
def test_small_rates_keep_their_digits(per_second: float | None, shown: str) -> None:
    assert rate(per_second) == shown


def test_counts_have_separators() -> None:
    assert [count(1234567), count(None)] == ["1,234,567", "-"]


FAILED = "[STREAM_FAILED] Query [id = a, runId = b] terminated with exception: "
TRACE = "\n\nJVM stacktrace:\njava.lang.Exception\n\tat a.B"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (f"{FAILED}[EVENTHUBS_NOT_FOUND] No hub 'x'. SQLSTATE: XXKST{TRACE}", "[EVENTHUBS_NOT_FOUND] No hub 'x'."),
        (f"{FAILED}Job aborted SQLSTATE: XXKST", "Job aborted"),
        ("Connection refused", "Connection refused"),
        ("", "ValueError"),
    ],
)
def test_an_error_is_one_sentence_without_stack_trace(text: str, sentence: str) -> None:
    assert error_sentence(ValueError(text)) == sentence


@pytest.mark.parametrize("other", [None, 3, {"a": 1}, "[]"])
def test_something_else_than_a_report_is_refused(other: object) -> None:
    with pytest.raises(TypeError, match="expected a progress report of a streaming query"):
        parse_report(other)
