"""The SDK's error classes for refusals of the hub."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from azure.eventhub import EventData
from azure.eventhub.exceptions import AuthenticationError, ConnectError, ConnectionLostError, EventHubError

from hub_clients import Clients, signature

if TYPE_CHECKING:
    from azure.eventhub.amqp import AmqpAnnotatedMessage

EVENT: list[EventData | AmqpAnnotatedMessage] = [EventData("x")]


def signed(clients: Clients, expiry: int) -> str:
    """A connection string with a signature of the root policy that is valid until `expiry`."""
    plain = clients.connection_string()
    authority = plain.split("//")[1].split(";")[0]
    token = signature(f"sb://{authority}/{clients.name}", expiry)
    parts = [part for part in plain.split(";") if not part.startswith("SharedAccessKey")]
    return ";".join([parts[0], f"SharedAccessSignature={token}", *parts[1:]])


def test_a_wrong_key_causes_an_authentication_error_for_sending_receiving_and_properties(clients: Clients) -> None:
    wrong = clients.connection_string().replace("SAS_KEY_VALUE", "WRONG")

    with pytest.raises(AuthenticationError):
        clients.producer(wrong).send_batch(EVENT)
    with pytest.raises(AuthenticationError):
        clients.producer(wrong).get_eventhub_properties()
    assert isinstance(clients.reader(client=clients.consumer(wrong)).error(), AuthenticationError)


def test_an_unknown_policy_causes_an_authentication_error(clients: Clients) -> None:
    # The answer has an error condition, as the service's has. The SDK then reports neither status nor description.
    with pytest.raises(AuthenticationError, match="CBS Token authentication failed"):
        clients.producer(clients.connection_string(policy="nobody")).send_batch(EVENT)


def test_an_expired_signature_causes_an_authentication_error_and_a_valid_one_is_accepted(clients: Clients) -> None:
    now = int(time.time())

    with pytest.raises(AuthenticationError):
        clients.producer(signed(clients, now - 1)).send_batch(EVENT)
    clients.producer(signed(clients, now + 60)).send_batch(EVENT)


def test_a_policy_without_the_listen_claim_can_send_but_not_receive(clients: Clients) -> None:
    sender = clients.connection_string(policy="sender")
    clients.producer(sender).send_batch(EVENT, partition_id="0")

    error = clients.reader(client=clients.consumer(sender)).error()

    assert isinstance(error, EventHubError)
    assert "'Listen' claim(s) are required" in str(error)


def test_a_policy_without_the_send_claim_can_receive_but_not_send(clients: Clients) -> None:
    listener = clients.connection_string(policy="listener")
    clients.send("x")

    assert len(clients.read(1, client=clients.consumer(listener))) == 1
    with pytest.raises(ConnectionLostError, match=r"'Send' claim\(s\) are required"):
        clients.producer(listener).send_batch(EVENT)


def test_an_unknown_hub_is_refused_for_sending_receiving_and_properties(clients: Clients) -> None:
    # The token for it is refused with 404, and an error condition, so the SDK reports no description.
    unknown = clients.connection_string("nohub")

    with pytest.raises(EventHubError, match="CBS Token authentication failed"):
        clients.producer(unknown).send_batch(EVENT)
    with pytest.raises(EventHubError, match="CBS Token authentication failed"):
        clients.producer(unknown).get_eventhub_properties()
    assert isinstance(clients.reader(client=clients.consumer(unknown)).error(), EventHubError)


def test_the_error_names_an_unknown_consumer_group(clients: Clients) -> None:
    error = clients.reader(client=clients.consumer(group="nogroup")).error()

    assert isinstance(error, EventHubError)
    assert "no consumer group 'nogroup'" in str(error)


def test_an_unknown_partition_is_refused(clients: Clients) -> None:
    # For sending and receiving, the SDK reads the partition ids and refuses the call without the hub.
    with pytest.raises(ConnectError, match="Invalid partition 9"):
        clients.producer().send_batch(EVENT, partition_id="9")
    # Of an answer with properties it reads another spelling of the description than the service has.
    with pytest.raises(EventHubError, match="Status code: 400"):
        clients.producer().get_partition_properties("9")
    assert "['0', '1', '2', '3']" in str(clients.reader("9").error())
