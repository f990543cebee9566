"""What a connection string says. No error shows a part of it, because each part may be a secret."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from spark_eventhubs._conf.refusals import option_error, option_type_error
from spark_eventhubs._conf.secret_reference import is_reference

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spark_eventhubs.errors import OptionError

_NAMES: Final = {
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
_OPTIONS: Final = {
    "EntityPath": "eventhubs.name",
    "OperationTimeout": "eventhubs.operationTimeout",
    "TransportType": "eventhubs.transport",
}
_EXPECTED: Final = "Endpoint=sb://<host>/;SharedAccessKeyName=<name>;SharedAccessKey=<key>;EntityPath=<hub>"
# Of the legacy connector. A key alone, which is Base64 too, has 44 characters.
_ENCRYPTED: Final = re.compile(r"[A-Za-z0-9+/\s]{100,}={0,2}\s*")


@dataclass(frozen=True)
class ParsedString:
    """A connection string, with a key or without one."""

    host: str
    parts: Mapping[str, str] = field(repr=False)

    @property
    def hub(self) -> str | None:
        """The hub in EntityPath, or None."""
        return self.parts.get("EntityPath")

    @property
    def has_key(self) -> bool:
        """Whether it says how to sign in."""
        return not {"SharedAccessKey", "SharedAccessSignature"}.isdisjoint(self.parts)

    def require_key(self) -> None:
        """Raises an OptionError for a string that does not say how to sign in."""
        if not self.has_key:
            raise _malformed("it has neither a SharedAccessKey nor a SharedAccessSignature")

    def options(self) -> dict[str, str]:
        """The options that say the same as the string, but not how to sign in."""
        others = {option: self.parts[name] for name, option in _OPTIONS.items() if name in self.parts}
        return {"eventhubs.namespace": self.host} | others


def parsed(text: object) -> ParsedString:
    """The string's parts, so that a malformed one fails at the call and not in the query."""
    parts = _parts(text)
    host = _host(parts)
    if not host:
        raise _malformed("it has no Endpoint with a host")
    if "SharedAccessKey" in parts and "SharedAccessKeyName" not in parts:
        raise _malformed("it has a SharedAccessKey but no SharedAccessKeyName")
    if "SharedAccessKeyName" in parts and "SharedAccessKey" not in parts:
        raise _malformed("it has a SharedAccessKeyName but no SharedAccessKey")
    return ParsedString(host, parts)


def is_readable(text: str) -> bool:
    """Whether its text is here. Only the connector reads one that is encrypted or kept elsewhere."""
    return not (_ENCRYPTED.fullmatch(text.strip()) or is_reference(text))


def entity_path(text: object) -> str | None:
    """The hub in a connection string. None without one, and for a string that only the connector can read."""
    try:
        return _parts(text).get("EntityPath")
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


def _parts(connection_string: object) -> dict[str, str]:
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
        name = _NAMES.get(key.strip().lower())
        if not equals or not value.strip():
            raise _malformed(f"part {len(parts) + 1} is not <name>=<value>")
        if name is None:
            # The text may be a part of a key, so the error does not show it.
            raise _malformed(f"part {len(parts) + 1} has a name that is not one of {', '.join(_NAMES.values())}")
        if name in parts:
            raise _malformed(f"{name} occurs twice")
        parts[name] = value.strip()
    return parts


def _malformed(why: str) -> OptionError:
    return option_error(f"the connection string is malformed: {why}; expected {_EXPECTED}")
