"""The two wheels and sdists: metadata, licence texts and the jars inside."""

from __future__ import annotations

import tarfile
from dataclasses import dataclass
from email.parser import HeaderParser
from typing import TYPE_CHECKING
from zipfile import ZipFile

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True)
class Distribution:
    """One of the two packages of PyPI."""

    name: str
    folder: str
    package: str
    has_jars: bool

    @property
    def stem(self) -> str:
        """Its name in the names of files."""
        return self.name.replace("-", "_")

    def files(self, version: str) -> tuple[str, str]:
        """The names of its wheel and its sdist."""
        return f"{self.stem}-{version}-py3-none-any.whl", f"{self.stem}-{version}.tar.gz"

    def needed(self, info: str) -> list[str]:
        """What its wheel has besides jars, metadata and licences."""
        own = [] if self.has_jars else [f"{info}/entry_points.txt", f"{self.package}/py.typed"]
        return [f"{self.package}/__init__.py", *own]


CORE = Distribution("spark-eventhubs-core", "python", "spark_eventhubs", has_jars=False)
JARS = Distribution("spark-eventhubs", "python/jars", "spark_eventhubs_jars", has_jars=True)
DISTRIBUTIONS = (CORE, JARS)
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
# The newest that the action that publishes to PyPI takes. It runs after Maven Central, which takes nothing back.
METADATA_VERSION = "2.4"

# What a wheel is built from, besides the package and its jars.
SDIST_FILES = ("pyproject.toml", "README.md", "LICENSE", "NOTICE", "PKG-INFO")


def metadata_complaints(each: Distribution, text: str, version: str, where: str) -> list[str]:
    """Faults of METADATA or PKG-INFO."""
    metadata = HeaderParser().parsestr(text)
    found = [
        f"{where}: {field} is '{metadata[field]}', expected '{expected}'"
        for field, expected in (("Metadata-Version", METADATA_VERSION), ("Name", each.name), ("Version", version))
        if metadata[field] != expected
    ]
    found += [f"{where}: {field} is missing" for field in REQUIRED if not metadata[field]]
    missing = LICENCE_FILES.difference(metadata.get_all("License-File", []))
    found += [f"{where}: License-File {name} is missing" for name in sorted(missing)]
    if each.has_jars and f"{CORE.name}=={version}" not in metadata.get_all("Requires-Dist", []):
        found.append(f"{where}: it does not need {CORE.name}=={version}")
    if not str(metadata.get_payload()).strip():
        found.append(f"{where}: the description (the README) is missing")
    return found


def wheel_complaints(each: Distribution, wheel: Path, version: str, built: Mapping[str, bytes]) -> list[str]:
    """Faults of a wheel; `built` are its jars by name, as sbt made them."""
    info = f"{each.stem}-{version}.dist-info"
    with ZipFile(wheel) as archive:
        names = set(archive.namelist())
        needed = [f"{info}/METADATA", *each.needed(info)]
        needed += [f"{info}/licenses/{name}" for name in sorted(LICENCE_FILES)]
        needed += [f"{info}/sboms/{name.removesuffix('.jar')}.cdx.json" for name in sorted(built)]
        missing = [f"{wheel.name}: {name} is missing" for name in needed if name not in names]
        if f"{info}/METADATA" not in names:
            return missing
        metadata = archive.read(f"{info}/METADATA").decode()
        inside = {name: archive.read(name) for name in names if name.endswith(".jar")}
    expected = {f"{each.package}/{name}": content for name, content in built.items()}
    wrong = [
        f"{wheel.name}: {name} is missing or not the one that was built"
        for name, content in expected.items()
        if inside.get(name) != content
    ]
    surplus = [f"{wheel.name}: {name} should not be in it" for name in sorted(inside.keys() - expected.keys())]
    named = [] if wheel.name == each.files(version)[0] else [f"{wheel.name}: not the wheel of {version}"]
    return [*named, *missing, *wrong, *surplus, *metadata_complaints(each, metadata, version, wheel.name)]


def sdist_complaints(each: Distribution, sdist: Path, version: str, jars: list[str]) -> list[str]:
    """Faults of an sdist."""
    top = f"{each.stem}-{version}"
    with tarfile.open(sdist) as archive:
        files = {member.name for member in archive.getmembers() if member.isfile() and member.size > 0}
        info = archive.extractfile(f"{top}/PKG-INFO") if f"{top}/PKG-INFO" in files else None
        metadata = info.read().decode() if info else ""
    hook = ["hatch_build.py"] if each.has_jars else []
    source = f"src/{each.package}"
    needed = [*SDIST_FILES, *hook, f"{source}/__init__.py", *(f"{source}/{jar}" for jar in jars)]
    missing = [f"{sdist.name}: {name} is missing" for name in needed if f"{top}/{name}" not in files]
    return missing + metadata_complaints(each, metadata, version, sdist.name)
