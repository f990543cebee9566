"""Hosts, with a port or without, in the forms that the jar reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from spark_eventhubs._conf.azure_identity import is_cloud
from spark_eventhubs.pure._errors import failure

if TYPE_CHECKING:
    from urllib.parse import SplitResult

_NAMESPACE: Final = "the host name of a namespace, such as contoso.servicebus.windows.net"
_ENDPOINT: Final = "a host with or without a port, such as gateway.contoso.com:5671"
_PROXY: Final = "an HTTP proxy as host:port, such as proxy.contoso.com:3128"
_AUTHORITY: Final = "AzureCloud, AzureUSGovernment, AzureChinaCloud or an address such as https://login.contoso.com"


def without_sign_in(text: str) -> str:
    """The text of an address for errors. A password may have each character, so the last `@` ends it."""
    return f"***{text[text.rindex('@') :]}" if "@" in text else text


def namespace_at(key: str, text: str) -> str:
    """The host of a namespace, in lower case. A short name does not identify the cloud."""
    parts = _parts(text, "sb")
    if parts is None or parts.port is not None or not ("." in _host(parts) or parts.hostname == "localhost"):
        raise _wrong(key, text, _NAMESPACE)
    return _host(parts)


def endpoint_at(key: str, text: str) -> str:
    """Host and port, if it has one."""
    parts = _parts(text, "sb")
    if parts is None:
        raise _wrong(key, text, _ENDPOINT)
    return _host(parts) if parts.port is None else f"{_host(parts)}:{parts.port}"


def proxy_at(key: str, text: str) -> str:
    """Host and port of a proxy, which needs both."""
    parts = _parts(text, "http")
    if parts is None or parts.scheme.lower() != "http" or not parts.port:
        raise _wrong(key, text, _PROXY)
    return f"{_host(parts)}:{parts.port}"


def require_authority(key: str, text: str) -> None:
    """Refuses what is neither a cloud nor the address of a sign-in service."""
    parts = _parts(text, "")
    is_address = parts is not None and parts.scheme.lower() == "https" and parts.path in {"", "/"}
    if not is_cloud(text) and (parts is None or not is_address or parts.query or parts.fragment):
        raise _wrong(key, text, _AUTHORITY)


def _parts(text: str, scheme: str) -> SplitResult | None:
    """The parts of an address; None for what is none, and for one with a sign-in, which no option has."""
    try:
        plain = text.strip()
        found = urlsplit(plain if "://" in plain or plain.startswith("//") else f"{scheme}://{plain}")
        _ = found.port  # a port that is no number raises an error here
    except ValueError:
        return None
    return found if found.hostname and "@" not in found.netloc and " " not in plain else None


def _host(parts: SplitResult) -> str:
    host = parts.hostname or ""
    return f"[{host}]" if ":" in host else host


def _wrong(key: str, text: str, expected: str) -> Exception:
    return failure("EVENTHUBS_INVALID_OPTION", key=key, value=without_sign_in(text), expected=expected)
