"""Proxies of the environment. Libraries show a part of the password of one that they cannot parse."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit
from urllib.request import getproxies

MALFORMED: Final = (
    "the address of a proxy in the environment (HTTPS_PROXY) is malformed; in its user name and password, write "
    "characters such as / ? # as %2F %3F %23"
)
"""What is said instead."""


def shows_sign_in(text: str) -> bool:
    """Whether the text of an error may have a part of the sign-in of a proxy whose address is malformed."""
    return any(part in text for part in _parts())


def masked(text: str) -> str:
    """The text of an error that is not about the proxy, without such parts."""
    for part in _parts():
        text = text.replace(part, "***")
    return text


def _parts() -> list[str]:
    """The longest first, because one may be in another."""
    proxies = getproxies()
    malformed = filter(_ends_in_sign_in, {proxies[kind] for kind in ("https", "http", "all") if kind in proxies})
    found = {
        part
        for address in malformed
        for part in re.split("[/?#:@]", address.rpartition("://")[2].rpartition("@")[0])
        if part
    }
    return sorted(found, key=len, reverse=True)


def _ends_in_sign_in(address: str) -> bool:
    """Whether a character of its sign-in ends the part of the address that has the host."""
    try:
        return "@" in address and "@" not in urlsplit(address if "://" in address else f"//{address}").netloc
    except ValueError:
        return True
