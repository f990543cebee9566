"""Credentials of a query. Their `repr` never shows a secret."""

from __future__ import annotations

from dataclasses import dataclass, field

from spark_eventhubs._conf.connection_string import parsed
from spark_eventhubs._conf.refusals import not_empty
from spark_eventhubs.identities import (
    ClientCertificate,
    ClientSecret,
    CredentialProvider,
    DefaultCredential,
    ManagedIdentity,
    WorkloadIdentity,
)

__all__ = [
    "ClientCertificate",
    "ClientSecret",
    "ConnectionString",
    "Credential",
    "CredentialProvider",
    "DefaultCredential",
    "ManagedIdentity",
    "SasToken",
    "WorkloadIdentity",
]


@dataclass(frozen=True)
class ConnectionString:
    """Name and key of a shared access policy, as the portal or `LocalHub` shows them."""

    text: str = field(repr=False)

    def __post_init__(self) -> None:
        """Parses the string, so that a malformed one fails here and not in the query."""
        parsed(self.text).require_key()

    def __repr__(self) -> str:
        """Host and hub, without the key."""
        return f"ConnectionString(host={self.host!r}, hub={self.hub!r}, key=***)"

    @property
    def host(self) -> str:
        """Host of the namespace."""
        return parsed(self.text).host

    @property
    def hub(self) -> str | None:
        """The hub in EntityPath, or None."""
        return parsed(self.text).hub

    def to_options(self) -> dict[str, str]:
        """The connector's options for this credential."""
        return {"eventhubs.connectionString": self.text}


@dataclass(frozen=True, kw_only=True)
class SasToken:
    """A shared access signature from elsewhere. The query fails when it expires.

    With `SecretReference.file(path)` the connector reads the file again before the token expires.
    """

    token: str = field(repr=False)

    def to_options(self) -> dict[str, str]:
        """The connector's options for this credential."""
        return {"eventhubs.auth.type": "sas", "eventhubs.auth.sasToken": not_empty("SasToken.token", self.token)}


Credential = (
    ConnectionString
    | SasToken
    | ClientSecret
    | ClientCertificate
    | ManagedIdentity
    | WorkloadIdentity
    | DefaultCredential
    | CredentialProvider
)
