"""The program that `doctor` starts: it prints what a Spark session sees, as JSON.

The connector's options are its input, if it is to sign in.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from spark_eventhubs._options import OPTIONS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MARK: Final = "spark-eventhubs doctor: "
_PROVIDER: Final = "org/apache/spark/sql/eventhubs/EventHubsSourceProvider.class"
# Spark hides a value for its option's name, or because the value itself looks like a secret.
_VALUE: Final = "abcdefgh"
_STORE: Final = "eventhubs.checkpointStore."
_CONNECTION_STRING: Final = f"Endpoint=sb://host/;SharedAccessKeyName=name;SharedAccessKey={_VALUE};EntityPath=hub"


def main() -> None:
    """Starts and stops a session."""
    from pyspark.sql import SparkSession  # noqa: PLC0415 - PySpark is optional

    from spark_eventhubs._session import configure_spark_with_eventhubs  # noqa: PLC0415 - as above

    builder = SparkSession.builder.master("local[1]").appName("spark-eventhubs doctor")
    spark = configure_spark_with_eventhubs(builder.config("spark.ui.enabled", "false")).getOrCreate()
    jvm: Any = spark.sparkContext._jvm  # noqa: SLF001 - what the session sees has no public API
    report: dict[str, Any] = {
        "spark": spark.version,
        "scala": jvm.scala.util.Properties.versionNumberString(),
        "java": jvm.java.lang.System.getProperty("java.version"),
        "providers": _providers(spark),
        "shown": _shown(spark, jvm),
    }
    options = sys.stdin.read()
    if options and len(report["providers"]) == 1:
        report["sign_in"] = _sign_in(spark, json.loads(options))
    print(f"{MARK}{json.dumps(report)}", flush=True)  # noqa: T201 -- the output of a program
    spark.stop()


def _sign_in(spark: SparkSession, options: dict[str, str]) -> dict[str, str | None]:
    from spark_eventhubs import EventHubsConf, check_sign_in  # noqa: PLC0415 - it imports PySpark

    try:
        found = asdict(check_sign_in(spark, EventHubsConf.from_options(options)))
    except Exception as failure:  # noqa: BLE001 - whatever it is, it is the result
        return {"problem": str(failure)}
    return {name: None if value is None else str(value) for name, value in found.items()}


def _providers(spark: SparkSession) -> list[str]:
    loader = spark._jsparkSession.sharedState().jarClassLoader()  # noqa: SLF001 - as above
    found = loader.getResources(_PROVIDER)
    jars: list[str] = []
    while found.hasMoreElements():
        jars.append(found.nextElement().getPath().partition("!")[0].removeprefix("file:"))
    # A jar that Spark copied for its tasks is the same jar.
    return list({jar.rpartition("/")[2]: jar for jar in jars}.values())


def _shown(spark: SparkSession, jvm: Any) -> list[str]:  # noqa: ANN401 -- a JVM
    # Spark never hides those of a checkpoint store. A query that has them warns at its start.
    secrets = {spec.key: _VALUE for spec in OPTIONS if spec.secret and not spec.key.startswith(_STORE)}
    secrets["eventhubs.connectionString"] = _CONNECTION_STRING
    conf = spark._jsparkSession.sessionState().conf()  # noqa: SLF001 - as above
    hidden = conf.redactOptions(jvm.PythonUtils.toScalaMap(secrets))
    return [key for key in secrets if hidden.apply(key) == secrets[key]]


if __name__ == "__main__":
    main()
