from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import click
import pytest

from spark_eventhubs.cli._start import Start, StartType, sdk_start

NOON = datetime(2026, 1, 31, 12, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("earliest", "earliest"),
        ("latest", "latest"),
        ("42", 42),
        ("2026-01-31T12:00:00Z", NOON),
        ("2026-01-31T13:00:00+01:00", NOON),
        ("2026-01-31T12:00:00.5Z", NOON.replace(microsecond=500_000)),
        ("2026-01-31T12:00:00.123456789Z", NOON.replace(microsecond=123_456)),
        ("90m", datetime(2026, 1, 31, 10, 30, tzinfo=timezone.utc)),
        ("2d", datetime(2026, 1, 29, 12, tzinfo=timezone.utc)),
        ("9999999999999d", datetime(1970, 1, 1, tzinfo=timezone.utc)),
        (str(2**63 - 1), 2**63 - 1),
    ],
)
def test_a_start_is_a_word_a_number_a_time_or_a_duration_before_now(text: str, expected: Start) -> None:
    assert StartType(lambda: NOON).convert(text, None, None) == expected


@pytest.mark.parametrize(
    "text", ["", "Latest", "-1", "1.5", "2026-01-31", "12:00", "15 m", "²", str(2**63), "9" * 5000]
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(click.BadParameter):
        StartType().convert(text, None, None)


@pytest.mark.parametrize(
    ("start", "last", "expected"),
    [
        ("earliest", 9, ("-1", True)),
        ("latest", 9, (9, False)),
        ("latest", -1, ("-1", True)),
        (5, 9, (5, True)),
        (9, 9, (9, True)),
        (10, 9, (9, False)),
        (5, -1, ("-1", True)),
        (NOON, 9, (NOON, True)),
    ],
)
def test_a_start_behind_the_end_of_a_partition_is_its_end(start: Start, last: int, expected: tuple[Any, bool]) -> None:
    assert sdk_start(start, {"last_enqueued_sequence_number": last}) == expected


@pytest.mark.parametrize("text", ["2026-01-31", "2026-01-31Z", "2026-01-31+01:00"])
def test_a_day_is_refused_with_a_time_of_that_day(text: str) -> None:
    with pytest.raises(click.BadParameter, match="no time of day; expected a time such as 2026-01-31T00:00:00Z"):
        StartType().convert(text, None, None)
