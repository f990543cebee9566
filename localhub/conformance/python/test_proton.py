"""Qpid proton, the AMQP library of the Apache project: its selectors have another key than those of the SDKs."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from hub_clients import TIMEOUT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hub_clients import Clients

# Its wheel has C, so it is there only where it could be built: see the Makefile.
proton: Any = pytest.importorskip("proton", exc_type=ImportError)
reactor: Any = pytest.importorskip("proton.reactor", exc_type=ImportError)
utils: Any = pytest.importorskip("proton.utils", exc_type=ImportError)

# It has no WebSockets.
pytestmark = pytest.mark.parametrize("clients", ["plain", "TLS"], indirect=True)


@pytest.fixture
def connection(clients: Clients) -> Iterator[Any]:
    with closing(connect(clients, "RootManageSharedAccessKey")) as opened:
        yield opened


def connect(clients: Clients, policy: str) -> Any:
    """A connection that signs in with a policy's name and key, as with the service."""
    options = {"user": policy, "password": "SAS_KEY_VALUE", "allowed_mechs": "PLAIN", "timeout": TIMEOUT}
    if clients.transport == "plain":
        url = f"amqp://localhost:{clients.hub.amqp_port}"
        return utils.BlockingConnection(url, allow_insecure_mechs=True, **options)
    if not proton.SSL.present():
        pytest.skip("proton was built without OpenSSL")
    trusting = proton.SSLDomain(proton.SSLDomain.MODE_CLIENT)
    trusting.set_trusted_ca_db(str(clients.certificate))
    trusting.set_peer_authentication(proton.SSLDomain.VERIFY_PEER_NAME)
    return utils.BlockingConnection(f"amqps://localhost:{clients.hub.tls_port}", ssl_domain=trusting, **options)


def first(clients: Clients, connection: Any, comparison: str) -> Any:
    """The first message of a reader with this selector."""
    selector = reactor.Selector(f"amqp.annotation.{comparison}")
    address = f"{clients.name}/ConsumerGroups/$Default/Partitions/0"
    # Closed at once, as the next one has its name.
    with closing(connection.create_receiver(address, credit=1, options=selector)) as receiver:
        return receiver.receive()


def test_proton_sends_and_reads_from_the_position_of_its_selector(clients: Clients, connection: Any) -> None:
    sender = connection.create_sender(f"{clients.name}/Partitions/0")
    for body in (b"a", b"b", b"c"):
        assert sender.send(proton.Message(body=body, inferred=True)).remote_state == proton.Delivery.ACCEPTED

    second = first(clients, connection, "x-opt-sequence-number > '0'")

    assert second.body == b"b"
    assert first(clients, connection, f"x-opt-offset > '{second.annotations['x-opt-offset']}'").body == b"c"
    time = int(second.annotations["x-opt-enqueued-time"])
    assert first(clients, connection, f"x-opt-enqueuedtimeutc >= {time}").body != b"c"


def test_proton_gets_the_refusals_of_the_service(clients: Clients, connection: Any) -> None:
    with pytest.raises(utils.LinkDetached, match="is not a valid amqp filter for EventHub entities") as filter_refused:
        first(clients, connection, "color > '1'")
    assert filter_refused.value.condition == "com.microsoft:argument-error"
    with pytest.raises(utils.LinkDetached, match="should be between 0 and 3"):
        connection.create_sender(f"{clients.name}/Partitions/9")
    with closing(connect(clients, "sender")) as sender, pytest.raises(utils.LinkDetached, match="'Listen' claim"):
        first(clients, sender, "x-opt-offset > '-1'")
    with pytest.raises(proton.ConnectionException):
        connect(clients, "nobody")
