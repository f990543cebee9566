from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pytest

from hub_clients import Clients, bodies, wait_until


@pytest.fixture
def letters(clients: Clients) -> Clients:
    clients.send("a", "b", "c", "d")
    return clients


def test_reading_starts_at_the_earliest_event(letters: Clients) -> None:
    assert bodies(letters.read(4, starting_position="-1")) == ["a", "b", "c", "d"]


@pytest.mark.parametrize(("inclusive", "expected"), [(False, ["c", "d"]), (True, ["b", "c", "d"])])
def test_reading_starts_at_or_after_a_sequence_number(letters: Clients, inclusive: bool, expected: list[str]) -> None:
    got = letters.read(len(expected), starting_position=1, starting_position_inclusive=inclusive)

    assert bodies(got) == expected


@pytest.mark.parametrize(("inclusive", "expected"), [(False, ["c", "d"]), (True, ["b", "c", "d"])])
def test_reading_starts_at_or_after_an_offset(letters: Clients, inclusive: bool, expected: list[str]) -> None:
    offset = letters.read(2)[1].offset

    got = letters.read(len(expected), starting_position=offset, starting_position_inclusive=inclusive)

    assert isinstance(offset, str)
    assert bodies(got) == expected


def test_reading_starts_after_an_enqueued_time(clients: Clients) -> None:
    clients.send("early")
    enqueued = clients.read(1)[0].enqueued_time
    assert enqueued is not None
    wait_until("the clock has advanced", lambda: (datetime.now(timezone.utc) - enqueued).total_seconds() > 0.002)
    clients.send("late")

    assert bodies(clients.read(1, starting_position=enqueued)) == ["late"]


def test_a_reader_from_latest_receives_only_later_events(letters: Clients) -> None:
    reader = letters.reader(starting_position="@latest")
    wait_until("the reader is connected", lambda: len(letters.readers()) == 1)

    letters.send("after")

    assert bodies(reader.take(1)) == ["after"]


def test_runtime_metrics_report_the_end_of_the_partition_with_each_event(letters: Clients) -> None:
    event = letters.read(1, track_last_enqueued_event_properties=True)[0]

    partition = letters.consumer().get_partition_properties("0")
    # The SDK exposes them only in a partition's context.
    last: Any = event._message.delivery_annotations  # noqa: SLF001
    assert event.sequence_number == 0
    assert last[b"last_enqueued_sequence_number"] == 3
    assert last[b"last_enqueued_offset"] == partition["last_enqueued_offset"].encode()


def test_hub_and_consumer_group_are_found_in_upper_or_lower_case(letters: Clients) -> None:
    upper = letters.consumer(letters.connection_string(letters.name.upper()), "AUDIT")

    assert bodies(letters.read(4, client=upper)) == ["a", "b", "c", "d"]
