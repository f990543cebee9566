"""Each violation is planted into a history without one, so a check that cannot fail is noticed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from chaos_checker import AT_LEAST_ONCE, EXACTLY_ONCE, Copy, Stored, check, unexpected

if TYPE_CHECKING:
    from collections.abc import Sequence

SOURCE = [
    [Stored(0, 0, "0-0"), Stored(0, 1, "0-1"), Stored(0, 2, "0-2")],
    [Stored(1, 0, "1-0"), Stored(1, 1, "1-1")],
]
ACKNOWLEDGED = ["0-0", "0-1", "1-0"]
# Both partitions of the source in one partition of the copy.
COPIED = ["0:0:0-0", "1:0:1-0", "0:1:0-1", "0:2:0-2", "1:1:1-1"]


def violations(*parts: Sequence[str], guarantee: str = EXACTLY_ONCE, acknowledged: Sequence[str] = ()) -> list[str]:
    return check([*ACKNOWLEDGED, *acknowledged], SOURCE, [Copy("copy", guarantee, parts)]).violations


@pytest.mark.parametrize("guarantee", [EXACTLY_ONCE, AT_LEAST_ONCE])
def test_a_history_without_violations(guarantee: str) -> None:
    assert violations(COPIED, guarantee=guarantee) == []
    assert check(ACKNOWLEDGED, SOURCE, [Copy("copy", guarantee, [COPIED])]).events == 5


def test_a_confirmed_write_that_is_not_stored() -> None:
    assert violations(COPIED, acknowledged=["0-7"]) == ["1 confirmed writes are not stored: 0-7"]


def test_an_event_that_was_never_sent() -> None:
    assert violations([*COPIED, "0:3:0-3"]) == ["1 events of 'copy' were never sent: 0:3:0-3"]


def test_an_event_with_another_body() -> None:
    assert len(violations(["0:0:0-9", *COPIED[1:]])) == 2, "it was never sent, and the event itself is lost"


@pytest.mark.parametrize("guarantee", [EXACTLY_ONCE, AT_LEAST_ONCE])
@pytest.mark.parametrize("lost", range(5))
def test_a_lost_event(lost: int, guarantee: str) -> None:
    left = COPIED[:lost] + COPIED[lost + 1 :]

    assert violations(left, guarantee=guarantee) == [f"1 events are lost in 'copy': {COPIED[lost]}"]


def test_a_duplicate_is_a_violation_of_exactly_once_only() -> None:
    twice = [*COPIED, "0:1:0-1"]

    assert violations(twice) == ["1 events are twice in 'copy': 0:1:0-1"]
    assert violations(twice, guarantee=AT_LEAST_ONCE) == []
    assert check((), SOURCE, [Copy("copy", AT_LEAST_ONCE, [twice])]).duplicates == {"copy": 1}


def test_a_duplicate_in_another_partition() -> None:
    assert violations(COPIED, ["0:1:0-1"]) == ["1 events are twice in 'copy': 0:1:0-1"]


@pytest.mark.parametrize("guarantee", [EXACTLY_ONCE, AT_LEAST_ONCE])
def test_events_of_a_partition_that_change_places(guarantee: str) -> None:
    wrong = ["0:1:0-1", "0:0:0-0", *COPIED[3:], "1:0:1-0"]

    found = violations(wrong, guarantee=guarantee)

    assert found == ["2 events are out of order in 'copy': 0:0:0-0, 1:0:1-0"]


def test_more_violations_than_are_shown() -> None:
    many = [[Stored(0, number, str(number)) for number in range(9)]]

    assert check((), many, [Copy("copy", EXACTLY_ONCE, [])]).violations == [
        "9 events are lost in 'copy': 0:0:0, 0:1:1, 0:2:2, 0:3:3, 0:4:4, ..."
    ]


def test_failures_that_break_a_promise() -> None:
    harmless = {"EVENTHUBS_SERVICE": 3, "EVENTHUBS_TIMEOUT": 1}
    broken = {"": 1, "EVENTHUBS_DATA_LOSS.GAP": 1, "EVENTHUBS_EXACTLY_ONCE.OUTCOME_UNKNOWN": 2}

    assert unexpected(harmless) == []
    assert unexpected(harmless | broken) == sorted(broken)
