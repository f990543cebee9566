from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spark_eventhubs import (
    ClientCertificate,
    ClientSecret,
    ConnectionString,
    CredentialProvider,
    DefaultCredential,
    EventHubsConf,
    ManagedIdentity,
    SasToken,
    SecretReference,
    WorkloadIdentity,
)

if TYPE_CHECKING:
    from spark_eventhubs.credentials import Credential

HUB = "Endpoint=sb://ns.example.net/;SharedAccessKeyName=reader;SharedAccessKey=s3cr3t=;EntityPath=telemetry"


def test_a_connection_string_has_a_host_and_a_hub_and_hides_its_key() -> None:
    parsed = ConnectionString(HUB)

    assert (parsed.host, parsed.hub) == ("ns.example.net", "telemetry")
    assert repr(parsed) == "ConnectionString(host='ns.example.net', hub='telemetry', key=***)"


def test_a_connection_string_may_have_any_order_any_case_and_a_trailing_semicolon() -> None:
    parsed = ConnectionString("entitypath=a;sharedaccesskey=k;SHAREDACCESSKEYNAME=n;endpoint=sb://localhost:5773;")

    assert (parsed.host, parsed.hub) == ("localhost", "a")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it is empty"),
        ("'Endpoint=sb://ns.example.net/;SharedAccessKeyName=n;SharedAccessKey=s3cr3t'", "it is in quotes"),
        ("DefaultEndpointsProtocol=https;AccountName=a;AccountKey=s3cr3t", "it is of a storage account"),
        ("SharedAccessKeyName=n;SharedAccessKey=s3cr3t", "no Endpoint"),
        ("Endpoint=ns.example.net;SharedAccessKeyName=n;SharedAccessKey=s3cr3t", "no Endpoint with a host"),
        ("Endpoint=sb://ns.example.net/", "neither a SharedAccessKey nor a SharedAccessSignature"),
        ("Endpoint=sb://ns.example.net/;SharedAccessKey=s3cr3t", "no SharedAccessKeyName"),
        ("Endpoint=sb://ns.example.net/;SharedAccessKeyName=n", "no SharedAccessKey"),
        ("Endpoint=sb://ns.example.net/;s3cr3t", "part 2 is not <name>=<value>"),
        ("Endpoint=sb://ns.example.net/;s3cr3t=1", "part 2 has a name that is not one of"),
        (
            "Endpoint=sb://a/;Endpoint=sb://b/;SharedAccessKeyName=n;SharedAccessKey=s3cr3t",
            "Endpoint occurs twice",
        ),
    ],
)
def test_a_malformed_connection_string_is_rejected_without_showing_it(text: str, why: str) -> None:
    with pytest.raises(ValueError, match="the connection string is malformed") as refused:
        ConnectionString(text)

    assert why in str(refused.value)
    assert "s3cr3t" not in str(refused.value)


@pytest.mark.parametrize(
    ("credential", "options"),
    [
        (SasToken(token="t0k3n"), {"eventhubs.auth.type": "sas", "eventhubs.auth.sasToken": "t0k3n"}),
        (
            ClientSecret(tenant_id="t", client_id="c", client_secret="s3cr3t"),
            {
                "eventhubs.auth.type": "clientSecret",
                "eventhubs.auth.tenantId": "t",
                "eventhubs.auth.clientId": "c",
                "eventhubs.auth.clientSecret": "s3cr3t",
            },
        ),
        (ManagedIdentity(), {"eventhubs.auth.type": "managedIdentity"}),
        (ManagedIdentity(client_id="c"), {"eventhubs.auth.type": "managedIdentity", "eventhubs.auth.clientId": "c"}),
        (
            WorkloadIdentity(tenant_id="t", client_id="c"),
            {
                "eventhubs.auth.type": "workloadIdentity",
                "eventhubs.auth.tenantId": "t",
                "eventhubs.auth.clientId": "c",
            },
        ),
        (DefaultCredential(), {"eventhubs.auth.type": "default"}),
        (
            DefaultCredential(authority_host="AzureChinaCloud"),
            {"eventhubs.auth.type": "default", "eventhubs.auth.authorityHost": "AzureChinaCloud"},
        ),
        (
            ClientCertificate(tenant_id="t", client_id="c", certificate_path="/c.pfx", password="s3cr3t"),
            {
                "eventhubs.auth.type": "clientCertificate",
                "eventhubs.auth.tenantId": "t",
                "eventhubs.auth.clientId": "c",
                "eventhubs.auth.certificatePath": "/c.pfx",
                "eventhubs.auth.certificatePassword": "s3cr3t",
            },
        ),
        (
            WorkloadIdentity(token_file_path="/token"),
            {"eventhubs.auth.type": "workloadIdentity", "eventhubs.auth.federatedTokenFile": "/token"},
        ),
        (
            CredentialProvider(class_name="com.contoso.Tokens", parameters={"key": "s3cr3t"}),
            {
                "eventhubs.auth.type": "credentialProvider",
                "eventhubs.auth.credentialProvider": "com.contoso.Tokens",
                "eventhubs.auth.tokenParameters": '{"key": "s3cr3t"}',
            },
        ),
    ],
)
def test_a_credential_has_its_options_and_hides_its_secret(
    credential: Credential,
    options: dict[str, str],
) -> None:
    assert credential.to_options() == options
    assert "s3cr3t" not in repr(credential)
    assert "t0k3n" not in repr(credential)


def test_an_empty_secret_is_rejected() -> None:
    with pytest.raises(ValueError, match=r"ClientSecret\.client_secret is empty"):
        ClientSecret(tenant_id="t", client_id="c", client_secret="").to_options()


def test_the_place_of_a_secret_is_its_text_in_the_options() -> None:
    kept = ClientSecret(tenant_id="t", client_id="c", client_secret=SecretReference.file("/run/secrets/entra"))

    assert kept.to_options()["eventhubs.auth.clientSecret"] == "{file:/run/secrets/entra}"
    assert SasToken(token=SecretReference.environment("SAS")).to_options()["eventhubs.auth.sasToken"] == "{env:SAS}"
    assert repr(SecretReference.hadoop("entra")) == "SecretReference('{hadoop:entra}')"


def test_a_connection_string_that_is_kept_elsewhere_needs_no_hub_here() -> None:
    conf = EventHubsConf.from_connection_string(SecretReference.environment("EVENTHUBS"))

    assert conf["eventhubs.connectionString"] == "{env:EVENTHUBS}"
    assert conf.eventhub_name is None


def test_a_place_without_a_name_is_refused() -> None:
    with pytest.raises(ValueError, match="path is empty"):
        SecretReference.file(" ")


def test_parameters_of_a_provider_are_texts() -> None:
    with pytest.raises(TypeError, match=r"CredentialProvider\.parameters has a key or value that is no text"):
        CredentialProvider(class_name="com.contoso.Tokens", parameters={"port": 5}).to_options()  # type: ignore[dict-item]
