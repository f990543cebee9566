"""Puts the packaged connector on a Spark session, and finds out early when it is not there."""

from __future__ import annotations

import os
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CONNECTOR_JAR: Final = "spark-eventhubs_2.13.jar"
SPARK_35_JAR: Final = "spark-eventhubs_2.12.jar"
LOCALHUB_JAR: Final = "spark-eventhubs-localhub.jar"
_PROVIDER: Final = "org.apache.spark.sql.eventhubs.EventHubsSourceProvider"


def packaged_jar(name: str) -> Path:
    """A jar that the wheel carries."""
    jar = Path(str(files("spark_eventhubs"))) / "jars" / name
    if not jar.is_file():
        raise FileNotFoundError(
            f"{jar} is not there; install the spark-eventhubs wheel, or in a clone run `./sbt assembly` and then "
            "`pip install --editable python`"
        )
    return jar


def connector_jar() -> Path:
    """The connector for the PySpark that is installed: Spark 3.5 (Scala 2.12) has a jar of its own.

    Raises:
        RuntimeError: it is a PySpark older than 3.5.
    """
    from pyspark import __version__  # noqa: PLC0415 - PySpark is the user's, and is not needed to import this package

    if __version__.startswith("3.5."):
        return packaged_jar(SPARK_35_JAR)
    if __version__.startswith(("2.", "3.")):
        raise RuntimeError(f"this is PySpark {__version__}; spark-eventhubs is for 3.5 and 4. Install one of them")
    return packaged_jar(CONNECTOR_JAR)


def configure(builder: SparkSession.Builder) -> SparkSession.Builder:
    """Adds the connector to the jars of the session that `builder` will start, and keeps those that are set already.

    A builder for a Spark Connect server elsewhere (`sc://...`) is left as it is: the jar is given to the server.
    """
    options = getattr(builder, "_options", {})
    if (options.get("spark.remote") or os.environ.get("SPARK_REMOTE", "")).startswith("sc://"):
        return builder
    from pyspark import SparkConf  # noqa: PLC0415 - as above

    jar = str(connector_jar())
    chosen = options.get("spark.jars") or SparkConf().get("spark.jars", "") or ""
    jars = [entry for entry in chosen.split(",") if entry.strip()]
    return builder.config("spark.jars", ",".join([*jars, jar] if jar not in jars else jars))


def require_connector(spark: SparkSession) -> None:
    """Says at once that a classic session lacks the connector; Spark Connect's server answers for itself."""
    shared = getattr(getattr(spark, "_jsparkSession", None), "sharedState", None)
    if shared is None:
        return
    from py4j.protocol import Py4JJavaError  # noqa: PLC0415 - as above

    try:
        shared().jarClassLoader().loadClass(_PROVIDER)
    except Py4JJavaError as failure:
        if "ClassNotFoundException" not in str(failure.java_exception):
            raise
        raise RuntimeError(
            "this Spark session does not have the Event Hubs connector. Start it with "
            "`configure(SparkSession.builder).getOrCreate()`, in a process where no session runs yet, or give "
            f"--jars {connector_jar().name} to spark-submit"
        ) from None
