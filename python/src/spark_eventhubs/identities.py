"""Identities of Microsoft Entra ID. Their `repr` never shows a secret."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spark_eventhubs._conf.refusals import file_text, not_empty, option_type_error

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike


@dataclass(frozen=True, kw_only=True)
class ClientSecret:
    """A Microsoft Entra application with its secret, which may be a SecretReference.

    `authority_host` is AzureCloud, AzureUSGovernment, AzureChinaCloud or an HTTPS address. By default it is that of
    AZURE_AUTHORITY_HOST, else AzureCloud.
    """

    tenant_id: str
    client_id: str
    client_secret: str = field(repr=False)
    authority_host: str | None = None

    def to_options(self) -> dict[str, str]:
        """The connector's options for this credential."""
        secret = not_empty("ClientSecret.client_secret", self.client_secret)
        return _application("clientSecret", self) | {"eventhubs.auth.clientSecret": secret}


@dataclass(frozen=True, kw_only=True)
class ClientCertificate:
    """A Microsoft Entra application with its certificate and private key.

    The PEM or PFX file must be on the driver and every executor. `password` is that of a PFX file, and may be a
    SecretReference. `authority_host` is as that of ClientSecret.
    """

    tenant_id: str
    client_id: str
    certificate_path: str | PathLike[str]
    password: str | None = field(default=None, repr=False)
    authority_host: str | None = None

    def to_options(self) -> dict[str, str]:
        """The connector's options for this credential."""
        path = file_text("ClientCertificate.certificate_path", self.certificate_path)
        options = _application("clientCertificate", self) | {"eventhubs.auth.certificatePath": path}
        return options | _given("ClientCertificate.password", "certificatePassword", self.password)


@dataclass(frozen=True, kw_only=True)
class ManagedIdentity:
    """The identity of the machine. `client_id` chooses one of several."""

    client_id: str | None = None

    def to_options(self) -> dict[str, str]:
        """The connector's options for this credential."""
        return _type("managedIdentity") | _given("ManagedIdentity.client_id", "clientId", self.client_id)


@dataclass(frozen=True, kw_only=True)
class WorkloadIdentity:
    """The identity of a Kubernetes service account. Missing values come from the pod's environment.

    `token_file_path` is the file of the federated token, on the driver and every executor.
    """

    tenant_id: str | None = None
    client_id: str | None = None
    token_file_path: str | PathLike[str] | None = None
    authority_host: str | None = None

    def to_options(self) -> dict[str, str]:
        """The connector's options for this credential."""
        file = self.token_file_path
        token_file = None if file is None else file_text("WorkloadIdentity.token_file_path", file)
        return (
            _type("workloadIdentity")
            | _given("WorkloadIdentity.tenant_id", "tenantId", self.tenant_id)
            | _given("WorkloadIdentity.client_id", "clientId", self.client_id)
            | _given("WorkloadIdentity.token_file_path", "federatedTokenFile", token_file)
            | _given("WorkloadIdentity.authority_host", "authorityHost", self.authority_host)
        )


@dataclass(frozen=True, kw_only=True)
class DefaultCredential:
    """The Azure SDK's chain: environment, workload identity, managed identity, developer tools."""

    authority_host: str | None = None

    def to_options(self) -> dict[str, str]:
        """The connector's options for this credential."""
        return _type("default") | _given("DefaultCredential.authority_host", "authorityHost", self.authority_host)


@dataclass(frozen=True, kw_only=True)
class CredentialProvider:
    """A class of yours for the JVM that implements `org.apache.spark.eventhubs.credentials.TokenProvider`.

    Its jar must be on the driver and every executor. Its constructor gets `parameters` as a `java.util.Map`; a value
    may be a SecretReference.
    """

    class_name: str
    parameters: Mapping[str, str] | None = field(default=None, repr=False)

    def to_options(self) -> dict[str, str]:
        """The connector's options for this credential."""
        name = not_empty("CredentialProvider.class_name", self.class_name)
        options = _type("credentialProvider") | {"eventhubs.auth.credentialProvider": name}
        if not self.parameters:
            return options
        texts: list[object] = [*self.parameters, *self.parameters.values()]
        if not all(isinstance(text, str) for text in texts):
            raise option_type_error("CredentialProvider.parameters has a key or value that is no text")
        return options | {"eventhubs.auth.tokenParameters": json.dumps(dict(self.parameters))}


def _application(kind: str, application: ClientSecret | ClientCertificate) -> dict[str, str]:
    name = type(application).__name__
    return {
        "eventhubs.auth.type": kind,
        "eventhubs.auth.tenantId": not_empty(f"{name}.tenant_id", application.tenant_id),
        "eventhubs.auth.clientId": not_empty(f"{name}.client_id", application.client_id),
    } | _given(f"{name}.authority_host", "authorityHost", application.authority_host)


def _type(kind: str) -> dict[str, str]:
    return {"eventhubs.auth.type": kind}


def _given(what: str, option: str, value: str | None) -> dict[str, str]:
    return {} if value is None else {f"eventhubs.auth.{option}": not_empty(what, value)}
