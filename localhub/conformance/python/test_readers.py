"""Rules for readers of the same partition, and the SDK's errors."""

from __future__ import annotations

from typing import Any

from azure.eventhub.exceptions import EventHubError

from hub_clients import Clients, Reader, wait_until


def reading(clients: Clients, **receive: Any) -> Reader:
    """An open reader: it has received the one event."""
    reader = clients.reader(**receive)
    reader.take(1)
    return reader


def test_five_readers_share_a_partition_and_group_and_the_sixth_is_refused_until_one_closes(clients: Clients) -> None:
    clients.send("x")
    leaving = clients.consumer()
    reading(clients, client=leaving)
    for _ in range(4):
        reading(clients)

    error = clients.reader().error()
    assert isinstance(error, EventHubError)
    assert "maximum number of allowed receivers per partition in a consumer group which is 5" in str(error)

    leaving.close()
    wait_until("one reader is closed", lambda: len(clients.readers()) == 4)
    reading(clients)


def test_an_owner_level_disconnects_readers_without_one_and_refuses_new_ones(clients: Clients) -> None:
    clients.send("x")
    plain = reading(clients)
    reading(clients, owner_level=1)

    stolen = plain.error()
    refused = clients.reader().error()

    assert isinstance(stolen, EventHubError)
    assert "with higher epoch of '1' is created" in str(stolen)
    assert isinstance(refused, EventHubError)
    assert "At least one receiver for the endpoint is created with epoch of '1'" in str(refused)


def test_a_higher_owner_level_takes_over_and_a_lower_one_is_refused(clients: Clients) -> None:
    clients.send("x")
    first = reading(clients, owner_level=1)
    reading(clients, owner_level=2)

    assert "with higher epoch of '2' is created" in str(first.error())
    assert "with a higher epoch '2' already exists" in str(clients.reader(owner_level=1).error())
