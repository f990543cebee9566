"""Credential objects of azure.identity and azure.core, as installed."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest
from azure.core.credentials import AzureNamedKeyCredential, AzureSasCredential
from azure.core.exceptions import AzureError
from azure.eventhub import EventHubSharedKeyCredential
from azure.identity import (
    AzureAuthorityHosts,
    AzureCliCredential,
    CertificateCredential,
    ClientSecretCredential,
    DefaultAzureCredential,
    ManagedIdentityCredential,
    SharedTokenCacheCredential,
    WorkloadIdentityCredential,
)
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from spark_eventhubs import EventHubsConf

if TYPE_CHECKING:
    from pathlib import Path

    from spark_eventhubs._conf.azure_credentials import AzureCredential

SIGN_IN = ("ns.example.net", "telemetry")


def sign_in(credential: AzureCredential) -> dict[str, str]:
    conf = EventHubsConf.from_credential(
        credential, fully_qualified_namespace="ns.example.net", eventhub_name="telemetry"
    )
    assert (conf["eventhubs.namespace"], conf["eventhubs.name"]) == SIGN_IN
    return {key.removeprefix("eventhubs.auth."): text for key, text in conf.items() if ".auth." in key}


def refusal(credential: object) -> str:
    with pytest.raises(TypeError) as refused:
        sign_in(credential)  # type: ignore[arg-type]
    return str(refused.value)


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AZURE_CLIENT_ID", "AZURE_TENANT_ID", "AZURE_AUTHORITY_HOST", "AZURE_FEDERATED_TOKEN_FILE"):
        monkeypatch.delenv(name, raising=False)


def test_a_client_secret() -> None:
    credential = ClientSecretCredential("tenant-1", "client-1", "s3cr3t")

    assert sign_in(credential) == {
        "type": "clientSecret",
        "tenantId": "tenant-1",
        "clientId": "client-1",
        "clientSecret": "s3cr3t",
    }


def test_a_client_secret_of_another_cloud() -> None:
    china = ClientSecretCredential("tenant-1", "client-1", "s3cr3t", authority="login.chinacloudapi.cn")

    assert sign_in(china)["authorityHost"] == "https://login.chinacloudapi.cn"


def test_a_certificate_is_refused_with_its_counterpart(tmp_path: Path) -> None:
    file = tmp_path / "client.pem"
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "app")])
    now = datetime.now(timezone.utc)
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1, now, now + timedelta(days=1))
    certificate = builder.sign(key, hashes.SHA256())
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    file.write_bytes(private + certificate.public_bytes(Encoding.PEM))

    said = refusal(CertificateCredential("tenant-1", "client-1", str(file)))

    assert "ClientCertificate(tenant_id='tenant-1', client_id='client-1', certificate_path=...)" in said
    assert "PRIVATE" not in said


def test_a_managed_identity() -> None:
    assert sign_in(ManagedIdentityCredential()) == {"type": "managedIdentity"}
    assert sign_in(ManagedIdentityCredential(client_id="client-1")) == {
        "type": "managedIdentity",
        "clientId": "client-1",
    }


def test_a_managed_identity_by_its_object_is_refused() -> None:
    by_object = ManagedIdentityCredential(identity_config={"object_id": "object-1"})

    assert "expected ManagedIdentity(client_id=...)" in refusal(by_object)


def test_a_workload_identity(monkeypatch: pytest.MonkeyPatch) -> None:
    credential = WorkloadIdentityCredential(tenant_id="tenant-1", client_id="client-1", token_file_path="/token")

    options = {"type": "workloadIdentity", "tenantId": "tenant-1", "clientId": "client-1"}
    assert sign_in(credential) == options | {"federatedTokenFile": "/token"}
    monkeypatch.setenv("AZURE_FEDERATED_TOKEN_FILE", "/token")
    assert sign_in(credential) == options


def test_the_default_chain() -> None:
    assert sign_in(DefaultAzureCredential()) == {"type": "default"}


def test_a_default_chain_with_settings_is_refused() -> None:
    expected = "DefaultAzureCredential has settings of its own, which cannot be carried to Spark's JVM"

    assert expected in refusal(DefaultAzureCredential(exclude_cli_credential=True))
    assert expected in refusal(DefaultAzureCredential(managed_identity_client_id="client-1"))
    assert expected in refusal(DefaultAzureCredential(process_timeout=60))
    assert expected in refusal(DefaultAzureCredential(shared_cache_username="someone"))


def test_a_default_chain_with_another_workload_identity_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = "DefaultAzureCredential has settings of its own"

    assert expected in refusal(DefaultAzureCredential(workload_identity_client_id="other"))
    for name in ("AZURE_CLIENT_ID", "AZURE_TENANT_ID", "AZURE_FEDERATED_TOKEN_FILE"):
        monkeypatch.setenv(name, "of-the-pod")
    assert expected in refusal(DefaultAzureCredential(workload_identity_client_id="other"))
    assert expected in refusal(DefaultAzureCredential(workload_identity_tenant_id="other"))
    created_before = DefaultAzureCredential()
    monkeypatch.setenv("AZURE_FEDERATED_TOKEN_FILE", "/elsewhere")
    assert expected in refusal(created_before)
    assert sign_in(DefaultAzureCredential()) == {"type": "default"}


def test_a_default_chain_of_another_cloud(monkeypatch: pytest.MonkeyPatch) -> None:
    government = {"type": "default", "authorityHost": "https://login.microsoftonline.us"}

    assert sign_in(DefaultAzureCredential(authority=AzureAuthorityHosts.AZURE_GOVERNMENT)) == government
    for name in ("AZURE_CLIENT_ID", "AZURE_TENANT_ID", "AZURE_CLIENT_SECRET", "AZURE_FEDERATED_TOKEN_FILE"):
        monkeypatch.setenv(name, "of-the-pod")
    assert sign_in(DefaultAzureCredential(authority=AzureAuthorityHosts.AZURE_GOVERNMENT)) == government


def test_a_default_chain_that_has_looked_for_tokens() -> None:
    credential = DefaultAzureCredential()
    cache = next(each for each in credential.credentials if isinstance(each, SharedTokenCacheCredential))
    with pytest.raises(AzureError):
        cache.get_token("https://eventhubs.azure.net/.default")

    assert sign_in(credential) == {"type": "default"}


def test_another_cloud_and_another_setting_are_refused() -> None:
    credential = DefaultAzureCredential(authority=AzureAuthorityHosts.AZURE_CHINA, exclude_cli_credential=True)

    assert "has settings of its own" in refusal(credential)


def test_a_shared_access_signature() -> None:
    assert sign_in(AzureSasCredential("SharedAccessSignature sr=x")) == {
        "type": "sas",
        "sasToken": "SharedAccessSignature sr=x",
    }


def test_other_credentials_are_refused_with_the_alternative() -> None:
    assert refusal(AzureCliCredential()) == (
        "AzureCliCredential cannot be carried to Spark's JVM, which signs in itself; expected DefaultCredential(), "
        "which also tries developer tools, or ClientSecret, ManagedIdentity or WorkloadIdentity of spark_eventhubs"
    )
    key = "holds the name and the key of a policy; expected them in a connection string"
    assert key in refusal(AzureNamedKeyCredential("reader", "s3cr3t"))
    assert key in refusal(EventHubSharedKeyCredential("reader", "s3cr3t"))
    assert refusal(object()).startswith("credential is a object; expected a credential of spark_eventhubs")


def test_a_version_of_the_sdk_that_hides_its_values_is_refused() -> None:
    credential = ClientSecretCredential("tenant-1", "client-1", "s3cr3t")
    del credential._client_credential  # noqa: SLF001 - as a later version might

    assert refusal(credential) == (
        "the installed version of the Azure SDK does not show what its ClientSecretCredential holds; expected "
        "ClientSecret(tenant_id=..., client_id=..., client_secret=...) of spark_eventhubs"
    )


def test_a_subclass_of_the_default_credential_may_need_arguments() -> None:
    class Named(DefaultAzureCredential):
        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    assert sign_in(Named("of the team")) == {"type": "default"}
