"""Bearer tokens: the official SDK with a credential, over each transport."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from azure.eventhub import EventData, EventHubProducerClient
from azure.eventhub.exceptions import AuthenticationError, EventHubError

from spark_eventhubs.local_hub import LocalAuthority, Role

if TYPE_CHECKING:
    from collections.abc import Iterator

    from azure.core.credentials import AccessToken

    from hub_clients import Clients
    from spark_eventhubs import LocalHub


@pytest.fixture(scope="module")
def authority(hub: LocalHub) -> Iterator[LocalAuthority]:
    with LocalAuthority(hub) as running:
        yield running


over_tls = pytest.mark.parametrize("clients", ["TLS"], indirect=True)


class Bearer:
    """A credential with a token that it has from somewhere."""

    def __init__(self, token: str) -> None:
        self.token = token

    def get_token(self, *_: str, **__: object) -> AccessToken:
        found: AccessToken = SimpleNamespace(token=self.token, expires_on=4_000_000_000)  # type: ignore[assignment]
        return found


def bearer(authority: LocalAuthority, *roles: Role, audience: str = "https://eventhubs.azure.net") -> Bearer:
    return Bearer(authority.token(authority.register("application", roles=roles), audience=audience))


def producer(clients: Clients, credential: Bearer) -> EventHubProducerClient:
    host = clients.connection_string().split("//")[1].split(";")[0]
    plain = {"use_tls": False} if clients.transport == "plain" else {}
    return EventHubProducerClient(host, clients.name, credential, **clients.options | plain)


def send(clients: Clients, credential: Bearer) -> None:
    with producer(clients, credential) as sender:
        sender.send_batch([EventData("x")], partition_id="0")


def test_roles_on_the_hub_allow_sending_reading_and_properties(clients: Clients, authority: LocalAuthority) -> None:
    send(clients, bearer(authority, Role("Data Sender", hub=clients.name)))
    receiver = clients.consumer_with(bearer(authority, Role("Data Receiver", hub=clients.name)))
    assert clients.reader(client=receiver).take(1)[0].body_as_str() == "x"
    assert receiver.get_eventhub_properties()["eventhub_name"] == clients.name


@over_tls
def test_a_missing_role_is_refused_with_the_claim_that_is_needed(clients: Clients, authority: LocalAuthority) -> None:
    clients.send("x")
    reading = clients.reader(client=clients.consumer_with(bearer(authority, Role("Data Sender", hub=clients.name))))
    assert "'Listen' claim(s) are required" in str(reading.error())
    with pytest.raises(EventHubError, match="'Send' claim"):
        send(clients, bearer(authority, Role("Data Receiver", hub=clients.name)))
    with pytest.raises(EventHubError, match="'Send' claim"):
        send(clients, bearer(authority, Role("Data Owner", hub="another")))
    stranger = clients.consumer_with(bearer(authority))
    with pytest.raises(EventHubError):
        stranger.get_eventhub_properties()


@over_tls
def test_a_role_on_a_consumer_group_is_for_this_group_only(clients: Clients, authority: LocalAuthority) -> None:
    clients.send("x")
    only_audit = bearer(authority, Role("Data Receiver", hub=clients.name, consumer_group="audit"))
    refused = clients.reader(client=clients.consumer_with(only_audit)).error()
    assert "'Listen' claim(s) are required" in str(refused)


@over_tls
def test_a_token_for_others_is_refused(clients: Clients, authority: LocalAuthority) -> None:
    owner = authority.register("owner", roles=[Role("Data Owner")])
    send(clients, Bearer(authority.token(owner)))
    others: list[dict[str, Any]] = [
        {"audience": "https://storage.azure.com"},
        {"lifetime": -timedelta(minutes=1)},
        {"issuer": "https://sts.windows.net/other/"},
    ]
    for facts in others:
        # This SDK does not show the hub's text, which the suites of the other SDKs check.
        with pytest.raises(AuthenticationError, match="CBS Token authentication failed"):
            send(clients, Bearer(authority.token(owner, **facts)))
