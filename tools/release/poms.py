"""A POM as Maven Central requires it."""

from __future__ import annotations

from xml.etree import ElementTree

NAMESPACE = {"m": "http://maven.apache.org/POM/4.0.0"}

REQUIRED = (
    "m:name",
    "m:description",
    "m:url",
    "m:licenses/m:license/m:name",
    "m:licenses/m:license/m:url",
    "m:developers/m:developer/m:name",
    "m:scm/m:url",
    "m:scm/m:connection",
)


def complaints(text: str, *, group: str, artifact: str, version: str, may_depend: bool) -> list[str]:
    """Faults of the POM of an artifact. An artifact that contains its libraries must have no dependencies."""
    pom = ElementTree.fromstring(text)  # noqa: S314 -- our own build's file
    where = f"{artifact}.pom"
    expected = {"m:groupId": group, "m:artifactId": artifact, "m:version": version}
    found = [
        f"{where}: {_plain(path)} is '{pom.findtext(path, '', NAMESPACE)}', expected '{value}'"
        for path, value in expected.items()
        if pom.findtext(path, "", NAMESPACE) != value
    ]
    found += [
        f"{where}: {_plain(path)} is missing" for path in REQUIRED if not pom.findtext(path, "", NAMESPACE).strip()
    ]
    if not may_depend and pom.find("m:dependencies", NAMESPACE) is not None:
        found.append(f"{where}: has dependencies, although they are in the jar")
    return found


def _plain(path: str) -> str:
    return path.replace("m:", "")
