"""A program that uses the package on a Spark Connect server: `connect_client.py FOLDER TELEMETRY ALERTS`.

TELEMETRY and ALERTS are connection strings. It runs in its own process, because a process with a classic session cannot
have a Spark Connect session.
"""

from __future__ import annotations

import json
import sys
from datetime import timedelta
from pathlib import Path

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from spark_eventhubs import (
    EventHubsConf,
    EventPosition,
    configure_spark_with_eventhubs,
    drop_duplicate_events,
    read,
    read_stream,
    write,
    write_stream,
)


def main(folder: str, telemetry: str, alerts: str) -> None:
    """Writes the result of each step to `FOLDER/steps.json`."""
    # SPARK_REMOTE has the address of the server.
    spark = configure_spark_with_eventhubs(SparkSession.builder).getOrCreate()
    steps: dict[str, object] = {"session": type(spark).__module__}
    source = EventHubsConf.from_connection_string(telemetry).with_starting_position(EventPosition.earliest())
    target = EventHubsConf.from_connection_string(alerts)

    stamped = source.from_options(source.to_options() | {"eventhubs.stampEvents": True})
    write(spark.range(1000).selectExpr("cast(id as string) AS body", "cast(id % 7 as string) AS partitionKey"), stamped)
    steps["written"] = read(spark, source).count()

    hot = read_stream(spark, source).where("cast(cast(body AS string) AS int) >= 900").select("body", "partitionKey")
    once = target.with_delivery_guarantee("exactly-once")
    query = write_stream(hot, once, checkpoint_location=f"{folder}/alerts").trigger(availableNow=True).start()
    steps["ended"] = query.awaitTermination(120)
    steps["alerts"] = read(spark, target).count()

    distinct = drop_duplicate_events(read_stream(spark, source), within=timedelta(minutes=10))
    rows = distinct.writeStream.format("parquet").option("checkpointLocation", f"{folder}/distinct")
    rows.trigger(availableNow=True).start(f"{folder}/rows").awaitTermination(120)
    steps["distinct"] = spark.read.parquet(f"{folder}/rows").count()

    try:
        read(spark, source.from_options(source.to_options() | {"eventhubs.consumerGroup": "nobody"})).count()
    except PySparkException as failure:
        steps["refused"] = failure.getCondition()
    Path(folder, "steps.json").write_text(json.dumps(steps), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
