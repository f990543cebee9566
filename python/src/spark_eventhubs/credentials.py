"""How a query signs in. None of these shows its secret when it is printed."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

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
    """Name and key of a shared access policy, as the portal or `LocalHub` gives it."""

    text: str = field(repr=False)

    def __post_init__(self) -> None:
        """Reads the string once, so that a malformed one is refused where it was written."""
        parts = _parts(self.text)
        host = urlsplit(parts["Endpoint"]).hostname if "Endpoint" in parts else parts.get("HostName")
        if not host:
            raise _malformed("it has no Endpoint with a host")
        if "SharedAccessKey" in parts and "SharedAccessKeyName" not in parts:
            raise _malformed("it has a SharedAccessKey and no SharedAccessKeyName")
        if "SharedAccessKeyName" in parts and "SharedAccessKey" not in parts:
            raise _malformed("it has a SharedAccessKeyName and no SharedAccessKey")
        if not {"SharedAccessKey", "SharedAccessSignature"} & set(parts):
            raise _malformed("it has neither a SharedAccessKey nor a SharedAccessSignature")

    def __repr__(self) -> str:
        """Host and hub, without the key."""
        return f"ConnectionString(host={self.host!r}, hub={self.hub!r}, key=***)"

    @property
    def host(self) -> str:
        """Host of the namespace."""
        parts = _parts(self.text)
        return (urlsplit(parts["Endpoint"]).hostname if "Endpoint" in parts else parts["HostName"]) or ""

    @property
    def hub(self) -> str | None:
        """The hub that EntityPath names, if it does."""
        return _parts(self.text).get("EntityPath")

    def to_options(self) -> dict[str, str]:
        """The options that sign in this way."""
        return {"eventhubs.connectionString": self.text}


@dataclass(frozen=True, kw_only=True)
class SasToken:
    """A shared access signature that was made elsewhere; it ends with its own expiry."""

    token: str = field(repr=False)

    def to_options(self) -> dict[str, str]:
        """The options that sign in this way."""
        return {"eventhubs.auth.type": "sas", "eventhubs.auth.sasToken": _given("SasToken.token", self.token)}


@dataclass(frozen=True, kw_only=True)
class ClientSecret:
    """An application of Microsoft Entra with its secret."""

    tenant_id: str
    client_id: str
    client_secret: str = field(repr=False)

    def to_options(self) -> dict[str, str]:
        """The options that sign in this way."""
        return {
            "eventhubs.auth.type": "clientSecret",
            "eventhubs.auth.tenantId": _given("ClientSecret.tenant_id", self.tenant_id),
            "eventhubs.auth.clientId": _given("ClientSecret.client_id", self.client_id),
            "eventhubs.auth.clientSecret": _given("ClientSecret.client_secret", self.client_secret),
        }


@dataclass(frozen=True, kw_only=True)
class ManagedIdentity:
    """The identity of the machine; `client_id` picks one of several."""

    client_id: str | None = None

    def to_options(self) -> dict[str, str]:
        """The options that sign in this way."""
        return {"eventhubs.auth.type": "managedIdentity"} | _client(self.client_id)


@dataclass(frozen=True, kw_only=True)
class WorkloadIdentity:
    """The identity of a Kubernetes service account; what is not given comes from the pod's environment."""

    tenant_id: str | None = None
    client_id: str | None = None

    def to_options(self) -> dict[str, str]:
        """The options that sign in this way."""
        tenant = {} if self.tenant_id is None else {"eventhubs.auth.tenantId": self.tenant_id}
        return {"eventhubs.auth.type": "workloadIdentity"} | tenant | _client(self.client_id)


@dataclass(frozen=True, kw_only=True)
class DefaultCredential:
    """Azure's chain: environment, workload identity, managed identity, developer tools."""

    def to_options(self) -> dict[str, str]:
        """The options that sign in this way."""
        return {"eventhubs.auth.type": "default"}


Credential = ConnectionString | SasToken | ClientSecret | ManagedIdentity | WorkloadIdentity | DefaultCredential


def entity_path(connection_string: str) -> str | None:
    """The hub that a connection string names, whatever signs in; None also where only Scala can read the string."""
    try:
        return _parts(connection_string).get("EntityPath")
    except ValueError:  # such as one that the legacy connector encrypted
        return None


def _parts(connection_string: str) -> dict[str, str]:
    parts: dict[str, str] = {}
    for part in filter(None, (piece.strip() for piece in connection_string.split(";"))):
        key, equals, value = part.partition("=")
        name = _KEYS.get(key.strip().lower())
        if not equals or not value.strip():
            raise _malformed(f"part {len(parts) + 1} is not <name>=<value>")
        if name is None:
            # A misplaced piece of a key could stand here, so the text itself is not repeated.
            raise _malformed(f"part {len(parts) + 1} has a name that is not one of {', '.join(_KEYS.values())}")
        if name in parts:
            raise _malformed(f"{name} stands in it twice")
        parts[name] = value.strip()
    return parts


def _client(client_id: str | None) -> dict[str, str]:
    return {} if client_id is None else {"eventhubs.auth.clientId": client_id}


def _given(what: str, value: str) -> str:
    if not value.strip():
        raise ValueError(f"{what} is empty; expected the value that Azure shows for it")
    return value


def _malformed(why: str) -> ValueError:
    return ValueError(f"the connection string is malformed: {why}; expected {_EXPECTED}")
