"""The files of the release on GitHub: jars, Python packages, bills of materials, checksums, and the notes."""

from __future__ import annotations

import hashlib
import re
import shutil
from typing import TYPE_CHECKING

from release import staging

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

CHECKSUMS = "SHA256SUMS"


def notes(changelog: str, version: str) -> str:
    """What the changelog says of a version; empty when it has no section."""
    section = re.search(rf"^## {re.escape(version)} \([^)]*\)\n(.*?)(?=^## |\Z)", changelog, re.DOTALL | re.MULTILINE)
    return section[1].strip() + "\n" if section else ""


def collect(folder: Path, staged: Path, others: Iterable[Path], version: str) -> None:
    """Copies the jars and their bills of materials from the staging folder, and the other files, with checksums."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for artifact in staging.ARTIFACTS:
        for end in (".jar", "-cyclonedx.json"):
            shutil.copy2(staging.folder_of(staged, artifact, version) / f"{artifact.name}-{version}{end}", folder)
    for file in others:
        shutil.copy2(file, folder)
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in sorted(folder.iterdir())]
    (folder / CHECKSUMS).write_text("".join(lines), encoding="utf-8")
