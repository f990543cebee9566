"""A program that watches queries on a Spark Connect server: `connect_watch.py FOLDER CONNECTION_STRING`."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path

from pyspark.sql import SparkSession

from spark_eventhubs import EventHubsConf, EventPosition, progress, read, read_stream, watch

MOST_READS = 50
FULL_BAR = re.compile(r"stage \d+ .* 4/4 +tasks")


def main(folder: str, connection_string: str) -> None:
    """Writes the result of each step to `FOLDER/steps.json`."""
    # SPARK_REMOTE has the address of the server.
    spark = SparkSession.builder.getOrCreate()
    conf = EventHubsConf.from_connection_string(connection_string).replace(starting_position=EventPosition.earliest())
    rows = read_stream(spark, conf.replace(max_events_per_trigger=400)).writeStream.format("noop")
    log, failure, none, bars = io.StringIO(), io.StringIO(), io.StringIO(), io.StringIO()

    query = rows.queryName("numbers").option("checkpointLocation", f"{folder}/numbers").trigger(availableNow=True)
    watch(query.start(), file=log)

    # The server reports the progress now and then. A read that ends before the last report shows no full bar.
    for _ in range(MOST_READS):
        with progress(spark, file=bars):
            read(spark, conf).count()
        if FULL_BAR.search(bars.getvalue()):
            break

    refused = conf.replace(partitions=[77])
    failing = read_stream(spark, refused).writeStream.format("noop").option("checkpointLocation", f"{folder}/failing")
    watch(failing.queryName("failing").start(), file=failure)
    watch(spark, file=none)

    steps = {
        "log": log.getvalue().splitlines(),
        "bars": bars.getvalue(),
        "handlers": len(spark.client._progress_handlers),  # noqa: SLF001
        "failure": failure.getvalue(),
        "none": none.getvalue(),
    }
    Path(folder, "steps.json").write_text(json.dumps(steps), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
