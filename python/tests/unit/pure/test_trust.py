"""What azure-identity gets of a proxy."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

import pytest
import requests

from spark_eventhubs.pure._errors import of_sdk
from spark_eventhubs.pure._signing_in.address import HubAddress, Network
from spark_eventhubs.pure._signing_in.environment_proxy import shows_sign_in
from spark_eventhubs.pure._signing_in.trust import transport_of


def test_a_proxy_s_sign_in_may_have_every_character() -> None:
    username, password = "me@contoso.com", "p/w?#:@%&"
    network = Network(over_sockets=True, proxy="proxy:3128", username=username, password=password)

    address = urlsplit(transport_of(network)["proxies"]["https"])

    assert (address.hostname, address.port) == ("proxy", 3128)
    assert (unquote(address.username or ""), unquote(address.password or "")) == (username, password)


@pytest.mark.parametrize("password", ["pa/ss", "pa#ss", "pa?ss"])
def test_no_error_shows_a_part_of_the_password_in_a_malformed_proxy_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, password: str
) -> None:
    monkeypatch.setenv("https_proxy", f"http://user:{password}@127.0.0.1:1")
    monkeypatch.setenv("no_proxy", "")
    with pytest.raises(requests.RequestException) as failed:
        requests.get("https://login.invalid/", timeout=1)

    address = HubAddress(host="contoso.net", hub="orders", network=Network(over_sockets=True))
    error = of_sdk(failed.value, address, "signing in")

    assert error.condition == "EVENTHUBS_PROXY"
    assert "user:" in str(failed.value)
    assert "user:" not in str(error)
    assert not shows_sign_in("the connection ended")


def test_errors_with_a_proxy_that_can_be_parsed_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://user:pa%2Fss@127.0.0.1:1")

    assert not shows_sign_in("user and pa")


@pytest.mark.parametrize("word", ["not-found", "server-busy"])
def test_an_error_of_the_service_is_kept_next_to_a_malformed_proxy(monkeypatch: pytest.MonkeyPatch, word: str) -> None:
    monkeypatch.setenv("https_proxy", "http://user:pa/ss@127.0.0.1:1")
    over_amqp = HubAddress(host="contoso.net", hub="orders")
    over_sockets = HubAddress(host="contoso.net", hub="orders", network=Network(over_sockets=True))
    said = OSError(f"amqp:{word}: the namespace of user refuses it")

    plain, masked = (of_sdk(said, address, "reading") for address in (over_amqp, over_sockets))

    assert plain.condition == masked.condition
    assert plain.condition in {"EVENTHUBS_NOT_FOUND", "EVENTHUBS_THROTTLED"}
    assert "the namespace of user" in str(plain)
    assert "user" not in str(masked).partition("***")[2]
