"""Credentials of a query. Their `repr` never shows a secret."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from spark_eventhubs._conf.refusals import option_error, option_type_error
from spark_eventhubs.identities import (
    ClientCertificate,
    ClientSecret,
    CredentialProvider,
    DefaultCredential,
    ManagedIdentity,
    WorkloadIdentity,
    not_empty,
)

if TYPE_CHECKING:
    from spark_eventhubs.errors import OptionError

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
    "entity_path",
]

_KEYS = {
    name.lower(): name
    for name in (
        "Endpoint",
        "HostName",
        "EntityPath",
        "SharedAccessKeyName",
        "SharedAccessKey",
        "SharedAccessSignature",
        "UseDevelopmentEmulator",
        "OperationTimeout",
        "TransportType",
    )
}
_EXPECTED = "Endpoint=sb://<host>/;SharedAccessKeyName=<name>;SharedAccessKey=<key>;EntityPath=<hub>"


@dataclass(frozen=True)
class ConnectionString:
    """Name and key of a shared access policy, as the portal or `LocalHub` shows them."""

    text: str = field(repr=False)

    def __post_init__(self) -> None:
        """Parses the string, so that a malformed one fails here and not in the query."""
        parts = _parts(self.text)
        host = _host(parts)
        if not host:
            raise _malformed("it has no Endpoint with a host")
        if "SharedAccessKey" in parts and "SharedAccessKeyName" not in parts:
            raise _malformed("it has a SharedAccessKey but no SharedAccessKeyName")
        if "SharedAccessKeyName" in parts and "SharedAccessKey" not in parts:
            raise _malformed("it has a SharedAccessKeyName but no SharedAccessKey")
        if not {"SharedAccessKey", "SharedAccessSignature"} & set(parts):
            raise _malformed("it has neither a SharedAccessKey nor a SharedAccessSignature")

    def __repr__(self) -> str:
        """Host and hub, without the key."""
        return f"ConnectionString(host={self.host!r}, hub={self.hub!r}, key=***)"

    @property
    def host(self) -> str:
        """Host of the namespace."""
        return _host(_parts(self.text)) or ""

    @property
    def hub(self) -> str | None:
        """The hub in EntityPath, or None."""
        return _parts(self.text).get("EntityPath")

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


def entity_path(connection_string: str) -> str | None:
    """The hub in a connection string, or None. An encrypted string, which only Scala can read, has None too."""
    try:
        return _parts(connection_string).get("EntityPath")
    except ValueError:  # for example a string that the legacy connector encrypted
        return None


def _host(parts: dict[str, str]) -> str | None:
    if "Endpoint" not in parts:
        return parts.get("HostName")
    try:
        url = urlsplit(parts["Endpoint"])
        _ = url.port  # a port that is no number raises an error here
    except ValueError:
        raise _malformed("its Endpoint is not a URL such as sb://<host>/") from None
    return url.hostname


def _parts(connection_string: str) -> dict[str, str]:
    if not isinstance(connection_string, str):
        raise option_type_error(
            f"the connection string is a {type(connection_string).__name__}; expected the text that the Azure portal "
            "shows"
        )
    if not connection_string.strip():
        raise _malformed("it is empty")
    if connection_string.strip()[0] in "\"'":
        raise _malformed("it is in quotes")
    if "accountname=" in connection_string.lower():
        raise _malformed("it is of a storage account")
    parts: dict[str, str] = {}
    for part in filter(None, (piece.strip() for piece in connection_string.split(";"))):
        key, equals, value = part.partition("=")
        name = _KEYS.get(key.strip().lower())
        if not equals or not value.strip():
            raise _malformed(f"part {len(parts) + 1} is not <name>=<value>")
        if name is None:
            # The text may be a part of a key, so the error does not show it.
            raise _malformed(f"part {len(parts) + 1} has a name that is not one of {', '.join(_KEYS.values())}")
        if name in parts:
            raise _malformed(f"{name} occurs twice")
        parts[name] = value.strip()
    return parts


def _malformed(why: str) -> OptionError:
    return option_error(f"the connection string is malformed: {why}; expected {_EXPECTED}")
