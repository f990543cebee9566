"""What azure-identity gets of a proxy."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from spark_eventhubs.pure._signing_in.address import Network
from spark_eventhubs.pure._signing_in.trust import transport_of


def test_a_proxy_s_sign_in_may_have_every_character() -> None:
    username, password = "me@contoso.com", "p/w?#:@%&"
    network = Network(over_sockets=True, proxy="proxy:3128", username=username, password=password)

    address = urlsplit(transport_of(network)["proxies"]["https"])

    assert (address.hostname, address.port) == ("proxy", 3128)
    assert (unquote(address.username or ""), unquote(address.password or "")) == (username, password)
