"""Clients of the Azure SDK for an address."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from azure.eventhub import EventHubConsumerClient, EventHubProducerClient, TransportType

from spark_eventhubs._sdk_calls import watch_sign_in
from spark_eventhubs.errors import SessionError
from spark_eventhubs.pure._signing_in.tokens import Tokens
from spark_eventhubs.pure._signing_in.trust import context_of

if TYPE_CHECKING:
    from spark_eventhubs.pure._signing_in.address import HubAddress

# This engine repeats itself, and stops when its timeout ends.
_NO_RETRIES: Final[dict[str, Any]] = {"retry_total": 0}


def consumer(address: HubAddress, group: str) -> EventHubConsumerClient:
    """A client that reads."""
    watch_sign_in()
    if address.identity is not None:
        tokens: Any = Tokens(address, address.identity)
        return EventHubConsumerClient(address.host, address.hub, group, tokens, **_settings(address))
    return EventHubConsumerClient.from_connection_string(
        address.connection_string or "", group, eventhub_name=address.hub, **_settings(address)
    )


def producer(address: HubAddress) -> EventHubProducerClient:
    """A client that sends."""
    watch_sign_in()
    if address.identity is not None:
        tokens: Any = Tokens(address, address.identity)
        return EventHubProducerClient(address.host, address.hub, tokens, **_settings(address))
    return EventHubProducerClient.from_connection_string(
        address.connection_string or "", eventhub_name=address.hub, **_settings(address)
    )


def _settings(address: HubAddress) -> dict[str, Any]:
    network = address.network
    found = {**_NO_RETRIES, "transport_type": TransportType.Amqp, "use_tls": network.tls}
    if network.over_sockets:
        if find_spec("websocket") is None:
            raise SessionError("'eventhubs.transport' = 'amqpWebSockets' needs: pip install websocket-client")
        found["transport_type"] = TransportType.AmqpOverWebsocket
    if network.endpoint is not None:
        found["custom_endpoint_address"] = f"sb://{network.endpoint}"
    if network.certificates is not None:
        found["ssl_context"] = context_of(network.certificates)
    if network.proxy is not None:
        host, _, port = network.proxy.rpartition(":")
        found["http_proxy"] = {"proxy_hostname": host.strip("[]"), "proxy_port": int(port)}
        if network.username is not None:
            found["http_proxy"] |= {"username": network.username, "password": network.password}
    return found
