"""Whether the jars and the Python packages are the same, byte for byte, when they are built again from nothing."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from release import dists

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def complaints(root: Path, projects: Sequence[str], jars: Iterable[Path], dist: Path) -> list[str]:
    """Faults: files that differ when they are built again. The jars are then those of the second build."""
    first = {jar: jar.read_bytes() for jar in jars}
    tasks = [f"{project}/{task}" for task in ("clean", "assembly") for project in projects]
    subprocess.run(["./sbt", "; ".join(tasks)], check=True, cwd=root)
    found = differing(first, {jar: jar.read_bytes() for jar in first})
    with tempfile.TemporaryDirectory() as folder:
        for each in dists.DISTRIBUTIONS:
            command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, str(root / each.folder)]
            subprocess.run(command, check=True, cwd=root)
        packages = {file: file.read_bytes() for file in sorted(dist.iterdir())}
        return found + differing(packages, {file: (Path(folder) / file.name).read_bytes() for file in packages})


def differing(first: dict[Path, bytes], second: dict[Path, bytes]) -> list[str]:
    """One line for each file that is not the same."""
    return [f"{file.name}: differs when it is built again" for file in first if first[file] != second[file]]
