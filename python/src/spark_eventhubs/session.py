"""Adds the packaged connector to a Spark session, and checks early that a session has it."""

from __future__ import annotations

import os
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Final

from spark_eventhubs._java import provide_java_for_spark
from spark_eventhubs._spark_jars import add_jar

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CONNECTOR_JAR: Final = "spark-eventhubs_2.13.jar"
SPARK_35_JAR: Final = "spark-eventhubs_2.12.jar"
LOCALHUB_JAR: Final = "spark-eventhubs-localhub.jar"
_PROVIDER: Final = "org.apache.spark.sql.eventhubs.EventHubsSourceProvider"


def packaged_jar(name: str) -> Path:
    """A jar in the wheel."""
    jar = Path(str(files("spark_eventhubs"))) / "jars" / name
    if not jar.is_file():
        raise FileNotFoundError(
            f"{jar} does not exist; install the spark-eventhubs wheel, or in a clone run `make build` and then "
            "`pip install --editable python`"
        )
    return jar


def connector_jar() -> Path:
    """The connector's jar for the installed PySpark. Spark 3.5 (Scala 2.12) has a jar of its own.

    Raises:
        RuntimeError: PySpark is older than 3.5.
    """
    from pyspark import __version__  # noqa: PLC0415 - PySpark is optional: this package imports without it

    if __version__.startswith("3.5."):
        return packaged_jar(SPARK_35_JAR)
    if __version__.startswith(("2.", "3.")):
        raise RuntimeError(f"PySpark is {__version__}; spark-eventhubs needs PySpark 3.5 or 4")
    return packaged_jar(CONNECTOR_JAR)


def configure_spark_with_eventhubs(builder: SparkSession.Builder) -> SparkSession.Builder:
    """Adds the connector to the jars of the first session of this process, and keeps all other jars.

    If you set `spark.jars` on the builder, set it before this call. A builder for a Spark Connect server (`sc://...`)
    and a builder in a job of spark-submit stay unchanged: add the jar to the server, or with `--jars` to spark-submit.
    """
    options = builder._options  # noqa: SLF001 - Spark has no public API for them
    remote = (options.get("spark.remote") or os.environ.get("SPARK_REMOTE", "")).startswith("sc://")
    if not remote and "PYSPARK_GATEWAY_PORT" not in os.environ:
        provide_java_for_spark()
        add_jar(options, str(connector_jar()))
    return builder


# The first name of this function.
configure = configure_spark_with_eventhubs


def require_connector(spark: SparkSession) -> None:
    """Raises an error if a classic session lacks the connector. A Spark Connect server reports it on its own."""
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
            "`configure_spark_with_eventhubs(SparkSession.builder).getOrCreate()`, in a process without a running "
            f"session, or pass --jars {connector_jar().name} to spark-submit"
        ) from None
