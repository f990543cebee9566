"""Finds the Java that runs the local hub and Spark."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

from spark_eventhubs._install import install
from spark_eventhubs._packaged_java import packaged_java, use_for_spark

# Before Java 9 a version began with "1.".
_VERSION: Final = re.compile(r'(?:version |JAVA_VERSION=)"(?:1\.)?(\d+)')
# Of Spark 4 and of the local hub.
OLDEST_JAVA: Final = 17
# Java prints its version within a second. Some wrappers of `java` never do.
_SECONDS_TO_ANSWER: Final = 30


def find_java() -> str:
    """The path of `java`: in JAVA_HOME if that is set, else on PATH, else from the extra `java`.

    With the extra, a `java` on PATH is ignored if it is older than 17 or does not start.

    Raises:
        SessionError: there is none.
    """
    home = os.environ.get("JAVA_HOME")
    if home:
        java = shutil.which("java", path=str(Path(home) / "bin"))
        if java is None:
            raise session_error(
                f"JAVA_HOME is '{home}', which has no bin/java; expected the folder of a JDK 17 or newer"
            )
        return java
    java, packaged = shutil.which("java"), packaged_java()
    if packaged and (java is None or (java_version(java) or 0) < OLDEST_JAVA):
        return packaged
    if java is None:
        raise session_error(
            f"JAVA_HOME is not set and PATH has no java; install a JDK 17 or newer, or {install('java')}"
        )
    return java


def provide_java_for_spark() -> None:
    """Sets JAVA_HOME if only the extra `java` has a Java that runs Spark. Not on Windows."""
    packaged = packaged_java()
    if packaged and os.name == "posix" and not os.environ.get("JAVA_HOME") and find_java() == packaged:
        use_for_spark(packaged)


def java_version(java: str) -> int | None:
    """The feature version of a `java`, such as 17; None if it does not say."""
    release = Path(java).resolve().parent.parent / "release"
    if release.is_file():
        found = _VERSION.search(release.read_text(encoding="utf-8", errors="replace"))
        if found:
            return int(found.group(1))
    try:
        answer = subprocess.run(
            [java, "-version"], capture_output=True, text=True, timeout=_SECONDS_TO_ANSWER, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = _VERSION.search(answer.stderr)
    return int(found.group(1)) if found else None


def session_error(problem: str) -> Exception:
    """The error of a machine on which Spark or the local hub cannot start."""
    from spark_eventhubs.errors import SessionError  # noqa: PLC0415 - imports PySpark where it is installed

    return SessionError(problem)
