"""A driver program that copies one hub into two others until it is killed, for test_exactly_once_kills.py.

Arguments: the folder for checkpoints, the connection string of the source, and for each copy its delivery guarantee and
its connection string. It prints `ready` when Spark runs. Then it reads a word from its input: `go` to copy until it is
killed, `drain` to copy all events and end.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession

from spark_eventhubs import EventHubsConf, EventPosition, configure, read_stream, write_stream

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

# Small batches and triggers, so that kills hit every step of a micro-batch, and batches in flight.
EVENTS_PER_TRIGGER = 1000
WRITE_OPTIONS = {"eventhubs.maxBatchBytes": "4k", "eventhubs.settleDelay": "2s"}


def copy(
    spark: SparkSession, source: str, sink: str, guarantee: str, checkpoint: Path, *, drain: bool
) -> StreamingQuery:
    """A query that copies the bodies of the events."""
    read = (
        EventHubsConf.from_connection_string(source)
        .with_starting_position(EventPosition.earliest())
        .with_max_events_per_trigger(EVENTS_PER_TRIGGER)
    )
    write = EventHubsConf.from_connection_string(sink).with_option("eventhubs.deliveryGuarantee", guarantee)
    for key, value in WRITE_OPTIONS.items():
        write = write.with_option(key, value)
    writer = write_stream(read_stream(spark, read).select("body"), write, checkpoint_location=str(checkpoint))
    return (writer.trigger(availableNow=True) if drain else writer).start()


def main(checkpoints: str, source: str, *copies: str) -> None:
    """Runs until it is killed, or until all events are copied."""
    spark = configure(SparkSession.builder.master("local[2]")).config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    spark.range(1).collect()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    drain = sys.stdin.readline().strip() == "drain"
    queries = [
        copy(spark, source, sink, guarantee, Path(checkpoints, guarantee), drain=drain)
        for guarantee, sink in zip(copies[::2], copies[1::2], strict=True)
    ]
    if not drain:
        spark.streams.awaitAnyTermination()
    for query in queries:
        query.awaitTermination()


if __name__ == "__main__":
    main(*sys.argv[1:])
