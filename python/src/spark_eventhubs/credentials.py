"""Credentials of a query. Their `repr` never shows a secret."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from spark_eventhubs._conf.refusals import option_error, option_type_error

if TYPE_CHECKING:
    from spark_eventhubs.errors import OptionError

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
    """A shared access signature from elsewhere. It is valid until its own expiry."""

    token: str = field(repr=False)

    def to_options(self) -> dict[str, str]:
        """The connector's options for this credential."""
        return {"eventhubs.auth.type": "sas", "eventhubs.auth.sasToken": _not_empty("SasToken.token", self.token)}


@dataclass(frozen=True, kw_only=True)
class ClientSecret:
    """A Microsoft Entra application with its secret."""

    tenant_id: str
    client_id: str
    client_secret: str = field(repr=False)

    def to_options(self) -> dict[str, str]:
        """The connector's options for this credential."""
        return {
            "eventhubs.auth.type": "clientSecret",
            "eventhubs.auth.tenantId": _not_empty("ClientSecret.tenant_id", self.tenant_id),
            "eventhubs.auth.clientId": _not_empty("ClientSecret.client_id", self.client_id),
            "eventhubs.auth.clientSecret": _not_empty("ClientSecret.client_secret", self.client_secret),
        }


@dataclass(frozen=True, kw_only=True)
class ManagedIdentity:
    """The identity of the machine. `client_id` chooses one of several."""

    client_id: str | None = None

    def to_options(self) -> dict[str, str]:
        """The connector's options for this credential."""
        return {"eventhubs.auth.type": "managedIdentity"} | _client(self.client_id)


@dataclass(frozen=True, kw_only=True)
class WorkloadIdentity:
    """The identity of a Kubernetes service account. Missing values come from the pod's environment."""

    tenant_id: str | None = None
    client_id: str | None = None

    def to_options(self) -> dict[str, str]:
        """The connector's options for this credential."""
        tenant = {} if self.tenant_id is None else {"eventhubs.auth.tenantId": self.tenant_id}
        return {"eventhubs.auth.type": "workloadIdentity"} | tenant | _client(self.client_id)


@dataclass(frozen=True, kw_only=True)
class DefaultCredential:
    """The Azure SDK's chain: environment, workload identity, managed identity, developer tools."""

    def to_options(self) -> dict[str, str]:
        """The connector's options for this credential."""
        return {"eventhubs.auth.type": "default"}


Credential = ConnectionString | SasToken | ClientSecret | ManagedIdentity | WorkloadIdentity | DefaultCredential


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


def _client(client_id: str | None) -> dict[str, str]:
    return {} if client_id is None else {"eventhubs.auth.clientId": client_id}


def _not_empty(what: str, value: str) -> str:
    if not isinstance(value, str):
        raise option_type_error(f"{what} is a {type(value).__name__}; expected the text that Azure shows for it")
    if not value.strip():
        raise option_error(f"{what} is empty; expected the value that Azure shows for it")
    return value


def _malformed(why: str) -> OptionError:
    return option_error(f"the connection string is malformed: {why}; expected {_EXPECTED}")
