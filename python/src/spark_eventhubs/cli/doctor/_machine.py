"""Checks Java, PySpark and the jars in its folders, without starting anything but `java -version`."""

from __future__ import annotations

import os
import re
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Final

from spark_eventhubs._install import install
from spark_eventhubs._java import OLDEST_JAVA, find_java, java_version
from spark_eventhubs._session import WITHOUT_SECURITY_MANAGER, connector_jar
from spark_eventhubs.cli.doctor._check import Check, fail, ok, skip, warn
from spark_eventhubs.errors import SessionError

if TYPE_CHECKING:
    from collections.abc import Iterator

_OLDEST_FOR_35: Final = 11
_SCALA_LIBRARY: Final = re.compile(r"scala-library-(2\.\d+)\.")
_CONNECTOR: Final = re.compile(r"spark-eventhubs_(2\.\d+).*\.jar")
_LEGACY: Final = re.compile(r"azure-eventhubs(-spark)?[_-]\d.*\.jar")


def machine_checks() -> Iterator[Check]:
    """Java, PySpark, Scala and jars."""
    spark = _pyspark_version()
    yield _java(spark)
    if spark is None:
        yield skip("pyspark", f"not installed; {install('spark')} for Spark on this machine")
        return
    pyspark = _pyspark(spark)
    yield pyspark
    jars = _spark_home() / "jars"
    if jars.is_dir() and pyspark.status == "ok":
        yield from _jars(jars, sorted(jar.name for jar in jars.glob("*.jar")))


def _pyspark_version() -> str | None:
    try:
        return version("pyspark")
    except PackageNotFoundError:
        return None


def _java(spark: str | None) -> Check:
    try:
        java = find_java()
    except SessionError as missing:
        return fail("java", str(missing))
    found = java_version(java)
    if found is None:
        return fail("java", f"{java} does not say its version", "Set JAVA_HOME to a JDK 17 or newer")
    if _OLDEST_FOR_35 <= found < OLDEST_JAVA and spark is not None and spark.startswith("3.5."):
        return warn("java", f"{found} at {java}", "Enough for Spark 3.5; the local hub needs 17 or newer")
    if found >= WITHOUT_SECURITY_MANAGER and spark is not None and spark.startswith("3.5."):
        return fail("java", f"{found} at {java}", "Spark 3.5 runs on Java 11 to 21; set JAVA_HOME to one")
    if found < OLDEST_JAVA:
        return fail("java", f"{found} at {java}", "Spark 4 and the local hub need 17 or newer; set JAVA_HOME to one")
    return ok("java", f"{found} at {java}")


def _pyspark(spark: str) -> Check:
    try:
        jar = connector_jar()
    except RuntimeError as problem:
        return fail("pyspark", str(problem))
    return ok("pyspark", f"{spark}, with the connector {jar.name}")


def _jars(folder: Path, names: list[str]) -> Iterator[Check]:
    scala = next((found[1] for name in names if (found := _SCALA_LIBRARY.match(name))), None)
    wanted = _CONNECTOR.match(connector_jar().name)
    if scala is None or wanted is None:
        yield fail("scala", f"{folder} has no scala-library", "Install PySpark again, or correct SPARK_HOME")
    elif scala != wanted[1]:
        yield fail(
            "scala",
            f"{folder} is Scala {scala}, but PySpark {version('pyspark')} needs {wanted[1]}",
            "SPARK_HOME and the installed PySpark must have the same version",
        )
    else:
        yield ok("scala", f"{scala} in {folder}")
    yield from _connectors(folder, names, scala)


def _connectors(folder: Path, names: list[str], scala: str | None) -> Iterator[Check]:
    legacy = [name for name in names if _LEGACY.fullmatch(name)]
    ours = [name for name in names if _CONNECTOR.fullmatch(name)]
    wrong = [name for name in ours if scala is not None and f"_{scala}" not in name]
    if legacy:
        yield fail("jars", f"{folder} has {', '.join(legacy)}", "Remove them: both connectors have the same classes")
    elif wrong or len(ours) > 1:
        yield fail("jars", f"{folder} has {', '.join(ours)}", f"Keep one, for Scala {scala}")
    elif ours:
        yield warn("jars", f"{folder} has {ours[0]}", "The package brings its own; remove it if the versions differ")
    else:
        yield ok("jars", "no second connector")


def _spark_home() -> Path:
    from pyspark import __file__ as package  # noqa: PLC0415 - PySpark is optional

    return Path(os.environ.get("SPARK_HOME") or Path(package).parent)
