"""A client of a Spark Connect server without our jar: reads, streams and writes with the engine in Python.

`connect_without_jar.py FOLDER TELEMETRY COPY`: the last two are connection strings. It prints a JSON object.
"""

# ruff: noqa: T201 - the test reads what it prints
from __future__ import annotations

import json
import sys

from pyspark.sql import SparkSession

from spark_eventhubs import EventHubsConf, read, read_stream, write, write_stream
from spark_eventhubs.errors import EventHubsError, SessionError

folder, telemetry, other = sys.argv[1:]
conf = EventHubsConf.from_connection_string(telemetry).replace(starting_position="earliest")
copy = EventHubsConf.from_connection_string(other).replace(starting_position="earliest")
# SPARK_REMOTE has the address of the server.
spark = SparkSession.builder.getOrCreate()
steps: dict[str, object] = {"session": type(spark).__module__}


def refused(step: str, action: object) -> None:
    """Notes the class and the condition of an error."""
    assert callable(action)
    try:
        action()
    except EventHubsError as error:
        steps[step] = [type(error).__name__, error.condition]
    except Exception as error:  # noqa: BLE001 - the test shows it
        steps[step] = [type(error).__name__, str(error)]


write(spark.range(100).selectExpr("cast(id as string) as body"), conf, engine="python")
steps["batch"] = read(spark, conf, engine="python").count()
steps["name"] = spark.read.format("eventhubs").options(**conf.to_options()).load().count()
try:
    read(spark, conf)
except SessionError as missing:
    steps["jar"] = str(missing)
nobody = conf.from_options(conf.to_options() | {"eventhubs.consumerGroup": "nobody"})
refused("group", lambda: read(spark, nobody, engine="python").count())
refused("guarantee", lambda: write(spark.range(1), copy.replace(delivery_guarantee="exactly-once"), engine="python"))


def copied() -> None:
    """Copies the hub, in two runs of one query."""
    for _ in range(2):
        stream = read_stream(spark, conf.replace(max_events_per_trigger=30), engine="python").select("body")
        query = write_stream(stream, copy, checkpoint_location=folder, engine="python")
        query.trigger(availableNow=True).start().awaitTermination(300)


refused("stream", copied)
written = read(spark, copy, engine="python").select("body")
steps["copied"] = [written.count(), written.distinct().count()]
query = (
    read_stream(spark, nobody, engine="python").writeStream.format("noop").option("checkpointLocation", folder + "-2")
)
refused("stream of no group", lambda: query.start().processAllAvailable())
print(json.dumps(steps))
