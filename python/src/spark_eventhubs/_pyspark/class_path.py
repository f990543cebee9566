"""Which connectors the JVM of a classic session has."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Sequence

PROVIDER: Final = "org.apache.spark.sql.eventhubs.EventHubsSourceProvider"
# Only the jar for Spark 3.5 (Scala 2.12) has this class.
_ONLY_FOR_SCALA_212: Final = "org/apache/spark/eventhubs/Scala213.class"
# Only our connector has this file.
_ONLY_OURS: Final = "error/eventhubs-error-conditions.json"
_JAR: Final = re.compile(r"^jar:file:(?://)?([^!]+\.jar)!")


def problem_of(loader: Any, jvm: Any, jar: str) -> str | None:  # noqa: ANN401 - both of py4j
    """What is wrong with the connectors of a class loader, and what to do; None if there is one that fits.

    Args:
        loader: a Java class loader.
        jvm: the JVM view of py4j.
        jar: the name of the jar that fits the installed PySpark.
    """
    providers = _jars_with(loader, PROVIDER.replace(".", "/") + ".class")
    if not providers:
        return missing(jar)
    if len(providers) > 1:
        ours = _jars_with(loader, _ONLY_OURS)
        legacy = [name for name in providers if name not in ours]
        hint = f"remove the legacy connector {_listed(legacy)}" if legacy else f"keep {jar} and remove the others"
        return f"this Spark session has {len(providers)} Event Hubs connectors, {_listed(providers)}; {hint}"
    if not _jars_with(loader, _ONLY_OURS):
        return f"this Spark session has the legacy connector {providers[0]}; use {jar} instead"
    scala = str(jvm.scala.util.Properties.versionNumberString()).rpartition(".")[0]
    built_for = "2.12" if _jars_with(loader, _ONLY_FOR_SCALA_212) else "2.13"
    if scala not in jar:
        return (
            f"this Spark session has Scala {scala}, and for its Spark there is only {jar}; use a Spark for that Scala"
        )
    if scala != built_for:
        return (
            f"this Spark session has Scala {scala}, and its Event Hubs connector {providers[0]} is for Scala "
            f"{built_for}; use {jar}"
        )
    return None


def missing(jar: str) -> str:
    """What to do about a session without the connector."""
    return (
        "this Spark session does not have the Event Hubs connector; start it with "
        "`configure_spark_with_eventhubs(SparkSession.builder).getOrCreate()`, in a process without a running "
        f"session, or pass --jars {jar} to spark-submit; where no jar may go, use engine='python'"
    )


ON_SERVER: Final = (
    "the Spark Connect server does not have the Event Hubs connector; start the server with --jars and the path of the "
    "connector's jar for its Spark version, or use engine='python', which needs none"
)
"""What to do about a server without the connector."""


def _jars_with(loader: Any, resource: str) -> list[str]:  # noqa: ANN401 - of py4j
    found = loader.getResources(resource)
    by_content: dict[int | str, str] = {}
    while found.hasMoreElements():
        url = found.nextElement().toString()
        jar = _JAR.search(url)
        path = Path(unquote(jar.group(1)) if jar else url)
        # A platform may have copies of one jar in two folders, which do no harm.
        by_content.setdefault(_size(path) or url, path.name)
    return list(by_content.values())


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None


def _listed(names: Sequence[str]) -> str:
    return " and ".join(names)
