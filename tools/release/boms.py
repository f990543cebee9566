"""The bill of materials of a jar: CycloneDX JSON, as sbt-sbom writes it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

# Names that POMs use, by their SPDX identifier.
SPDX = {"The MIT License (MIT)": "MIT", "MIT License": "MIT"}

# Licences that may be in a jar under Apache-2.0. Of several licences the user chooses one.
ALLOWED = frozenset({"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "MIT", "MIT-0"})

SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Component:
    """One bundled library."""

    group: str
    name: str
    version: str
    licences: tuple[str, ...]
    sha256: str

    def __str__(self) -> str:
        return f"{self.group}:{self.name}:{self.version}"


def components(text: str) -> list[Component]:
    """All libraries of a bill of materials."""
    return [
        Component(
            group=found.get("group", ""),
            name=found.get("name", ""),
            version=found.get("version", ""),
            licences=tuple(_licence(choice) for choice in found.get("licenses", [])),
            sha256=next((h["content"] for h in found.get("hashes", []) if h["alg"] == "SHA-256"), ""),
        )
        for found in json.loads(text).get("components", [])
    ]


def _licence(choice: dict[str, dict[str, str]]) -> str:
    licence = choice.get("license", {})
    named = licence.get("id") or licence.get("name", "")
    return SPDX.get(named, named)


def complaints(text: str, where: str) -> list[str]:
    """Faults of a bill of materials."""
    if json.loads(text).get("bomFormat") != "CycloneDX":
        return [f"{where}: the bill of materials is not CycloneDX"]
    listed = components(text)
    found = [] if listed else [f"{where}: the bill of materials lists no library"]
    for component in listed:
        if not (component.group and component.name and component.version):
            found.append(f"{where}: {component} has no full name and version")
        if not SHA256.fullmatch(component.sha256):
            found.append(f"{where}: {component} has no SHA-256")
        if not component.licences:
            found.append(f"{where}: {component} has no licence")
        elif not ALLOWED.intersection(component.licences):
            found.append(f"{where}: {component} has licence {', '.join(component.licences)}, which is not allowed")
    return found
