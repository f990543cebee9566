"""Puts the packaged connector on a Spark session, and finds out early when it is not there."""

from __future__ import annotations

import os
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Final

from spark_eventhubs._spark_jars import add_jar

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
            f"{jar} is not there; install the spark-eventhubs wheel, or in a clone run `make build` and then "
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
    """Adds the connector to the jars of the first session of this process, beside those that it has in any other way.

    Set `spark.jars` on the builder before, not after. Left as it is: a builder for a Spark Connect server elsewhere
    (`sc://...`), where the server is given the jar, and one in a job of spark-submit, which is given it with `--jars`.
    """
    options = builder._options  # noqa: SLF001 - Spark shows them nowhere else
    remote = (options.get("spark.remote") or os.environ.get("SPARK_REMOTE", "")).startswith("sc://")
    if not remote and "PYSPARK_GATEWAY_PORT" not in os.environ:
        add_jar(options, str(connector_jar()))
    return builder


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
