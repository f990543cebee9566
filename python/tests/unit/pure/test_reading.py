"""The read loop and the plans, against a service whose answers the test sets. Time moves by their waits only."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

import pytest

from spark_eventhubs.errors import DataLossError, UnreachableError
from spark_eventhubs.pure._errors import failure
from spark_eventhubs.pure._partitions import Bounds, HubInfo
from spark_eventhubs.pure._ranges import Range
from spark_eventhubs.pure._reading import RangeReader
from spark_eventhubs.pure._settings import ReadSettings, read_settings

TEXT = "Endpoint=sb://contoso.net/;SharedAccessKeyName=n;SharedAccessKey=a2V5;EntityPath=orders"


def settings(**options: str) -> ReadSettings:
    return read_settings({"eventhubs.connectionString": TEXT, **{f"eventhubs.{k}": v for k, v in options.items()}})


def event(number: int, size: int = 1) -> bytes:
    items = b"\xa3\x15x-opt-sequence-number\x81" + struct.pack(">q", number)
    items += b"\xa3\x0cx-opt-offset\xa1\x01" + b"1" + b"\xa3\x13x-opt-enqueued-time\x83" + bytes(8)
    return (
        b"\x00\x53\x72\xc1"
        + bytes([len(items) + 1, 6])
        + items
        + b"\x00\x53\x75\xb0"
        + struct.pack(">I", size)
        + bytes(size)
    )


LOST = failure("EVENTHUBS_UNREACHABLE", hub="orders", namespace="contoso.net", doing="reading", said="lost", advice="")


@dataclass
class Service:
    """One partition, whose links deliver what `events` has from their start on, `per_receive` at a time."""

    events: list[int]
    retained: Bounds
    created: int = 1
    now: float = 0.0
    opened: list[int] = field(default_factory=list)
    lose_once_after: int | None = None
    first_link_skips: int = 0
    size: int = 1
    bounds_fail: int = 0
    on_the_way: list[int] = field(default_factory=list)

    def link(self, start: int) -> Link:
        self.opened.append(start)
        return Link(self, start)

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class Link:
    def __init__(self, service: Service, start: int) -> None:
        self._service = service
        skipped = service.first_link_skips if len(service.opened) == 1 else 0
        self._left = [number for number in service.events if number >= start][skipped:]

    def open(self) -> None:
        pass

    def receive(self, most: int, seconds: float) -> list[bytes]:
        service = self._service
        if service.lose_once_after is not None and self._left and self._left[0] >= service.lose_once_after:
            service.lose_once_after = None
            raise LOST
        service.on_the_way.append(most)
        messages, self._left = self._left[: min(most, 3)], self._left[min(most, 3) :]
        if not messages:
            service.now += seconds
        return [event(number, service.size) for number in messages]

    def hub(self) -> HubInfo:
        return HubInfo(self._service.created, (0,))

    def bounds(self, partition: int) -> Bounds:
        assert partition == 0
        if self._service.bounds_fail:
            self._service.bounds_fail -= 1
            raise LOST
        return self._service.retained

    def close(self) -> None:
        pass


def numbers(service: Service, wanted: Range, **options: str) -> list[int]:
    reader = RangeReader(settings(**options), wanted, service.link, clock=lambda: service.now, sleep=service.sleep)
    return [number for batch in reader.batches() for number in batch.column("sequenceNumber").to_pylist()]


def test_each_number_of_a_range_is_read_once_also_over_a_lost_connection() -> None:
    service = Service([*range(50)], Bounds(0, 50), lose_once_after=20)

    assert numbers(service, Range(0, 10, 40, created=1)) == [*range(10, 40)]
    assert service.opened == [10, 22]


def test_fewer_events_are_on_the_way_when_they_are_large() -> None:
    small = Service([*range(9000)], Bounds(0, 9000))
    large = Service([*range(9000)], Bounds(0, 9000), size=1 << 20)

    numbers(small, Range(0, 0, 8000, created=1))
    numbers(large, Range(0, 0, 30, created=1))

    assert small.on_the_way[:3] == [16, 32, 64]
    assert max(small.on_the_way) == 5000
    assert large.on_the_way[0] == 16
    assert max(large.on_the_way[1:]) == 15


def test_the_time_that_the_rows_take_is_no_silence_of_the_service() -> None:
    service = Service([*range(30_000)], Bounds(0, 30_000), lose_once_after=10_000)
    reader = RangeReader(
        settings(), Range(0, 0, 25_000, created=1), service.link, clock=lambda: service.now, sleep=service.sleep
    )
    found: list[int] = []
    for batch in reader.batches():
        found += batch.column("sequenceNumber").to_pylist()
        service.now += 250

    assert found == [*range(25_000)]


def test_older_events_than_asked_for_are_left_out() -> None:
    service = Service([*range(20)], Bounds(0, 20))
    service.link = lambda start: Link(service, max(0, start - 4))  # type: ignore[method-assign]

    assert numbers(service, Range(0, 10, 15, created=1)) == [*range(10, 15)]


def test_a_gap_that_another_link_fills_is_no_loss() -> None:
    service = Service([*range(20)], Bounds(0, 20), first_link_skips=2)

    assert numbers(service, Range(0, 5, 20, created=1)) == [*range(5, 20)]
    assert service.opened == [5, 5]


def test_a_question_about_a_gap_is_repeated_when_the_connection_is_lost() -> None:
    service = Service([*range(20)], Bounds(0, 20), first_link_skips=2, bounds_fail=1)
    assert numbers(service, Range(0, 5, 12, created=1)) == [*range(5, 12)]
    assert service.opened == [5, 5]

    never = Service([*range(8, 20)], Bounds(0, 20), bounds_fail=10_000)
    with pytest.raises(UnreachableError):
        numbers(never, Range(0, 5, 12, created=1))


def test_a_gap_that_stays_fails_or_is_passed() -> None:
    missing = [*range(8), *range(12, 20)]

    with pytest.raises(DataLossError, match="sequence numbers 8 until 12") as lost:
        numbers(Service(missing, Bounds(0, 20)), Range(0, 5, 20, created=1))
    passed = numbers(Service(missing, Bounds(0, 20)), Range(0, 5, 20, created=1), failOnDataLoss="false")

    assert lost.value.condition == "EVENTHUBS_DATA_LOSS.GAP"
    assert passed == [5, 6, 7, *range(12, 20)]


def test_events_that_expired_fail_unless_nothing_of_an_earliest_start_was_read() -> None:
    def service() -> Service:
        return Service([*range(12, 20)], Bounds(12, 20))

    with pytest.raises(DataLossError, match="EXPIRED"):
        numbers(service(), Range(0, 5, 20, created=1))
    assert numbers(service(), Range(0, 5, 20, created=1), failOnDataLoss="false") == [*range(12, 20)]
    assert numbers(service(), Range(0, 5, 20, created=1, starts_at_earliest=True)) == [*range(12, 20)]
    assert numbers(service(), Range(0, 5, 10, created=1, starts_at_earliest=True)) == []


def test_all_events_of_a_range_may_have_expired_without_one_that_follows() -> None:
    service = Service([], Bounds(20, 20))

    assert numbers(service, Range(0, 5, 20, created=1), failOnDataLoss="false") == []


def test_another_hub_is_refused_before_its_events_are_read() -> None:
    service = Service([*range(20)], Bounds(0, 20), created=2)

    with pytest.raises(DataLossError, match="RECREATED"):
        numbers(service, Range(0, 5, 20, created=1), failOnDataLoss="false")


def test_a_partition_that_ends_too_early_is_believed_after_several_answers() -> None:
    service = Service([*range(8)], Bounds(0, 8))

    with pytest.raises(DataLossError, match="answers in a row say"):
        numbers(service, Range(0, 5, 20, created=1))
    assert service.now >= 10


def test_silence_ends_with_the_operation_timeout() -> None:
    service = Service([], Bounds(0, 20))

    with pytest.raises(UnreachableError, match="although the partition has some"):
        numbers(service, Range(0, 5, 20, created=1), operationTimeout="20s")
    assert 20 <= service.now < 60
