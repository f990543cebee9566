"""Finds the Java that runs the local hub."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


def find_java() -> str:
    """The `java` of JAVA_HOME, or else the one on PATH."""
    home = os.environ.get("JAVA_HOME")
    if home:
        java = shutil.which("java", path=str(Path(home) / "bin"))
        if java is None:
            raise FileNotFoundError(
                f"JAVA_HOME is '{home}', where there is no bin/java; expected the folder of a JDK 17+"
            )
        return java
    java = shutil.which("java")
    if java is None:
        raise FileNotFoundError("there is no Java on PATH and no JAVA_HOME; install a JDK 17 or newer")
    return java
