# ruff: noqa: T201 - the test reads what it prints
"""A session without the connector's jar: reads, streams and writes with the engine in Python."""

from __future__ import annotations

import sys
from tempfile import TemporaryDirectory

from pyspark.sql import SparkSession

from spark_eventhubs import EventHubsConf, read, read_stream, write, write_stream
from spark_eventhubs.errors import OptionError, SessionError

conf = EventHubsConf.from_connection_string(sys.argv[1]).replace(starting_position="earliest")
copy = EventHubsConf.from_connection_string(sys.argv[2])
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
try:
    read(spark, conf)
except SessionError as missing:
    print("jar:", missing)
write(spark.range(100).selectExpr("cast(id as string) as body"), conf, engine="python")
print("batch:", read(spark, conf, engine="python").count())
with TemporaryDirectory() as folder:
    stream = read_stream(spark, conf, engine="python").select("body")
    query = write_stream(stream, copy, checkpoint_location=folder, engine="python").trigger(availableNow=True).start()
    query.awaitTermination(120)
print(
    "stream:",
    read(spark, copy.replace(starting_position="earliest"), engine="python").select("body").distinct().count(),
)
try:
    write(spark.range(1), conf.replace(delivery_guarantee="exactly-once"), engine="python")
except OptionError as refused:
    print("refused:", refused.condition)
spark.stop()
