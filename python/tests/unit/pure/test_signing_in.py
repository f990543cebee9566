"""Tokens of identities, with a credential that the test makes."""

from __future__ import annotations

import time
from threading import Event
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from azure.core.exceptions import ClientAuthenticationError, ServiceRequestError
from pyspark import SparkFiles
from requests.exceptions import ProxyError

from spark_eventhubs._conf.local_files import local_file
from spark_eventhubs._conf.secret_reference import text_at
from spark_eventhubs.errors import EventHubsError
from spark_eventhubs.pure._settings import write_settings
from spark_eventhubs.pure._signing_in import tokens

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from spark_eventhubs.pure._signing_in.address import HubAddress


def address_of(auth: dict[str, str], timeout: str = "30s") -> HubAddress:
    where = {"eventhubs.namespace": "contoso.net", "eventhubs.name": "orders", "eventhubs.operationTimeout": timeout}
    return write_settings(where | {f"eventhubs.auth.{key}": text for key, text in auth.items()}).address


def created_by(monkeypatch: pytest.MonkeyPatch, get_token: Callable[[str], object]) -> list[str]:
    """The kinds of the credentials that were made."""
    made: list[str] = []

    def created(kind: str, *_: object) -> object:
        made.append(kind)
        return SimpleNamespace(get_token=get_token)

    monkeypatch.setattr(tokens, "created", created)
    tokens._credential.cache_clear()  # noqa: SLF001 - of the tests before
    return made


def test_a_sign_in_that_is_not_answered_ends_with_the_operation_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = Event()
    created_by(monkeypatch, lambda _: ended.wait())
    try:
        with pytest.raises(EventHubsError) as failed:
            tokens.signed_in(address_of({"type": "managedIdentity"}, timeout="1s"))
    finally:
        ended.set()

    assert failed.value.condition == "EVENTHUBS_TIMEOUT"
    assert "signing in with 'managedidentity'" in str(failed.value)


@pytest.mark.parametrize(
    ("error", "condition"),
    [
        (ServiceRequestError("lost", error=ProxyError("Tunnel connection failed: 407")), "EVENTHUBS_PROXY"),
        (ServiceRequestError("no proxy, no connection", error=OSError("refused")), "EVENTHUBS_UNREACHABLE"),
        (ClientAuthenticationError("AADSTS700016: Application 'proxy' was not found"), "EVENTHUBS_AUTHENTICATION"),
    ],
)
def test_only_an_error_of_a_proxy_is_called_one(
    monkeypatch: pytest.MonkeyPatch, error: Exception, condition: str
) -> None:
    def refuse(_: str) -> object:
        raise error

    created_by(monkeypatch, refuse)

    with pytest.raises(EventHubsError) as refused:
        tokens.signed_in(address_of({"type": "managedIdentity"}))

    assert refused.value.condition == condition


def test_a_rotated_certificate_is_read_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made = created_by(monkeypatch, lambda _: SimpleNamespace(token="t", expires_on=time.time() + 3600))
    certificate = tmp_path / "application.pem"
    certificate.write_text("first")
    parts = {"tenantId": "t", "clientId": "c", "certificatePath": str(certificate)}
    address = address_of({"type": "clientCertificate", **parts})

    tokens.signed_in(address)
    tokens.signed_in(address)
    assert len(made) == 1
    certificate.write_text("another one")
    tokens.signed_in(address)

    assert len(made) == 2


def test_a_relative_path_is_a_file_that_spark_has_distributed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    sent, here = tmp_path / "sent", tmp_path / "here"
    sent.mkdir()
    here.mkdir()
    (sent / "entra.txt").write_text("secret\n")
    monkeypatch.chdir(here)
    monkeypatch.setattr(SparkFiles, "_is_running_on_worker", True)
    monkeypatch.setattr(SparkFiles, "_root_directory", str(sent))

    assert local_file("entra.txt") == str(sent / "entra.txt")
    assert text_at("{file:entra.txt}") == "secret"
    assert local_file("other.txt") == "other.txt"
    (here / "entra.txt").write_text("nearer")
    assert text_at("{file:entra.txt}") == "nearer"


def test_without_a_spark_context_a_relative_path_stays_as_it_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(SparkFiles, "_sc", None)

    assert local_file("entra.txt") == "entra.txt"
