"""Programs with a mistake in how their session starts: `mistaken_session.py MISTAKE [JAR...]`.

Each runs in a process of its own, because a JVM keeps the jars with which it started. It prints a JSON list for each
exception: a name, the class, the text.
"""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession

import spark_eventhubs
from spark_eventhubs import EventHubsConf, configure_spark_with_eventhubs, read

if TYPE_CHECKING:
    from collections.abc import Callable

CONF = EventHubsConf.from_connection_string(
    "Endpoint=sb://localhost:1/;SharedAccessKeyName=a;SharedAccessKey=c2VjcmV0;EntityPath=h;UseDevelopmentEmulator=true"
)


def builder() -> SparkSession.Builder:
    return SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")


def attempt(name: str, action: Callable[[], object]) -> None:
    try:
        action()
    except Exception as failure:  # noqa: BLE001 - the test looks at the class
        print(json.dumps([name, type(failure).__name__, str(failure)]), flush=True)  # noqa: T201 - for the test
    else:
        print(json.dumps([name, "nothing", ""]), flush=True)  # noqa: T201 - as above


def without_jar() -> None:
    spark = builder().getOrCreate()
    plain = spark.read.format("eventhubs").options(**CONF.to_options())
    attempt("missing jar", lambda: read(spark, CONF))
    attempt("missing jar, plain format", plain.load)
    attempt("helper called after a session exists", lambda: configure_spark_with_eventhubs(builder()))
    spark.stop()
    attempt("session stopped and configured again", lambda: configure_spark_with_eventhubs(builder()))


def with_jars(name: str, jars: str) -> None:
    os.environ["PYSPARK_SUBMIT_ARGS"] = f"--jars {jars} pyspark-shell"
    spark = builder().getOrCreate()
    attempt(name, lambda: read(spark, CONF))
    attempt(f"{name}, plain format", spark.read.format("eventhubs").options(**CONF.to_options()).load)


def with_late_jar(name: str, jar: str) -> None:
    spark = builder().getOrCreate()
    spark.sql(f"ADD JAR '{jar}'")
    options = CONF.to_options()
    attempt(name, spark.read.format("eventhubs").options(**options).load)
    attempt(f"{name}, stream", spark.readStream.format("eventhubs").options(**options).load)
    rows = spark.range(1).selectExpr("cast(id as string) as body")
    attempt(f"{name}, write", rows.write.format("eventhubs").options(**options).mode("append").save)


def cannot_start(name: str) -> None:
    attempt(name, lambda: configure_spark_with_eventhubs(builder()))


if __name__ == "__main__":
    assert spark_eventhubs.__version__
    if sys.argv[1] == "missing jar":
        without_jar()
    elif sys.argv[1] == "ADD JAR":
        with_late_jar(sys.argv[1], sys.argv[2])
    elif len(sys.argv) > 2:
        with_jars(sys.argv[1], sys.argv[2])
    else:
        cannot_start(sys.argv[1])
