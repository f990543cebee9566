"""Credentials of azure-identity from the texts of the connector's options. The package is imported where it is used."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_CLOUDS: Final = {
    "azurecloud": "login.microsoftonline.com",
    "azureusgovernment": "login.microsoftonline.us",
    "azurechinacloud": "login.chinacloudapi.cn",
}

# As the jar's AuthorityHost: MSAL asks login.microsoftonline.com about any other, unless that is switched off.
_MICROSOFTS: Final = frozenset(
    {
        *_CLOUDS.values(),
        "login.microsoft.com",
        "login.windows.net",
        "sts.windows.net",
        "login-us.microsoftonline.com",
        "login.usgovcloudapi.net",
        "login.partner.microsoftonline.cn",
    }
)

NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    "sas": ("sasToken",),
    "clientsecret": ("tenantId", "clientId", "clientSecret"),
    "clientcertificate": ("tenantId", "clientId", "certificatePath"),
    "managedidentity": (),
    "workloadidentity": (),
    "default": (),
}
"""The options, without `eventhubs.auth.`, that each `eventhubs.auth.type`, in lower case, needs."""


def is_cloud(authority: str) -> bool:
    """Whether an `authorityHost` names a cloud of Microsoft, as the Azure CLI does."""
    return authority.strip().lower() in _CLOUDS


def created(kind: str, texts: Mapping[str, str], network: Mapping[str, Any]) -> Any:  # noqa: ANN401 - of several classes
    """The credential of an `auth.type`. It signs in when it is asked for a token.

    Args:
        kind: of `NEEDED`.
        texts: options without `eventhubs.auth.`, with a secret's text where the option names its place.
        network: keywords of the credentials: how they reach Microsoft Entra ID.

    Raises:
        ImportError: azure-identity is not installed.
        ValueError: a value that the credential refuses.
        OSError: a file cannot be read.
    """
    authority = texts.get("authorityHost") or os.environ.get("AZURE_AUTHORITY_HOST")
    if authority is None:
        return _CREDENTIALS[kind](texts, network)
    address = _CLOUDS.get(authority.strip().lower(), authority)
    # As the connector: at another address than Microsoft's, nobody asks Microsoft about it.
    own = {"disable_instance_discovery": not _is_microsofts(address)}
    return _CREDENTIALS[kind](texts, {**network, "authority": address, **own})


def _is_microsofts(address: str) -> bool:
    plain = address.strip()
    return urlsplit(plain if "://" in plain else f"https://{plain}").hostname in _MICROSOFTS


def _sas(texts: Mapping[str, str], _: Mapping[str, Any]) -> object:
    from azure.core.credentials import AzureSasCredential  # noqa: PLC0415 - optional

    return AzureSasCredential(texts["sasToken"])


def _client_secret(texts: Mapping[str, str], common: Mapping[str, Any]) -> object:
    from azure.identity import ClientSecretCredential  # noqa: PLC0415 - optional

    return ClientSecretCredential(texts["tenantId"], texts["clientId"], texts["clientSecret"], **common)


def _client_certificate(texts: Mapping[str, str], common: Mapping[str, Any]) -> object:
    from azure.identity import CertificateCredential  # noqa: PLC0415 - optional

    content, password = Path(texts["certificatePath"]).read_bytes(), texts.get("certificatePassword")
    return CertificateCredential(
        texts["tenantId"], texts["clientId"], certificate_data=content, password=password, **common
    )


def _managed_identity(texts: Mapping[str, str], common: Mapping[str, Any]) -> object:
    from azure.identity import ManagedIdentityCredential  # noqa: PLC0415 - optional

    # The machine itself answers, so no proxy does.
    transport = {key: common[key] for key in ("transport",) if key in common}
    return ManagedIdentityCredential(client_id=texts.get("clientId"), **transport)


def _workload_identity(texts: Mapping[str, str], common: Mapping[str, Any]) -> object:
    from azure.identity import WorkloadIdentityCredential  # noqa: PLC0415 - optional

    names = {"tenant_id": "tenantId", "client_id": "clientId", "token_file_path": "federatedTokenFile"}
    given = {name: texts[key] for name, key in names.items() if key in texts}
    return WorkloadIdentityCredential(**given, **common)


def _default(_: Mapping[str, str], common: Mapping[str, Any]) -> object:
    from azure.identity import DefaultAzureCredential  # noqa: PLC0415 - optional

    return DefaultAzureCredential(**common)


_CREDENTIALS: Final[Mapping[str, Callable[[Mapping[str, str], Mapping[str, Any]], object]]] = {
    "sas": _sas,
    "clientsecret": _client_secret,
    "clientcertificate": _client_certificate,
    "managedidentity": _managed_identity,
    "workloadidentity": _workload_identity,
    "default": _default,
}
