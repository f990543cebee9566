"""Credential objects of the Azure SDK for Python, as ours. Spark's executors sign in themselves, in the JVM.

This module imports nothing of the SDK. It reads what an object holds, and refuses what it cannot read safely.
"""

from __future__ import annotations

import os
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final, Protocol

from spark_eventhubs._conf.azure_settings import authorities, settings_of
from spark_eventhubs._conf.refusals import option_type_error
from spark_eventhubs.credentials import (
    ClientSecret,
    Credential,
    DefaultCredential,
    ManagedIdentity,
    SasToken,
    WorkloadIdentity,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spark_eventhubs.errors import OptionTypeError

_PUBLIC_CLOUD: Final = "https://login.microsoftonline.com"


class TokenCredential(Protocol):
    """A credential of `azure.identity`."""

    @property
    def get_token(self) -> Callable[..., object]:
        """Not called here: the JVM signs in."""


class SasCredential(Protocol):
    """`AzureSasCredential` of `azure.core.credentials`."""

    @property
    def signature(self) -> str:
        """The shared access signature."""


AzureCredential = TokenCredential | SasCredential


def from_azure(credential: object) -> Credential:
    """The credential of ours that signs in as this one does.

    Raises:
        OptionTypeError: it is no credential, or one that cannot be carried to the JVM. The text names the alternative.
    """
    for base in type(credential).__mro__:
        convert = _CONVERTERS.get(base.__name__) if base.__module__.startswith("azure.") else None
        if convert is not None and ".aio" not in base.__module__:
            return convert(credential)
    name = type(credential).__name__
    if type(credential).__module__.startswith("azure."):
        raise option_type_error(
            f"{name} cannot be carried to Spark's JVM, which signs in itself; expected DefaultCredential(), which "
            "also tries developer tools, or ClientSecret, ManagedIdentity or WorkloadIdentity of spark_eventhubs"
        )
    raise option_type_error(
        f"credential is a {name}; expected a credential of spark_eventhubs, such as ManagedIdentity(), or of "
        "azure.identity"
    )


def _client_secret(credential: object) -> Credential:
    tenant, client, secret, authority = (
        getattr(credential, name, None) for name in ("_tenant_id", "_client_id", "_client_credential", "_authority")
    )
    if not (isinstance(tenant, str) and isinstance(client, str) and isinstance(secret, str)):
        raise _unreadable(credential, "ClientSecret(tenant_id=..., client_id=..., client_secret=...)")
    return ClientSecret(
        tenant_id=tenant, client_id=client, client_secret=secret, authority_host=_other_authority(authority)
    )


def _client_certificate(credential: object) -> Credential:
    # The object holds the private key, and not the path of its file.
    tenant, client = (getattr(credential, name, "...") for name in ("_tenant_id", "_client_id"))
    raise option_type_error(
        "CertificateCredential does not keep the path of its file, which the driver and the executors read; expected "
        f"ClientCertificate(tenant_id='{tenant}', client_id='{client}', certificate_path=...) of spark_eventhubs"
    )


def _other_authority(authority: object) -> str | None:
    return authority if isinstance(authority, str) and authority != _PUBLIC_CLOUD else None


def _managed_identity(credential: object) -> Credential:
    # The SDK's versions keep the identity in one of two places.
    inner = getattr(credential, "_credential", None)
    settings = getattr(inner, "_settings", None)
    config = getattr(getattr(inner, "_client", None), "_identity_config", None)
    if isinstance(settings, dict) and "client_id" in settings:
        client, other = settings["client_id"], settings.get("identity_config")
    elif isinstance(config, dict):
        client, other = config.get("client_id"), {key: value for key, value in config.items() if key != "client_id"}
    else:
        raise _unreadable(credential, "ManagedIdentity() or ManagedIdentity(client_id=...)")
    if other or not isinstance(client, (str, type(None))):
        raise option_type_error(
            "ManagedIdentityCredential names an identity other than by its client id, which the connector cannot do; "
            "expected ManagedIdentity(client_id=...)"
        )
    return ManagedIdentity(client_id=client)


def _workload_identity(credential: object) -> Credential:
    inner = getattr(credential, "_client", None)
    tenant, client = (getattr(inner, name, None) for name in ("_tenant_id", "_client_id"))
    file = getattr(credential, "_token_file_path", None)
    if not (isinstance(tenant, str) and isinstance(client, str) and isinstance(file, str)):
        raise _unreadable(credential, "WorkloadIdentity(tenant_id=..., client_id=...)")
    other_file = None if file == os.environ.get("AZURE_FEDERATED_TOKEN_FILE") else file
    authority = _other_authority(getattr(inner, "_authority", None))
    return WorkloadIdentity(tenant_id=tenant, client_id=client, token_file_path=other_file, authority_host=authority)


def _default(credential: object) -> Credential:
    # A subclass may need arguments.
    plain: Any = next(base for base in type(credential).__mro__ if base.__name__ == "DefaultAzureCredential")
    members, chain = _members(credential), _chain(credential)
    with closing(plain()) as without_arguments:
        if chain == _chain(without_arguments):
            return DefaultCredential()
        others = authorities(members) - authorities(_members(without_arguments))
    for authority in others:
        with closing(plain(authority=authority)) as with_authority:
            if chain == _chain(with_authority):
                return DefaultCredential(authority_host=authority)
    raise option_type_error(
        "DefaultAzureCredential has settings of its own, which cannot be carried to Spark's JVM; expected one without "
        "arguments or with an authority only, or ManagedIdentity(client_id=...) or another credential of "
        "spark_eventhubs"
    )


def _chain(credential: object) -> list[object]:
    """The kinds of credential that a default credential tries, with the settings of each."""
    return [
        (
            _managed_identity(member)
            if type(member).__name__ == "ManagedIdentityCredential"
            else type(member).__name__,
            settings_of(member),
        )
        for member in _members(credential)
    ]


def _members(credential: object) -> Sequence[object]:
    members = getattr(credential, "credentials", None)
    if not isinstance(members, (tuple, list)):
        raise _unreadable(credential, "DefaultCredential()")
    return members


def _sas(credential: object) -> Credential:
    signature = getattr(credential, "signature", None)
    if not isinstance(signature, str):
        raise _unreadable(credential, "SasToken(token=...)")
    return SasToken(token=signature)


def _named_key(credential: object) -> Credential:
    raise option_type_error(
        f"{type(credential).__name__} holds the name and the key of a policy; expected them in a connection string: "
        "EventHubsConf(connection_string=...)"
    )


def _unreadable(credential: object, instead: str) -> OptionTypeError:
    return option_type_error(
        f"the installed version of the Azure SDK does not show what its {type(credential).__name__} holds; "
        f"expected {instead} of spark_eventhubs"
    )


_CONVERTERS: Final[dict[str, Callable[[object], Credential]]] = {
    "CertificateCredential": _client_certificate,
    "ClientSecretCredential": _client_secret,
    "ManagedIdentityCredential": _managed_identity,
    "WorkloadIdentityCredential": _workload_identity,
    "DefaultAzureCredential": _default,
    "AzureSasCredential": _sas,
    "AzureNamedKeyCredential": _named_key,
    "EventHubSharedKeyCredential": _named_key,
}
