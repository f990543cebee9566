"""The wheel and the sdist: metadata, licence texts and the jars inside."""

from __future__ import annotations

import tarfile
from email.parser import HeaderParser
from typing import TYPE_CHECKING
from zipfile import ZipFile

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

DIST = "spark_eventhubs"
REQUIRED = (
    "Summary",
    "License-Expression",
    "Requires-Python",
    "Classifier",
    "Project-URL",
    "Author",
    "Description-Content-Type",
)
LICENCE_FILES = {"LICENSE", "NOTICE"}

# What the wheel is built from, besides the package and its jars.
SDIST_FILES = ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "NOTICE", "PKG-INFO")


def metadata_complaints(text: str, version: str, where: str) -> list[str]:
    """Faults of METADATA or PKG-INFO."""
    metadata = HeaderParser().parsestr(text)
    found = [
        f"{where}: {field} is '{metadata[field]}', expected '{expected}'"
        for field, expected in (("Name", "spark-eventhubs"), ("Version", version))
        if metadata[field] != expected
    ]
    found += [f"{where}: {field} is missing" for field in REQUIRED if not metadata[field]]
    missing = LICENCE_FILES.difference(metadata.get_all("License-File", []))
    found += [f"{where}: License-File {name} is missing" for name in sorted(missing)]
    if not str(metadata.get_payload()).strip():
        found.append(f"{where}: the description (the README) is missing")
    return found


def wheel_complaints(wheel: Path, version: str, built: Mapping[str, bytes]) -> list[str]:
    """Faults of the wheel; `built` are the jars by name, as sbt made them."""
    info = f"{DIST}-{version}.dist-info"
    with ZipFile(wheel) as archive:
        names = set(archive.namelist())
        needed = [f"{info}/METADATA", f"{info}/entry_points.txt", f"{DIST}/py.typed"]
        needed += [f"{info}/licenses/{name}" for name in sorted(LICENCE_FILES)]
        needed += [f"{info}/sboms/{name.removesuffix('.jar')}.cdx.json" for name in sorted(built)]
        missing = [f"{wheel.name}: {name} is missing" for name in needed if name not in names]
        if f"{info}/METADATA" not in names:
            return missing
        metadata = archive.read(f"{info}/METADATA").decode()
        inside = {name: archive.read(jar) for name in built if (jar := f"{DIST}/jars/{name}") in names}
    wrong = [
        f"{wheel.name}: {DIST}/jars/{name} is missing or not the one that was built"
        for name, content in built.items()
        if inside.get(name) != content
    ]
    named = [] if wheel.name == f"{DIST}-{version}-py3-none-any.whl" else [f"{wheel.name}: not the wheel of {version}"]
    return [*named, *missing, *wrong, *metadata_complaints(metadata, version, wheel.name)]


def sdist_complaints(sdist: Path, version: str, jars: list[str]) -> list[str]:
    """Faults of the sdist."""
    top = f"{DIST}-{version}"
    with tarfile.open(sdist) as archive:
        files = {member.name for member in archive.getmembers() if member.isfile() and member.size > 0}
        info = archive.extractfile(f"{top}/PKG-INFO") if f"{top}/PKG-INFO" in files else None
        metadata = info.read().decode() if info else ""
    needed = [*SDIST_FILES, f"src/{DIST}/__init__.py", *(f"src/{DIST}/jars/{jar}" for jar in jars)]
    missing = [f"{sdist.name}: {name} is missing" for name in needed if f"{top}/{name}" not in files]
    return missing + metadata_complaints(metadata, version, sdist.name)
