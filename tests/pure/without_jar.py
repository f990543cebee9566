# ruff: noqa: T201 - the test reads what it prints
"""An environment and a session without jars: reads, streams and writes with the engine in Python."""

from __future__ import annotations

import sys
from tempfile import TemporaryDirectory

from pyspark.sql import SparkSession

from spark_eventhubs import EventHubsConf, configure_spark_with_eventhubs, read, read_stream, write, write_stream
from spark_eventhubs.errors import EventHubsError, OptionError, SessionError

conf = EventHubsConf.from_connection_string(sys.argv[1]).replace(starting_position="earliest")
copy = EventHubsConf.from_connection_string(sys.argv[2])
try:
    configure_spark_with_eventhubs(SparkSession.builder)
except SessionError as missing:
    print("wheel:", missing)
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
try:
    read(spark, conf)
except SessionError as missing:
    print("jar:", missing)
write(spark.range(100).selectExpr("cast(id as string) as body"), conf, engine="python")
print("batch:", read(spark, conf, engine="python").count())
print("name:", spark.read.format("eventhubs").options(**conf).load().count())
try:
    read(spark, conf)
except SessionError as missing:
    print("still:", missing)
try:
    with TemporaryDirectory() as folder:
        stream = read_stream(spark, conf, engine="python").select("body")
        writer = write_stream(stream, copy, checkpoint_location=folder, engine="python")
        writer.trigger(availableNow=True).start().awaitTermination(120)
    written = read(spark, copy.replace(starting_position="earliest"), engine="python")
    print("stream:", written.select("body").distinct().count())
except EventHubsError as refused:
    print("stream:", refused)
try:
    write(spark.range(1), conf.replace(delivery_guarantee="exactly-once"), engine="python")
except OptionError as refused:
    print("refused:", refused.condition)
spark.stop()
