"""Finds the Java that runs the local hub."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


def find_java() -> str:
    """The path of `java` in JAVA_HOME, or on PATH if JAVA_HOME is not set."""
    home = os.environ.get("JAVA_HOME")
    if home:
        java = shutil.which("java", path=str(Path(home) / "bin"))
        if java is None:
            raise FileNotFoundError(
                f"JAVA_HOME is '{home}', which has no bin/java; expected the folder of a JDK 17 or newer"
            )
        return java
    java = shutil.which("java")
    if java is None:
        raise FileNotFoundError("JAVA_HOME is not set and PATH has no java; install a JDK 17 or newer")
    return java
