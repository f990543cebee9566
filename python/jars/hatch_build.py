"""Adds the jars from sbt to the wheel, and binds it to the package of the same version.

The wheel also gets the jars' bills of materials, in `.dist-info/sboms` (PEP 770), where scanners look for them.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

REPOSITORY = Path(__file__).resolve().parent.parent.parent
JARS = (
    REPOSITORY / "core/target/scala-2.13/spark-eventhubs_2.13.jar",
    REPOSITORY / "core/spark-3.5/target/scala-2.12/spark-eventhubs_2.12.jar",
    REPOSITORY / "localhub/target/scala-2.13/spark-eventhubs-localhub.jar",
)


class CopyJars(BuildHookInterface[Any]):
    """Runs before hatchling collects the files of the wheel or the sdist."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Copies the jars and takes their bills of materials. Only an editable install may lack them."""
        folder = Path(self.root) / "src/spark_eventhubs_jars"
        if (REPOSITORY / "build.sbt").is_file():
            copy_jars(folder, may_lack=version == "editable")
        # An unpacked sdist has the jars in place.
        if self.target_name == "wheel":
            self.boms = tempfile.TemporaryDirectory()
            build_data["sbom_files"] += [str(each) for each in bills_of_materials(folder, Path(self.boms.name))]


class SameVersion(MetadataHookInterface):
    """Runs when hatchling knows the version."""

    def update(self, metadata: dict[str, Any]) -> None:
        """The jars and the package were tested together, so one version needs exactly that of the other."""
        metadata["dependencies"] = [f"spark-eventhubs-core=={metadata['version']}"]


def copy_jars(folder: Path, *, may_lack: bool) -> None:
    """Copies the jars of sbt that there are."""
    missing = [jar for jar in JARS if not jar.is_file()]
    if missing and not may_lack:
        named = ", ".join(str(jar.relative_to(REPOSITORY)) for jar in missing)
        raise FileNotFoundError(f"the wheel needs {named}, which does not exist yet; run `make build` first")
    for jar in JARS:
        if jar.is_file():
            shutil.copy2(jar, folder / jar.name)


def bills_of_materials(jars: Path, folder: Path) -> list[Path]:
    """Writes what each jar says of its libraries (CycloneDX) into the folder, under the name of the jar."""
    written = []
    for jar in sorted(jars.glob("*.jar")):
        with ZipFile(jar) as archive:
            for name in archive.namelist():
                if name.startswith("META-INF/sbom/") and name.endswith(".cdx.json"):
                    bom = folder / f"{jar.stem}.cdx.json"
                    bom.write_bytes(archive.read(name))
                    written.append(bom)
    return written
