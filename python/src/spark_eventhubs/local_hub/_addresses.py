"""By which host clients on this machine reach a hub that listens on an address."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final

_THIS_MACHINE: Final = "127.0.0.1"


def http_host(listening: str | None) -> str:
    """For HTTP. The name `localhost` may be another address than the one that the hub listens on."""
    address = _address(listening)
    if isinstance(address, IPv6Address) and address.is_loopback:
        return f"[{listening}]"
    return _THIS_MACHINE if _is_local(address) or listening == "localhost" else _bracketed(address, listening)


def endpoint_host(listening: str | None) -> str:
    """For connection strings, as the hub shows them: `localhost`, unless the hub listens elsewhere."""
    address = _address(listening)
    return "localhost" if _is_local(address) else _bracketed(address, listening)


def _address(listening: str | None) -> IPv4Address | IPv6Address | None:
    """None for a host name."""
    try:
        return ip_address(listening or _THIS_MACHINE)
    except ValueError:
        return None


def _is_local(address: IPv4Address | IPv6Address | None) -> bool:
    if address is None:
        return False
    # Loopback has more IPv4 addresses, such as 127.0.0.2, which `localhost` does not reach.
    return address.is_unspecified or address in (IPv4Address(_THIS_MACHINE), IPv6Address("::1"))


def _bracketed(address: IPv4Address | IPv6Address | None, listening: str | None) -> str:
    return f"[{listening}]" if isinstance(address, IPv6Address) else str(listening)
