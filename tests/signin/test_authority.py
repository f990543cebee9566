from __future__ import annotations

import json
import socket
import ssl
import urllib.request
from base64 import urlsafe_b64decode
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError

import pytest
from azure.core.exceptions import ClientAuthenticationError
from azure.identity import CredentialUnavailableError, DefaultAzureCredential, ManagedIdentityCredential

from identities import EVENT_HUBS, environment, with_certificate, with_secret, with_token_file
from spark_eventhubs import LocalHub
from spark_eventhubs.local_hub import LocalApplication, LocalAuthority, Role

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SUBJECT = "system:serviceaccount:jobs:pipeline"


@pytest.fixture(scope="module")
def hub() -> Iterator[LocalHub]:
    with LocalHub(tls_port=0) as running:
        yield running


@pytest.fixture(scope="module")
def authority(hub: LocalHub) -> Iterator[LocalAuthority]:
    with LocalAuthority(hub) as running:
        yield running


@pytest.fixture
def machine(authority: LocalAuthority) -> Iterator[LocalApplication]:
    """The system-assigned identity of this machine."""
    identity = authority.register("machine", client_id="machine", managed_identity="system")
    yield identity
    with suppress(ValueError):
        identity.delete()


def claims(token: str) -> dict[str, Any]:
    part = token.split(".")[1]
    read: dict[str, Any] = json.loads(urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    return read


def refusal_of(authority: LocalAuthority, credential: Any) -> str:  # noqa: ANN401 - any class of azure.identity
    """The text with which the authority refuses the sign-in."""
    with pytest.raises(ClientAuthenticationError) as refused:
        credential.get_token(EVENT_HUBS)
    assert authority.requests()[-1].status in {400, 401}
    return str(refused.value)


@pytest.mark.parametrize("tenant", ["adfs", None])
def test_a_client_secret_signs_in(authority: LocalAuthority, tenant: str | None) -> None:
    application = authority.register("pipeline")
    tenants = {} if tenant is None else {"tenant": tenant}
    token = with_secret(authority, application, **tenants).get_token(EVENT_HUBS)
    found = claims(token.token)
    assert found["aud"] == "https://eventhubs.azure.net"
    assert (found["appid"], found["oid"]) == (application.client_id, application.object_id)
    assert found["iss"] == f"{authority.url}/{authority.tenant_id}/"
    assert abs(found["exp"] - token.expires_on) <= 2
    assert authority.requests()[-1].client_id == application.client_id


def test_an_application_signs_in_with_each_format_of_its_certificate(authority: LocalAuthority, tmp_path: Path) -> None:
    application = authority.register("pipeline")
    files = application.create_certificate(tmp_path)
    assert "password" not in repr(files).replace(str(tmp_path), "")
    token = with_certificate(authority, application, files.pem).get_token(EVENT_HUBS)
    assert claims(token.token)["appidacr"] == "2"
    new = application.create_certificate(tmp_path, password="p w", keep_old=False)
    assert with_certificate(authority, application, new.pfx, password="p w").get_token(EVENT_HUBS).token


def test_a_certificate_that_is_not_registered_or_has_expired_is_refused(
    authority: LocalAuthority, tmp_path: Path
) -> None:
    application = authority.register("pipeline")
    files = application.create_certificate(tmp_path)
    pem = files.pem.rename(tmp_path / "old.pem")
    application.create_certificate(tmp_path, keep_old=False)
    assert "AADSTS700027" in refusal_of(authority, with_certificate(authority, application, pem))
    expired = application.create_certificate(tmp_path, expired=True)
    assert "AADSTS700024" in refusal_of(authority, with_certificate(authority, application, expired.pem))
    other = authority.register("other")
    assert "AADSTS700027" in refusal_of(authority, with_certificate(authority, other, files.pem))


def test_a_federated_token_signs_in_and_is_read_again_from_its_file(authority: LocalAuthority, tmp_path: Path) -> None:
    application = authority.register("pipeline", federated_subjects=[SUBJECT])
    file = tmp_path / "token"
    file.write_text(authority.federated_token(SUBJECT))
    assert with_token_file(authority, application, file).get_token(EVENT_HUBS).token
    for token, code in (
        (authority.federated_token("system:serviceaccount:jobs:other"), "AADSTS700213"),
        (authority.federated_token(SUBJECT, audience="api://other"), "AADSTS700212"),
        (authority.federated_token(SUBJECT, issuer="https://other"), "AADSTS700211"),
        (authority.federated_token(SUBJECT, lifetime=-timedelta(hours=1)), "AADSTS700024"),
        ("not a token", "AADSTS50027"),
    ):
        file.write_text(token)
        assert code in refusal_of(authority, with_token_file(authority, application, file)), code


def test_what_an_application_has_wrong_is_refused_with_microsofts_codes(authority: LocalAuthority) -> None:
    application = authority.register("pipeline", secret="first")
    old = with_secret(authority, application)
    application.rotate_secret("second", keep_old=True)
    assert old.get_token(EVENT_HUBS).token
    new = application.rotate_secret()
    wrong = refusal_of(authority, with_secret(authority, application))
    assert "AADSTS7000215" in wrong
    assert application.client_id in wrong
    assert "first" not in wrong
    assert new.secret is not None
    assert new.secret not in repr(new)
    assert with_secret(authority, new).get_token(EVENT_HUBS).token
    new.expire_secret()
    assert "AADSTS7000222" in refusal_of(authority, with_secret(authority, new))
    unknown = refusal_of(authority, with_secret(authority, new, tenant="3f0d1d1c-0000-4000-8000-000000000000"))
    assert "AADSTS90002" in unknown or "3f0d1d1c" in unknown
    with pytest.raises(ClientAuthenticationError, match="AADSTS500011"):
        with_secret(authority, authority.register("other")).get_token("https://unknown.example/.default")
    new.delete()
    assert "AADSTS700016" in refusal_of(authority, with_secret(authority, new))


def test_managed_identities_get_tokens_as_in_app_service(
    authority: LocalAuthority, machine: LocalApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = authority.register("pipeline", managed_identity="user")
    with environment(monkeypatch, authority.environment(machine)):
        token = ManagedIdentityCredential(retry_total=0).get_token(EVENT_HUBS)
        assert claims(token.token)["oid"] == machine.object_id
        chosen = ManagedIdentityCredential(client_id=user.client_id, retry_total=0).get_token(EVENT_HUBS)
        assert claims(chosen.token)["oid"] == user.object_id
        with pytest.raises(ClientAuthenticationError):
            ManagedIdentityCredential(client_id="unknown", retry_total=0).get_token(EVENT_HUBS)
        monkeypatch.setenv("IDENTITY_HEADER", "wrong")
        with pytest.raises(ClientAuthenticationError):
            ManagedIdentityCredential(retry_total=0).get_token(EVENT_HUBS)
    with pytest.raises(ValueError, match="'machine' is the system-assigned identity already"):
        authority.register("second", managed_identity="system")


def test_managed_identities_get_tokens_as_on_a_virtual_machine(
    authority: LocalAuthority, machine: LocalApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    with environment(monkeypatch, {"AZURE_POD_IDENTITY_AUTHORITY_HOST": authority.identity_url}):
        token = ManagedIdentityCredential(retry_total=0).get_token(EVENT_HUBS)
        assert claims(token.token)["oid"] == machine.object_id
        machine.delete()
        with pytest.raises((ClientAuthenticationError, CredentialUnavailableError)):
            ManagedIdentityCredential(retry_total=0).get_token(EVENT_HUBS)


def test_the_default_chain_uses_the_environment_of_the_authority(
    authority: LocalAuthority, monkeypatch: pytest.MonkeyPatch
) -> None:
    application = authority.register("pipeline")
    with environment(monkeypatch, authority.environment(application)):
        token = DefaultAzureCredential(disable_instance_discovery=True).get_token(EVENT_HUBS)
    assert claims(token.token)["appid"] == application.client_id


def test_a_throttled_a_failing_and_a_dropped_request_are_faults_on_command(authority: LocalAuthority) -> None:
    application = authority.register("pipeline")
    with authority.fault("throttle", on="token", time=timedelta(seconds=1), count=1):
        # The SDK waits for as long as Retry-After says, and asks again.
        assert with_secret(authority, application, retry_total=1).get_token(EVENT_HUBS).token
    assert [each.status for each in authority.requests() if each.client_id == application.client_id] == [429, 200]
    with authority.fault("fail", on="token", status=500), pytest.raises(ClientAuthenticationError):
        with_secret(authority, application).get_token(EVENT_HUBS)
    with authority.fault("drop", on="token"), pytest.raises(ClientAuthenticationError, match="without response"):
        with_secret(authority, application).get_token(EVENT_HUBS)
    with (
        authority.fault("delay", on="token", time=timedelta(seconds=30)),
        pytest.raises(ClientAuthenticationError, match="timed out"),
    ):
        with_secret(authority, application, read_timeout=0.2).get_token(EVENT_HUBS)
    assert with_secret(authority, application).get_token(EVENT_HUBS).token


def test_lifetime_and_clock_of_the_tokens_change(authority: LocalAuthority) -> None:
    application = authority.register("pipeline")
    now = claims(authority.token(application))
    authority.change(token_lifetime=timedelta(seconds=20), clock_offset=-timedelta(hours=2))
    changed = claims(with_secret(authority, application).get_token(EVENT_HUBS).token)
    assert changed["exp"] - changed["iat"] == 20
    assert 7190 < now["iat"] - changed["iat"] <= 7200
    authority.change(token_lifetime=timedelta(hours=1), clock_offset=timedelta(0))


def test_discovery_names_addresses_of_the_authority_only(authority: LocalAuthority) -> None:
    context = ssl.create_default_context(cafile=str(authority.ca_file))

    def document(path: str) -> Any:  # noqa: ANN401 - JSON
        with urllib.request.urlopen(f"{authority.url}/{path}", context=context) as answer:  # noqa: S310 - our https
            return json.loads(answer.read())

    for name, version in ((authority.tenant_id, "v2.0/"), (authority.tenant_id, ""), ("adfs", "")):
        found = document(f"{name}/{version}.well-known/openid-configuration")
        addresses = [value for key, value in found.items() if key.endswith(("_endpoint", "_uri"))]
        assert len(addresses) == 4
        assert all(address.startswith(f"{authority.url}/{name}/") for address in addresses)
        assert document(found["jwks_uri"].removeprefix(f"{authority.url}/"))["keys"][0]["kty"] == "RSA"
    instances = document("common/discovery/instance?api-version=1.1")
    assert instances["metadata"][0]["aliases"] == [authority.url.removeprefix("https://")]
    with pytest.raises(HTTPError, match="400"):
        document("unknown/v2.0/.well-known/openid-configuration")


def test_a_hub_has_one_authority_at_a_time() -> None:
    with LocalHub() as other, LocalAuthority(other) as first:
        with pytest.raises(ValueError, match="has an authority already"):
            LocalAuthority(other)
        first.close()
        first.close()
        with pytest.raises(ValueError, match="has no authority; start one"):
            first.register("late")


def test_mistakes_in_an_application_are_named(authority: LocalAuthority) -> None:
    with pytest.raises(ValueError, match="'Data Reader' is not a role of Event Hubs; expected one of Azure Event Hubs"):
        authority.register("pipeline", roles=["Data Reader"])
    with pytest.raises(ValueError, match="needs the name of the event hub"):
        authority.register("pipeline", roles=[Role("Data Receiver", consumer_group="dashboards")])
    with pytest.raises(ValueError, match="a managed identity has no secret"):
        authority.register("pipeline", secret="x", managed_identity="user")


def test_a_sign_in_connects_to_this_machine_only(
    authority: LocalAuthority, machine: LocalApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    hosts = []
    connect = socket.socket.connect

    def recorded(self: socket.socket, address: Any) -> None:  # noqa: ANN401 - as the method has it
        hosts.append(address[0])
        connect(self, address)

    application = authority.register("pipeline")
    monkeypatch.setattr(socket.socket, "connect", recorded)
    with_secret(authority, application).get_token(EVENT_HUBS)
    with environment(monkeypatch, authority.environment(machine)):
        ManagedIdentityCredential(retry_total=0).get_token(EVENT_HUBS)
    assert len(hosts) >= 2
    assert set(hosts) <= {"127.0.0.1", "::1"}
