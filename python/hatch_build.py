"""Adds the jars from sbt to the package, so that one `pip install` installs the connector and the local hub."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

REPOSITORY = Path(__file__).resolve().parent.parent
JARS = (
    REPOSITORY / "core/target/scala-2.13/spark-eventhubs_2.13.jar",
    REPOSITORY / "core/spark-3.5/target/scala-2.12/spark-eventhubs_2.12.jar",
    REPOSITORY / "localhub/target/scala-2.13/spark-eventhubs-localhub.jar",
)


class CopyJars(BuildHookInterface[Any]):
    """Runs before hatchling collects the files of the wheel or the sdist."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Copies the jars. Only an editable install may lack them."""
        del build_data
        if not (REPOSITORY / "build.sbt").is_file():
            return  # An unpacked sdist has the jars in place.
        missing = [jar for jar in JARS if not jar.is_file()]
        if missing and version != "editable":
            named = ", ".join(str(jar.relative_to(REPOSITORY)) for jar in missing)
            raise FileNotFoundError(f"the wheel needs {named}, which does not exist yet; run `make build` first")
        folder = Path(self.root) / "src/spark_eventhubs/jars"
        folder.mkdir(exist_ok=True)
        for jar in JARS:
            if jar.is_file():
                shutil.copy2(jar, folder / jar.name)
