"""A driver whose stream reads with one engine until it is killed, for test_engine_changes.py.

Arguments: the engine, the connection string of the hub, and the folder of checkpoint and rows. It prints `ready` when
Spark runs. Then it reads a word from its input: `go` to read small batches until it is killed, `drain` to read all
events, print how many rows there are and how many different ones, and end.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from pyspark.sql import SparkSession
from pyspark.sql.streaming.listener import StreamingQueryListener

from spark_eventhubs import EventHubsConf, EventPosition, configure_spark_with_eventhubs, read_stream

if TYPE_CHECKING:
    from pyspark.sql.streaming.listener import QueryProgressEvent, QueryStartedEvent, QueryTerminatedEvent

EVENTS_PER_TRIGGER = 400


class EndsWithFailure(StreamingQueryListener):
    """Ends the driver when its query fails, so that the test says so at once."""

    def onQueryStarted(self, event: QueryStartedEvent) -> None:  # noqa: N802 - of Spark
        pass

    def onQueryProgress(self, event: QueryProgressEvent) -> None:  # noqa: N802 - of Spark
        pass

    def onQueryTerminated(self, event: QueryTerminatedEvent) -> None:  # noqa: N802 - of Spark
        if event.exception:
            sys.stderr.write(event.exception)
            sys.stderr.flush()
            os._exit(1)


def main(engine: str, hub: str, place: str) -> None:
    """Runs until it is killed, or until all events are read."""
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    # The engine in Python is used where there is no jar.
    spark = (builder if engine == "python" else configure_spark_with_eventhubs(builder)).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    spark.streams.addListener(EndsWithFailure())
    spark.range(1).collect()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    word = sys.stdin.readline().strip()

    folder = Path(place)
    conf = EventHubsConf.from_connection_string(hub).replace(starting_position=EventPosition.earliest())
    if word == "go":
        conf = conf.replace(max_events_per_trigger=EVENTS_PER_TRIGGER)
    events = read_stream(spark, conf, engine=cast("Literal['jar', 'python']", engine))
    rows = str(folder / "rows")
    checkpoint = str(folder / "checkpoint")
    writer = events.selectExpr("cast(cast(body AS string) AS bigint) AS number", "partition", "sequenceNumber")
    stream = writer.writeStream.format("parquet").option("checkpointLocation", checkpoint).option("path", rows)
    if word == "go":
        stream.start().awaitTermination()
    stream.trigger(availableNow=True).start().awaitTermination()
    # The files of committed batches only, as each reader of the folder sees them.
    found = spark.read.parquet(rows)
    facts = found.selectExpr(
        "count(*) AS rows", "count(DISTINCT number) AS numbers", "min(number) AS least", "max(number) AS most"
    )
    events_read = found.select("partition", "sequenceNumber").distinct().count()
    sys.stdout.write(json.dumps(facts.collect()[0].asDict() | {"events": events_read}) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
