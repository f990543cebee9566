"""The names by which texts of the service and of the connector call a namespace."""

from __future__ import annotations

import re
from typing import Final

_ADDRESS: Final = re.compile(r"[\d.]+|.*:.*")


def names_of(host: str) -> list[str]:
    """The host with its port, without it, and its first label, which is in the service's errors. Longest first."""
    name = re.sub(r":\d+$", "", host)
    first = "" if _ADDRESS.fullmatch(name.strip("[]")) else name.partition(".")[0]
    return [each for each in dict.fromkeys((host, name, first)) if each]
