"""Adds the packaged connector to a Spark session, and checks early that a session has it."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from spark_eventhubs._conf.refusals import option_type_error
from spark_eventhubs._java import find_java, java_version, provide_java_for_spark, session_error
from spark_eventhubs._pyspark.class_path import ON_SERVER, missing, problem_of
from spark_eventhubs._spark_jars import add_jar
from spark_eventhubs.conf import EventHubsConf
from spark_eventhubs.pure import has_jar

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CONNECTOR_JAR: Final = "spark-eventhubs_2.13.jar"
SPARK_35_JAR: Final = "spark-eventhubs_2.12.jar"
LOCALHUB_JAR: Final = "spark-eventhubs-localhub.jar"
# The SQL functions of the connector.
EXTENSIONS: Final = "org.apache.spark.sql.eventhubs.EventHubsExtensions"
_EXTENSIONS_KEY: Final = "spark.sql.extensions"
_A_FUNCTION: Final = "from_eventhubs_avro"
# The oldest Java of Spark 4, and of the connector with Spark 3.5.
_JAVA_FOR: Final = {CONNECTOR_JAR: 17, SPARK_35_JAR: 11}
# The Hadoop client of Spark 3.5 asks for its user in a way that needs a security manager since Java 23 (HADOOP-19212).
WITHOUT_SECURITY_MANAGER: Final = 23


def packaged_jar(name: str) -> Path:
    """A jar of the wheel `spark-eventhubs`. The wheel `spark-eventhubs-core` has this package alone.

    Raises:
        SessionError: it is not installed.
    """
    found = find_spec("spark_eventhubs_jars")
    jar = None if found is None or found.origin is None else Path(found.origin).with_name(name)
    if jar is None or not jar.is_file():
        raise session_error(
            f"{name} is not installed: it is in the package spark-eventhubs, not in spark-eventhubs-core; run "
            "`pip install spark-eventhubs` (in a clone `make build`, then `pip install --editable python/jars`); where "
            "no jar may go, use engine='python'"
        )
    return jar


def connector_jar() -> Path:
    """The connector's jar for the installed PySpark. Spark 3.5 (Scala 2.12) has a jar of its own.

    Raises:
        SessionError: PySpark is older than 3.5.
    """
    return packaged_jar(jar_name())


def configure_spark_with_eventhubs(builder: SparkSession.Builder) -> SparkSession.Builder:
    """Adds the connector to the jars and the extensions of the first session of this process, and keeps all others.

    If you set `spark.jars` or `spark.sql.extensions` on the builder, set them before this call. A builder for a Spark
    Connect server (`sc://...`) and a builder in a job of spark-submit stay unchanged: add the jar to the server, or
    with `--jars` to spark-submit, and the extensions with `--conf`.

    Raises:
        SessionError: Spark cannot start (PySpark or Java is missing or too old), or it runs already and lacks the
            connector.
    """
    options = builder._options  # noqa: SLF001 - Spark has no public API for them
    remote = (options.get("spark.remote") or os.environ.get("SPARK_REMOTE", "")).startswith("sc://")
    if not remote and "PYSPARK_GATEWAY_PORT" not in os.environ:
        jar = connector_jar()
        if _jvm() is None:
            provide_java_for_spark()
            require_java(jar.name)
        else:
            _require_connector_in_jvm(jar.name)
        add_jar(options, str(jar))
        chosen = str(options.get(_EXTENSIONS_KEY) or "").split(",")
        options[_EXTENSIONS_KEY] = ",".join(dict.fromkeys([*filter(None, map(str.strip, chosen)), EXTENSIONS]))
    return builder


def options_of(conf: EventHubsConf) -> dict[str, str]:
    """The options of a conf. The text of a refusal has only the type: the value may be a connection string."""
    if isinstance(conf, EventHubsConf):
        return conf.to_options()
    raise option_type_error(
        f"the second argument is a {type(conf).__name__}; expected an EventHubsConf, such as "
        "EventHubsConf.from_connection_string(text)"
    )


def require_connector(spark: SparkSession) -> None:
    """Raises a SessionError if a classic session lacks the connector, or has two, or one for another Scala version.

    A Spark Connect server reports it on its own, unless the name is that of the engine in Python there.
    """
    shared = getattr(getattr(spark, "_jsparkSession", None), "sharedState", None)
    if shared is None:
        if not has_jar(spark):
            raise session_error(ON_SERVER)
        return
    problem = problem_of(shared().jarClassLoader(), spark.sparkContext._jvm, jar_name())  # noqa: SLF001 - as above
    if problem:
        raise session_error(problem)


def require_functions(spark: SparkSession) -> None:
    """Raises a SessionError if the session lacks the connector's SQL functions, and says which line adds them."""
    if not spark.catalog.functionExists(_A_FUNCTION):
        raise session_error(
            f"the session lacks the connector's functions; start it with {_EXTENSIONS_KEY}={EXTENSIONS}, besides other "
            "extensions, as configure_spark_with_eventhubs() does; with Spark Connect, start the server with it"
        )


def jar_name() -> str:
    """The name of the connector's jar for the installed PySpark."""
    from pyspark import __version__  # noqa: PLC0415 - PySpark is optional: this package imports without it

    if __version__.startswith("3.5."):
        return SPARK_35_JAR
    if __version__.startswith(("2.", "3.")):
        raise session_error(f"PySpark is {__version__}; spark-eventhubs needs PySpark 3.5 or 4")
    return CONNECTOR_JAR


def _jvm() -> Any:  # noqa: ANN401 - of py4j
    from pyspark import SparkContext  # noqa: PLC0415 - as above

    return SparkContext._jvm  # noqa: SLF001 - as above


def require_java(jar: str) -> None:
    """Raises a SessionError for a Java that does not run this Spark. Spark's own scripts may set JAVA_HOME."""
    if any((Path(folder) / "spark-env.sh").is_file() for folder in _conf_folders()):
        return
    java = find_java()
    version = java_version(java)
    if version is None:
        return
    if jar == SPARK_35_JAR and version >= WITHOUT_SECURITY_MANAGER:
        raise session_error(
            f"Java is {version} ({java}); Spark 3.5 runs on Java {_JAVA_FOR[jar]} to 21; install one and set JAVA_HOME "
            "to its folder"
        )
    if version < _JAVA_FOR[jar]:
        raise session_error(
            f"Java is {version} ({java}); this PySpark and the connector need Java {_JAVA_FOR[jar]} or newer; "
            "install one and set JAVA_HOME to its folder"
        )


def _conf_folders() -> list[str]:
    if folder := os.environ.get("SPARK_CONF_DIR"):
        return [folder]
    home = os.environ.get("SPARK_HOME")
    return [f"{home}/conf"] if home else []


def _require_connector_in_jvm(jar: str) -> None:
    """The jars of the JVM are fixed when it starts. It outlives its sessions."""
    loader = _jvm().java.lang.Thread.currentThread().getContextClassLoader()
    problem = problem_of(loader, _jvm(), jar)
    if problem == missing(jar):
        raise session_error(
            "Spark runs in this process already and lacks the Event Hubs connector; start a new process (in a "
            "notebook: restart the kernel), and call `configure_spark_with_eventhubs` before the first session starts"
        )
    if problem:
        raise session_error(problem)
