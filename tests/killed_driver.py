"""A driver that copies one hub into another until it is killed: run as a program by test_exactly_once_kills.py.

Arguments: the connection strings of both hubs, the checkpoint, the delivery guarantee. It says `ready` when Spark runs,
and then takes a word from its input: `go` to copy until it is killed, `drain` to copy what there is.
"""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession

from spark_eventhubs import EventHubsConf, EventPosition, configure, read_stream, write_stream

# Small batches and triggers: a kill meets each step of a micro-batch, and batches that are on the wire.
EVENTS_PER_TRIGGER = 1000
WRITE_OPTIONS = {"eventhubs.maxBatchBytes": "4k", "eventhubs.settleDelay": "2s"}


def main(source: str, sink: str, checkpoint: str, guarantee: str) -> None:
    """Copies events with their properties, which name them."""
    spark = configure(SparkSession.builder.master("local[2]")).config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    spark.range(1).collect()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    word = sys.stdin.readline().strip()
    read = (
        EventHubsConf.from_connection_string(source)
        .with_starting_position(EventPosition.earliest())
        .with_max_events_per_trigger(EVENTS_PER_TRIGGER)
    )
    write = EventHubsConf.from_connection_string(sink).with_option("eventhubs.deliveryGuarantee", guarantee)
    for key, value in WRITE_OPTIONS.items():
        write = write.with_option(key, value)
    writer = write_stream(read_stream(spark, read).select("body"), write, checkpoint_location=checkpoint)
    query = (writer.trigger(availableNow=True) if word == "drain" else writer).start()
    query.awaitTermination()


if __name__ == "__main__":
    main(*sys.argv[1:])
