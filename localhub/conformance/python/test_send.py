from __future__ import annotations

import contextlib

import pytest
from azure.eventhub import EventData

from hub_clients import Clients, bodies


def test_a_batch_is_received_in_order_with_sequence_numbers_from_0(clients: Clients) -> None:
    clients.send("a", "b", "c")

    events = clients.read(3)

    assert bodies(events) == ["a", "b", "c"]
    assert [event.sequence_number for event in events] == [0, 1, 2]


def test_a_single_event_that_is_not_a_batch_on_the_wire_is_received_like_one(clients: Clients) -> None:
    clients.producer().send_event(EventData("alone"), partition_id="0")

    assert bodies(clients.read(1)) == ["alone"]


def test_a_batch_that_the_sdk_filled_to_1_mb_is_accepted_completely(clients: Clients) -> None:
    producer = clients.producer()
    batch = producer.create_batch(partition_id="1")
    assert batch.max_size_in_bytes == 1024 * 1024
    with contextlib.suppress(ValueError):
        while True:
            batch.add(EventData(b"%07d" % len(batch) * 150))

    producer.send_batch(batch)

    assert producer.get_partition_properties("1")["last_enqueued_sequence_number"] == len(batch) - 1
    (last,) = clients.read(1, "1", starting_position=len(batch) - 2)
    assert last.body_as_str() == f"{len(batch) - 1:07d}" * 150


def test_an_event_near_1_mb_is_received_unchanged_over_many_frames(clients: Clients) -> None:
    body = bytes(i * 31 % 256 for i in range(1_000_000))

    clients.send(body)

    assert b"".join(clients.read(1)[0].body) == body  # type: ignore[arg-type]


def test_the_sdk_refuses_an_event_over_the_limit_that_the_hub_announces(clients: Clients) -> None:
    producer = clients.producer()

    with pytest.raises(ValueError, match="size limit"):
        producer.send_batch([EventData(bytes(1024 * 1024))], partition_id="0")

    assert producer.get_partition_properties("0")["is_empty"]


def test_a_partition_key_maps_to_the_same_partition_as_in_every_sdk_and_readers_receive_it(clients: Clients) -> None:
    clients.producer().send_batch([EventData("x")], partition_key="pk1")

    (event,) = clients.read(1, "1")

    assert event.partition_key == b"pk1"


def test_batches_without_partition_or_key_are_distributed_round_robin(clients: Clients) -> None:
    producer = clients.producer()

    for number in range(8):
        producer.send_batch([EventData(str(number))])

    last = [producer.get_partition_properties(str(i))["last_enqueued_sequence_number"] for i in range(4)]
    assert last == [1, 1, 1, 1]


def test_10000_events_reach_two_readers_completely_and_in_order(clients: Clients) -> None:
    producer = clients.producer()
    for start in range(0, 10_000, 1000):
        producer.send_batch([EventData(str(start + i)) for i in range(1000)], partition_id="0")

    readers = [clients.reader(), clients.reader()]

    assert [bodies(reader.take(10_000)) == [str(i) for i in range(10_000)] for reader in readers] == [True, True]
