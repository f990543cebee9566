"""A program that reads an event hub into Parquet on a cluster: `cluster_reader.py MASTER FOLDER [slow|named|passed]`.

With `slow` the first task that reads event 0 sleeps. Spark starts a copy of the task, which creates the file `copy`.
The connection string is in the environment, where other users of the machine cannot see it. With `named` the query has
only the name of the variable, and with `passed` the executors have the variable too.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from pyspark import TaskContext
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import udf

from quick_jvm import QUICK_SPARK
from spark_eventhubs import (
    EventHubsConf,
    EventPosition,
    SecretReference,
    configure_spark_with_eventhubs,
    read_stream,
)
from streams import Target


def with_a_slow_task(events: DataFrame, folder: str) -> DataFrame:
    """The same events. The task that reads event 0 is slow."""

    def sleep_at_event_0(body: bytes) -> bytes:
        if body == b"0":
            context = TaskContext.get()
            if context is not None and context.attemptNumber() == 0:
                time.sleep(600)
            Path(folder, "copy").touch()
        return body

    return events.withColumn("body", udf(sleep_at_event_0, "binary")("body"))


def main(master: str, folder: str, how: str = "") -> None:
    """Runs until the process is ended or the query fails."""
    slow = how == "slow"
    variable = "CONNECTION_STRING"
    builder = (
        configure_spark_with_eventhubs(SparkSession.builder.master(master).appName("reader"))
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.executor.memory", "512m")
        .config("spark.executor.extraJavaOptions", QUICK_SPARK)
        .config("spark.ui.enabled", "false")
        .config("spark.speculation", slow)
        .config("spark.speculation.interval", "50ms")
        .config("spark.speculation.quantile", "0.5")
        # A copy must run on another machine than its task, so it must not wait for its preferred location.
        .config("spark.locality.wait", "0s" if slow else "3s")
    )
    if how == "passed":
        builder = builder.config(f"spark.executorEnv.{variable}", os.environ[variable])
    session = builder.getOrCreate()
    is_named = how in {"named", "passed"}
    conf = EventHubsConf.from_connection_string(
        SecretReference.environment(variable) if is_named else os.environ[variable]
    ).replace(starting_position=EventPosition.earliest(), max_events_per_trigger=500)
    events = read_stream(session, conf)
    Target(Path(folder)).writer(with_a_slow_task(events, folder) if slow else events).start().awaitTermination()


if __name__ == "__main__":
    main(*sys.argv[1:])
