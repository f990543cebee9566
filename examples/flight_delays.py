"""Computes the delays of a year of flights as a stream.

A replay sends every flight as an event to the hub `flights`. One query writes the delays per origin and hour to
Parquet. Another query sends an event to the hub `alerts` for each flight that is very late. You can kill it at any
moment (Python, Spark's JVM, the hub) and start it again with the same --data. This folder has the hub's log and Spark's
checkpoints, so everything continues where it stopped.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import click
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.streaming.query import StreamingQuery

from checkpoint import events_committed
from flight_checks import (
    Check,
    check_alerts,
    check_delays,
    events_in_hub,
    print_worst_hours,
    report,
)
from flight_data import ALERT_MINUTES, load_flights
from flight_progress import Watch
from flight_replay import Replay
from spark_eventhubs import (
    EventHubsConf,
    EventPosition,
    LocalHub,
    configure_spark_with_eventhubs,
    read_stream,
    write_stream,
)

FLIGHT = "row INT, time TIMESTAMP, origin STRING, dest STRING, carrier STRING, flight INT, dep_delay INT"


def read_flights(spark: SparkSession, connection_string: str) -> DataFrame:
    """The flights as they arrive."""
    conf = EventHubsConf.from_connection_string(connection_string).replace(starting_position=EventPosition.earliest())
    return read_stream(spark, conf).select(f.from_json(f.col("body").cast("string"), FLIGHT).alias("f")).select("f.*")


def delays_per_hour(flights: DataFrame) -> DataFrame:
    """Departure delay per origin and hour. A year passes in seconds, so partitions may be weeks apart."""
    return (
        flights.withWatermark("time", "30 days")
        .groupBy("origin", f.window("time", "1 hour").alias("hour"))
        .agg(
            f.count("*").alias("flights"),
            f.count("dep_delay").alias("departed"),
            f.avg("dep_delay").alias("avg_delay"),
            f.max("dep_delay").alias("max_delay"),
        )
        .withColumn("hour", f.col("hour.start"))
    )


def alerts(flights: DataFrame) -> DataFrame:
    """An event for each flight that is very late."""
    return flights.where(f.col("dep_delay") >= ALERT_MINUTES).select(
        f.to_json(f.struct("row", "time", "origin", "dest", "carrier", "flight", "dep_delay")).alias("body"),
        f.col("origin").alias("partitionKey"),
    )


@click.command()
@click.option(
    "--data", type=click.Path(path_type=Path), help="Folder of a run to continue. [default: a new run in .demo]"
)
@click.option("--rate", type=click.FloatRange(min=1), help="Flights per second. [default: as many as possible]")
@click.option("--limit", type=click.IntRange(min=1), help="Number of flights to send. [default: the whole year]")
def main(data: Path | None, rate: float | None, limit: int | None) -> None:
    """Replay a year of flights through Event Hubs and Spark, and check the result."""
    if data is None:
        data = Path(__file__).resolve().parent.parent / ".demo"
        shutil.rmtree(data, ignore_errors=True)
    flights = load_flights(limit)
    with LocalHub(hubs={"flights": 4, "alerts": 2}, data_dir=data / "hub") as hub, session() as spark:
        replay = Replay(flights, hub.connection_string("flights"), rate=rate)
        watch = Watch(replay, start_queries(spark, hub, data))
        with watch:
            for _ in replay.send_flights():
                watch.raise_if_failed()
            # The end marker moves the watermark past all flights, so the queries must read all of them first.
            watch.until_all_is_read()
            replay.send_end_marker()
            watch.until_all_is_read()

        results = spark.read.parquet(str(data / "delays"))
        print_worst_hours(results)
        passed = report(
            [
                Check("events in the hub", replay.total, events_in_hub(hub.connection_string("flights"))),
                Check("events read by `delays`", replay.total, events_committed(data / "checkpoints/delays")),
                Check("events read by `alerts`", replay.total, events_committed(data / "checkpoints/alerts")),
                Check("events too late for the watermark", 0, watch.dropped),
                *check_delays(flights, results),
                *check_alerts(flights, hub.connection_string("alerts"), resumed=replay.resumed),
            ]
        )
    sys.exit(0 if passed else 1)


def start_queries(spark: SparkSession, hub: LocalHub, data: Path) -> list[StreamingQuery]:
    """Starts both queries. Each has its own checkpoint and reads the hub independently."""
    flights = read_flights(spark, hub.connection_string("flights"))
    delays = (
        delays_per_hour(flights)
        .writeStream.format("parquet")
        .option("checkpointLocation", str(data / "checkpoints/delays"))
        .queryName("delays")
        .start(str(data / "delays"))
    )
    sink = EventHubsConf.from_connection_string(hub.connection_string("alerts"))
    late = write_stream(alerts(flights), sink, checkpoint_location=data / "checkpoints/alerts", query_name="alerts")
    return [delays, late.start()]


def session() -> SparkSession:
    """Spark on this machine, with the connector of the package."""
    spark = (
        configure_spark_with_eventhubs(SparkSession.builder.master("local[2]").appName("flight delays"))
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", 2)
        .config("spark.sql.streaming.stopTimeout", "30s")
        .config("spark.ui.showConsoleProgress", "false")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    return spark


if __name__ == "__main__":
    main()
