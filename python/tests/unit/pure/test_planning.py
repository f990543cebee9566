"""The plans of batches and streams, for a hub whose answers the test sets. Time moves by their waits only."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

import pytest

from spark_eventhubs.errors import CheckpointError, DataLossError, OptionError, UnreachableError
from spark_eventhubs.pure._asking import HubQuestions
from spark_eventhubs.pure._errors import failure
from spark_eventhubs.pure._partitions import Bounds, HubInfo, fair_share, offset_of, positions_in
from spark_eventhubs.pure._planning import Planner
from spark_eventhubs.pure._ranges import Range
from spark_eventhubs.pure._settings import ReadSettings, read_settings
from spark_eventhubs.pure._stream_planning import StreamPlanner

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spark_eventhubs.position import EventPosition
    from spark_eventhubs.pure._reading import Link

TEXT = "Endpoint=sb://contoso.net/;SharedAccessKeyName=n;SharedAccessKey=a2V5;EntityPath=orders"


def settings(**options: str) -> ReadSettings:
    return read_settings({"eventhubs.connectionString": TEXT, **{f"eventhubs.{k}": v for k, v in options.items()}})


def test_a_limit_is_shared_in_proportion_and_nobody_starves() -> None:
    assert fair_share(10, {0: 3, 1: 4}) == {0: 3, 1: 4}
    assert fair_share(10, {0: 90, 1: 10, 2: 0, 3: -5}) == {0: 9, 1: 1, 2: 0, 3: 0}
    assert fair_share(2, {0: 1000, 1: 1, 2: 1}) == {0: 1, 1: 1, 2: 1}


def test_an_offset_is_the_one_of_the_jar() -> None:
    assert offset_of("orders", {10: 5, 9: 4}) == {"orders": {"9": 4, "10": 5}}
    assert positions_in({"Orders": {"0": 23}}, "orders") == {0: 23}
    malformed: tuple[dict[str, Any], ...] = (
        {},
        {"orders": {}},
        {"orders": 5},
        {"orders": {"a": 1}},
        {"orders": {"0": "1"}},
        {"orders": {"0": True}},
    )
    for wrong in malformed:
        with pytest.raises(CheckpointError, match="MALFORMED_OFFSET"):
            positions_in(wrong, "orders")
    with pytest.raises(CheckpointError, match="written for event hub 'returns'"):
        positions_in({"returns": {"0": 1}}, "orders")


LOST = failure("EVENTHUBS_UNREACHABLE", hub="h", namespace="n", doing="d", said="lost", advice="")


@dataclass
class Hub:
    """A hub whose answers the test sets."""

    bounds_of: dict[int, Bounds]
    created: int = 1
    now: float = 0.0
    asked: int = 0
    lost: list[int] = field(default_factory=list)
    later: list[dict[int, Bounds]] = field(default_factory=list)

    def hub(self) -> HubInfo:
        self.asked += 1
        if self.asked > 1 and self.later:
            self.bounds_of = self.later.pop(0)
        return HubInfo(self.created, tuple(self.bounds_of))

    def bounds(self, partition: int) -> Bounds:
        if partition in self.lost:
            self.lost.remove(partition)
            raise LOST
        return self.bounds_of[partition]

    def close(self) -> None:
        pass

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def planner(self, **options: str) -> Planner:
        def no_link(_partition: int, _position: EventPosition) -> Link:
            raise AssertionError("no position needs a link")

        return Planner(settings(**options), self.questions(**options), no_link)

    def questions(self, **options: str) -> HubQuestions:
        return HubQuestions(settings(**options), lambda: self, clock=lambda: self.now, sleep=self.sleep)

    def stream(self, **options: str) -> StreamPlanner:
        return StreamPlanner(settings(**options), self.planner(**options))


def extents(ranges: Iterable[Range]) -> dict[int, tuple[int, int]]:
    return {each.partition: (each.start, each.until) for each in ranges}


def test_a_batch_reads_from_the_earliest_event_to_the_present_one() -> None:
    assert extents(Hub({0: Bounds(3, 9), 1: Bounds(0, 0)}).planner().batch()) == {0: (3, 9), 1: (0, 0)}


def test_the_positions_of_a_batch_are_checked() -> None:
    hub = Hub({0: Bounds(3, 9)})

    assert extents(hub.planner(startingPosition="4", endingPosition="7").batch()) == {0: (4, 7)}
    assert extents(hub.planner(startingPosition="4", endingPosition="70").batch()) == {0: (4, 9)}
    with pytest.raises(OptionError, match="EVENTHUBS_START_AFTER_END"):
        hub.planner(startingPosition="7", endingPosition="4").batch()
    with pytest.raises(OptionError, match="next event will have sequence number 9"):
        hub.planner(startingPosition="10").batch()
    with pytest.raises(DataLossError, match="sequence numbers 1 until 3"):
        hub.planner(startingPosition="1").batch()
    assert extents(hub.planner(startingPosition="1", failOnDataLoss="false").batch()) == {0: (3, 9)}


def test_a_lost_connection_while_a_position_is_looked_for_is_no_failure() -> None:
    hub, tried = Hub({0: Bounds(3, 9, last_millis=2_000_000_000_000)}), []

    class Lost:
        def __init__(self) -> None:
            tried.append(hub.now)

        def open(self) -> None:
            raise LOST

        def close(self) -> None:
            pass

    planner = Planner(
        settings(startingPosition="2026-01-31T12:00:00Z"),
        hub.questions(),
        lambda _partition, _position: cast("Link", Lost()),
    )
    with pytest.raises(UnreachableError):
        planner.batch()
    assert len(tried) > 5
    assert 30 < hub.now <= 60


def test_a_question_that_failed_is_asked_again_alone() -> None:
    hub = Hub({0: Bounds(3, 9), 1: Bounds(0, 5)}, lost=[0, 1, 1])

    assert extents(hub.planner().batch()) == {0: (3, 9), 1: (0, 5)}
    assert hub.asked == 1


def test_the_first_batch_of_a_new_query_ends_at_its_latest_position() -> None:
    hub = Hub({0: Bounds(0, 9)})
    stream = hub.stream()

    start = stream.initial_offset()
    hub.bounds_of = {0: Bounds(0, 20)}
    first = stream.latest_offset(start, None)

    assert (start, first) == ({"orders": {"0": 9}}, {"orders": {"0": 9}})
    assert stream.latest_offset(first, None) == {"orders": {"0": 20}}


def test_a_first_batch_that_is_repeated_starts_after_its_end_and_reads_nothing() -> None:
    stream = Hub({0: Bounds(0, 20), 1: Bounds(0, 5)}).stream()

    assert stream.ranges(stream.initial_offset(), {"orders": {"0": 9, "1": 5}}) == []


def test_a_limit_holds_from_the_first_batch_on() -> None:
    stream = Hub({0: Bounds(10, 110), 1: Bounds(0, 100)}).stream(startingPosition="earliest")

    end = stream.latest_offset(stream.initial_offset(), 50)

    assert end == {"orders": {"0": 35, "1": 25}}
    assert extents(stream.ranges(stream.initial_offset(), end)) == {0: (10, 35), 1: (0, 25)}


def test_a_stream_that_is_behind_asks_no_more_until_it_has_read_what_is_known_or_for_some_seconds() -> None:
    hub = Hub({0: Bounds(0, 100)})
    stream = hub.stream(startingPosition="earliest")
    end = stream.latest_offset(stream.initial_offset(), 40)

    while end != {"orders": {"0": 100}}:
        end = stream.latest_offset(end, 40)
    assert hub.asked == 1
    hub.bounds_of = {0: Bounds(0, 190)}
    end = stream.latest_offset(end, 40)
    assert (end, hub.asked) == ({"orders": {"0": 140}}, 2)
    hub.now += 6
    stream.latest_offset(end, 40)
    assert hub.asked == 3


def test_a_stream_without_new_events_asks_ten_questions_a_second() -> None:
    hub = Hub({partition: Bounds(0, 9) for partition in range(4)})
    stream = hub.stream(startingPosition="earliest")
    end = stream.latest_offset(stream.initial_offset(), None)

    for _ in range(20):
        assert stream.latest_offset(end, None) == end

    assert hub.asked == 21
    assert 9.5 <= hub.now <= 10.5


def test_available_now_ends_at_the_present_and_leaves_new_partitions_for_later() -> None:
    hub = Hub({0: Bounds(0, 9)})
    stream = hub.stream(startingPosition="earliest")
    stream.stop_at_present()
    stream.latest_offset(stream.initial_offset(), None)
    hub.bounds_of = {0: Bounds(0, 20), 1: Bounds(0, 5)}

    assert stream.latest_offset({"orders": {"0": 9}}, None) == {"orders": {"0": 9}}


def test_a_new_partition_starts_at_its_first_event_even_if_some_expired() -> None:
    stream = Hub({0: Bounds(0, 9), 1: Bounds(4, 9)}).stream()

    end = stream.latest_offset({"orders": {"0": 9}}, None)

    assert end == {"orders": {"0": 9, "1": 9}}
    assert stream.ranges({"orders": {"0": 9}}, end) == [Range(1, 4, 9, 1, starts_at_earliest=True)]


def test_an_answer_without_known_events_is_asked_again() -> None:
    hub = Hub({0: Bounds(0, 9)}, later=[{0: Bounds(0, 9)}, {0: Bounds(0, 30)}])

    assert hub.stream().latest_offset({"orders": {"0": 20}}, None) == {"orders": {"0": 30}}
    assert hub.now > 0


def test_a_hub_that_lost_known_events_stops_the_query_or_starts_again() -> None:
    with pytest.raises(DataLossError, match="RECREATED"):
        Hub({0: Bounds(0, 9)}).stream().latest_offset({"orders": {"0": 20}}, None)

    stream = Hub({0: Bounds(0, 9)}).stream(failOnDataLoss="false")
    end = stream.latest_offset({"orders": {"0": 20}}, None)
    assert end == {"orders": {"0": 9}}
    assert extents(stream.ranges({"orders": {"0": 20}}, end)) == {0: (0, 9)}


def test_a_hub_that_is_recreated_while_the_query_runs_stops_it() -> None:
    hub = Hub({0: Bounds(0, 9)})
    stream = hub.stream(failOnDataLoss="false")
    stream.latest_offset({"orders": {"0": 9}}, None)
    hub.created = 2
    hub.bounds_of = {0: Bounds(0, 90)}

    with pytest.raises(DataLossError, match="RECREATED"):
        stream.latest_offset({"orders": {"0": 9}}, None)


def test_partitions_of_the_checkpoint_must_not_be_left_out() -> None:
    start = {"orders": {"0": 9, "1": 9}}
    hub = Hub({0: Bounds(0, 9), 1: Bounds(0, 12)})

    with pytest.raises(CheckpointError, match="PARTITIONS_NARROWED"):
        hub.stream(partitions="0").latest_offset(start, None)
    kept = hub.stream(partitions="0", failOnDataLoss="false")
    assert kept.latest_offset(start, None) == start
    assert kept.ranges(start, {"orders": {"0": 9, "1": 12}}) == []


def test_a_partition_that_is_gone_is_waited_for_once() -> None:
    start = {"orders": {"0": 9, "1": 9}}
    hub = Hub({0: Bounds(0, 9)})
    stream = hub.stream(failOnDataLoss="false")

    assert stream.latest_offset(start, None) == start
    waited = hub.now
    assert waited > 0
    assert stream.latest_offset(start, None) == start
    assert hub.now < waited + 1


def test_expired_events_of_a_stream_are_a_loss() -> None:
    start, end = {"orders": {"0": 2}}, {"orders": {"0": 9}}

    with pytest.raises(DataLossError, match="sequence numbers 2 until 5"):
        Hub({0: Bounds(5, 9)}).stream().ranges(start, end)
    passed = Hub({0: Bounds(5, 9)}).stream(failOnDataLoss="false").ranges(start, end)
    assert extents(passed) == {0: (5, 9)}
    assert replace(passed[0]) == passed[0]
