"""The folder that goes to Maven Central: one folder per artifact, each file with checksums and a signature."""

from __future__ import annotations

import hashlib
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from release import boms, jars, poms

if TYPE_CHECKING:
    from pathlib import Path

GROUP = "io.github.spark-eventhubs"
DIGESTS = ("md5", "sha1")


@dataclass(frozen=True)
class Artifact:
    """One artifact of the release."""

    name: str
    bom: str
    assembled: bool


ARTIFACTS = (
    Artifact("spark-eventhubs_2.13", "spark-eventhubs", assembled=True),
    Artifact("spark-eventhubs_2.12", "spark-eventhubs", assembled=True),
    Artifact("spark-eventhubs-localhub_2.13", "spark-eventhubs-localhub", assembled=False),
)


def folder_of(staging: Path, artifact: Artifact, version: str) -> Path:
    """The folder with the files of an artifact."""
    return staging.joinpath(*GROUP.split("."), artifact.name, version)


def complaints(staging: Path, artifact: Artifact, version: str, *, signed: bool) -> list[str]:
    """All faults of one artifact."""
    folder = folder_of(staging, artifact, version)
    prefix = f"{artifact.name}-{version}"
    names = [prefix + end for end in (".jar", ".pom", "-sources.jar", "-javadoc.jar", "-cyclonedx.json")]
    missing = [name for name in names if not (folder / name).is_file()]
    if missing:
        return [f"{artifact.name}: {name} is missing" for name in missing]
    jar, pom, sources, javadoc, bom = (folder / name for name in names)
    return [
        *_unexpected(folder, names),
        *(fault for name in names for fault in _checksums(folder / name)),
        *(fault for name in names if signed for fault in _signature(folder / name)),
        *poms.complaints(
            pom.read_text(encoding="utf-8"),
            group=GROUP,
            artifact=artifact.name,
            version=version,
            may_depend=not artifact.assembled,
        ),
        *(jars.assembled(jar, artifact.bom, jars.CONNECTOR_CLASSES) if artifact.assembled else jars.notices(jar)),
        *jars.contains(jar, ".class", "class"),
        *jars.contains(sources, ".scala", "Scala source"),
        *jars.contains(javadoc, "index.html", "documentation"),
        *boms.complaints(bom.read_text(encoding="utf-8"), bom.name),
    ]


def _unexpected(folder: Path, names: list[str]) -> list[str]:
    signed = {*names, *(f"{name}.asc" for name in names)}
    expected = signed | {f"{name}.{digest}" for name in signed for digest in DIGESTS}
    surplus = sorted(path.name for path in folder.iterdir() if path.name not in expected)
    return [f"{folder.parent.name}: {name} should not be published" for name in surplus]


def _checksums(file: Path) -> list[str]:
    found = []
    for digest in DIGESTS:
        companion = file.with_name(f"{file.name}.{digest}")
        actual = hashlib.new(digest, file.read_bytes(), usedforsecurity=False).hexdigest()
        if not companion.is_file() or companion.read_text(encoding="utf-8").split()[:1] != [actual]:
            found.append(f"{file.name}: its {digest} file is missing or wrong")
    return found


def _signature(file: Path) -> list[str]:
    signature = file.with_name(f"{file.name}.asc")
    verify = ["gpg", "--batch", "--verify", str(signature), str(file)]
    valid = signature.is_file() and subprocess.run(verify, check=False, capture_output=True).returncode == 0
    return [] if valid else [f"{file.name}: its signature is missing or wrong"]
