from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from azure.eventhub import EventData, EventHubProducerClient
from azure.eventhub.exceptions import EventHubError

if TYPE_CHECKING:
    from spark_eventhubs import LocalEventHub, LocalHub
    from spark_eventhubs.pytest_plugin import CreateEventHub


def send(hub: LocalEventHub) -> None:
    """Sends one event, without retries."""
    with EventHubProducerClient.from_connection_string(hub.connection_string, retry_total=0) as producer:
        producer.send_event(EventData("event"), partition_id="0")


def test_a_fault_happens_until_its_count_is_reached(event_hub: LocalEventHub) -> None:
    fault = event_hub.faults.inject("throttle", count=1, partition=0)
    assert (fault.action, fault.on, fault.hub, fault.hits) == ("throttle", "send", event_hub.name, 0)

    with pytest.raises(EventHubError, match="throttled"):
        send(event_hub)
    send(event_hub)

    assert event_hub.faults.active() == []
    assert [event.text() for event in event_hub.events()] == ["event"]


def test_a_link_is_closed_with_the_condition_of_the_fault(event_hub: LocalEventHub) -> None:
    event_hub.faults.inject("detach", on="attach", condition="com.microsoft:timeout", description="by a test")
    with pytest.raises(EventHubError, match="by a test"):
        send(event_hub)


def test_without_a_fault_the_first_attempt_is_enough_and_with_one_it_fails(event_hub: LocalEventHub) -> None:
    with event_hub.faults.inject("throttle"):
        with pytest.raises(EventHubError):
            send(event_hub)
        assert [fault.hits for fault in event_hub.faults.active()] == [1]

    send(event_hub)
    assert len(event_hub.events()) == 1


def test_faults_of_one_event_hub_do_not_touch_another(
    event_hub: LocalEventHub, create_event_hub: CreateEventHub, local_hub: LocalHub
) -> None:
    other = create_event_hub()
    event_hub.faults.inject("throttle")
    everywhere = local_hub.faults.inject("delay", time=timedelta(milliseconds=1), duration=timedelta(minutes=1))
    named = local_hub.faults.inject("stall", hub=other.name, consumer_group="$Default", probability=0.5, skip=1, seed=7)

    send(other)

    assert [fault.action for fault in event_hub.faults.active()] == ["throttle"]
    assert [fault.id for fault in other.faults.active()] == [named.id]
    event_hub.faults.clear()
    assert {fault.id for fault in local_hub.faults.active()} == {everywhere.id, named.id}
    local_hub.faults.clear()
    assert local_hub.faults.active() == []
    named.cancel()


def test_a_fault_that_happens_now_says_how_often_it_happened(event_hub: LocalEventHub) -> None:
    event_hub.send(*"abcd")
    assert event_hub.faults.inject("expire-events").hits == event_hub.partitions
    assert event_hub.events() == []


def test_a_wrong_fault_is_refused_with_the_reason_of_the_hub(event_hub: LocalEventHub) -> None:
    with pytest.raises(ValueError, match="Throttle cannot happen on occasion Receive"):
        event_hub.faults.inject("throttle", on="receive")
    with pytest.raises(ValueError, match="needs a number of 'events'"):
        event_hub.faults.inject("lag")
