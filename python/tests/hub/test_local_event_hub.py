from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest
from azure.eventhub import EventData, EventHubProducerClient
from azure.eventhub.amqp import AmqpAnnotatedMessage

if TYPE_CHECKING:
    from spark_eventhubs import LocalEventHub
    from spark_eventhubs.pytest_plugin import CreateEventHub


def sequence_numbers(hub: LocalEventHub, partition: int = 0) -> list[int]:
    return [event.sequence_number for event in hub.events(partition=partition)]


def test_sent_events_are_collected_with_their_bodies_keys_and_properties(event_hub: LocalEventHub) -> None:
    event_hub.send(b"\x00\xff", "text", {"device": "a"}, None, partition=2, properties={"n": 1, "yes": True})
    event_hub.send("with a key", key="blue")

    stored = event_hub.events(partition=2)
    assert [event.body for event in stored] == [b"\x00\xff", b"text", b'{"device": "a"}', None]
    assert [event.sequence_number for event in stored] == [0, 1, 2, 3]
    assert stored[1].text() == "text"
    assert stored[2].json() == {"device": "a"}
    assert stored[0].properties == {"n": 1, "yes": True}
    assert datetime.now(timezone.utc) - stored[0].enqueued_time < timedelta(minutes=10)
    assert [event.partition_key for event in event_hub.events() if event.partition_key] == ["blue"]
    with pytest.raises(ValueError, match="event 3 of partition 2 has no body: a tombstone"):
        stored[3].text()


def test_events_of_an_official_client_are_collected_too(event_hub: LocalEventHub) -> None:
    with EventHubProducerClient.from_connection_string(event_hub.connection_string) as producer:
        event = EventData("x" * 5000)
        event.message_id = "m1"
        producer.send_event(event, partition_id="0")
        producer.send_event(AmqpAnnotatedMessage(value_body={"a": [1]}), partition_id="0")

    first, second = event_hub.wait_for_events(2)
    assert first.text() == "x" * 5000, "a long body is complete"
    assert first.system_properties["messageId"] == "m1"
    assert second.json() == {"a": [1]}


def test_more_events_than_a_page_holds_are_collected_in_order(create_event_hub: CreateEventHub) -> None:
    hub = create_event_hub(partitions=1)
    hub.send(*[str(number) for number in range(2100)])

    assert [event.text() for event in hub.events()] == [str(number) for number in range(2100)]


def test_events_that_are_too_large_for_one_request_are_sent_in_several(create_event_hub: CreateEventHub) -> None:
    hub = create_event_hub(partitions=1)
    bodies = [f"{number}{'x' * 900_000}" for number in range(12)]
    hub.send(*bodies)

    assert [event.text() for event in hub.events()] == bodies


def test_waiting_for_events_that_do_not_come_says_how_many_there_are(event_hub: LocalEventHub) -> None:
    event_hub.send("one")
    with pytest.raises(TimeoutError, match=rf"'{event_hub.name}' has 1 events after 0 s; expected 2"):
        event_hub.wait_for_events(2, timeout=timedelta(0))


def test_events_expire(create_event_hub: CreateEventHub) -> None:
    hub = create_event_hub(partitions=1)
    hub.send("a", "b", "c")
    hub.expire(partition=0, before=2)

    assert sequence_numbers(hub) == [2]


def test_a_partition_is_compacted(create_event_hub: CreateEventHub) -> None:
    hub = create_event_hub(partitions=1)
    hub.send("a0", key="a")
    hub.send("b1", None, key="b")
    hub.send("a3", "a4", key="a")

    hub.compact(partition=0, before=4)
    assert sequence_numbers(hub) == [2, 3, 4], "the tombstone stays, and the active tail is not compacted"
    hub.compact(partition=0, remove_tombstones=True)
    assert sequence_numbers(hub) == [4]


def test_a_secondary_region_is_promoted(create_event_hub: CreateEventHub) -> None:
    hub = create_event_hub(partitions=2, geo_replication=True)
    for partition in range(2):
        hub.send("a", "b", "c", partition=partition)

    hub.promote(unreplicated=1)
    hub.promote(unreplicated=2, partition=1)

    assert (sequence_numbers(hub, 0), sequence_numbers(hub, 1)) == ([0, 1], [])
    hub.send("d", partition=0)
    assert hub.events(partition=0)[-1].offset.startswith("3:")


def test_a_hub_is_recreated_and_deleted(event_hub: LocalEventHub) -> None:
    event_hub.send("a", partition=0)
    event_hub.recreate()
    assert event_hub.events() == []
    event_hub.delete()
    with pytest.raises(ValueError, match="There is no event hub"):
        event_hub.events()
