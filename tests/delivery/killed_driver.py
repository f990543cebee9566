"""A driver program that copies one hub, or several, into two others until it is killed, for test_exactly_once_kills.py.

Arguments: the folder for checkpoints, the connection string of a source, the names of all sources with commas between
them, and for each copy its delivery guarantee and its connection string. It prints `ready` when Spark runs. Then it
reads words from its input: `go` to copy until it is killed, `drain` to copy all events and end, `busy` to copy while
its tasks compute for long between two events, `slow` to copy a few events a second, and, in the midst of copying,
`restart` to stop the queries and start them again at once.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession
from pyspark.sql.streaming.listener import StreamingQueryListener

from spark_eventhubs import EventHubsConf, EventPosition, configure_spark_with_eventhubs, read_stream, write_stream

if TYPE_CHECKING:
    from pyspark.sql.streaming.listener import QueryProgressEvent, QueryStartedEvent, QueryTerminatedEvent
    from pyspark.sql.streaming.query import StreamingQuery

# Small batches and triggers, so that kills hit every step of a micro-batch, and batches in flight.
EVENTS_PER_TRIGGER = {"slow": 50}
WRITE_OPTIONS = {"eventhubs.maxBatchBytes": "4k", "eventhubs.settleDelay": "2s"}

# A connection that stalls is noticed after a quarter of the time, and what it holds arrives within 10 seconds.
STALL_OPTIONS = {
    "eventhubs.operationTimeout": os.environ["OPERATION_TIMEOUT"],
    "eventhubs.settleDelayAfterTimeout": "10s",
}

# One event of 400 keeps its task busy for seconds, longer than the settle delay, without noticing that it was killed.
# The text is computed in each step: Spark would keep a constant of this size with the plan of each of its last batches.
_LONG = "aggregate(sequence(1, 100), '', (hash, n) -> sha2(concat(hash, repeat('x', 10000000 + n)), 512))"
BUSY_BODY = (
    f"if(cast(cast(body as string) as int) % 400 = 399, if({_LONG} = '', cast('' as binary), body), body) as body"
)


class EndsWithFirstFailure(StreamingQueryListener):
    """Ends the driver when a query fails, so that the test says so at once."""

    def onQueryStarted(self, event: QueryStartedEvent) -> None:  # noqa: N802 - of Spark
        pass

    def onQueryProgress(self, event: QueryProgressEvent) -> None:  # noqa: N802 - of Spark
        pass

    def onQueryTerminated(self, event: QueryTerminatedEvent) -> None:  # noqa: N802 - of Spark
        if event.exception:
            sys.stderr.write(event.exception)
            sys.stderr.flush()
            os._exit(1)


def copy(
    spark: SparkSession, source: EventHubsConf, sink: str, guarantee: str, checkpoint: Path, *, word: str
) -> StreamingQuery:
    """A query that copies the bodies of the events."""
    read = source.replace(
        starting_position=EventPosition.earliest(), max_events_per_trigger=EVENTS_PER_TRIGGER.get(word, 1000)
    )
    write = EventHubsConf.from_options(
        {"eventhubs.connectionString": sink, "eventhubs.deliveryGuarantee": guarantee, **WRITE_OPTIONS, **STALL_OPTIONS}
    )
    events = read_stream(spark, read).selectExpr(BUSY_BODY if word == "busy" else "body")
    writer = write_stream(events, write, checkpoint_location=str(checkpoint))
    if word == "drain":
        writer = writer.trigger(availableNow=True)
    elif word == "slow":
        writer = writer.trigger(processingTime="1 second")
    return writer.start()


def main(checkpoints: str, source: str, names: str, *copies: str) -> None:
    """Runs until it is killed, or until all events are copied."""
    spark = (
        configure_spark_with_eventhubs(SparkSession.builder.master("local[2]"))
        .config("spark.ui.enabled", "false")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    spark.streams.addListener(EndsWithFirstFailure())
    spark.range(1).collect()
    sys.stdout.write("ready\n")
    sys.stdout.flush()

    hubs = EventHubsConf.from_connection_string(source, eventhub_name=names.split(","))

    def started(word: str) -> list[StreamingQuery]:
        return [
            copy(spark, hubs, sink, guarantee, Path(checkpoints, guarantee), word=word)
            for guarantee, sink in zip(copies[::2], copies[1::2], strict=True)
        ]

    word = sys.stdin.readline().strip()
    queries = started(word)
    for command in sys.stdin if word != "drain" else ():
        for query in queries:
            assert query.exception() is None
            query.stop()
        word = command.strip().replace("restart", word)
        queries = started(word)
    for query in queries:
        query.awaitTermination()


if __name__ == "__main__":
    main(*sys.argv[1:])
