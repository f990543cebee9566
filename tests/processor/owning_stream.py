"""A stream that owns its partitions, as a program: `owning_stream.py HUB STORAGE CONTAINER LOG CHECKPOINT`.

HUB and STORAGE are connection strings. It appends `partition sequenceNumber batchId` to LOG for each event. It stops
its query, and so releases its partitions, when its input ends.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession

from spark_eventhubs import EventHubsConf, configure_spark_with_eventhubs, read_stream

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

EXPIRATION = "4s"


def main(hub: str, storage: str, container: str, log: str, checkpoint: str) -> None:
    """Processes events until the input ends."""
    spark = (
        configure_spark_with_eventhubs(SparkSession.builder.master("local[2]"))
        .config("spark.ui.enabled", "false")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    conf = EventHubsConf.from_connection_string(hub).replace(
        checkpoint_store_container=container,
        checkpoint_store_connection_string=storage,
        checkpoint_store_interval="100ms",
        checkpoint_store_ownership="wait",
        checkpoint_store_ownership_expiration=EXPIRATION,
        max_events_per_trigger=40,
    )

    def processed(rows: DataFrame, batch: int) -> None:
        found = rows.select("partition", "sequenceNumber").collect()
        with Path(log).open("a", encoding="utf-8") as out:
            out.writelines(f"{row.partition} {row.sequenceNumber} {batch}\n" for row in found)

    query = (
        read_stream(spark, conf).writeStream.foreachBatch(processed).option("checkpointLocation", checkpoint).start()
    )
    sys.stdin.read()
    query.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
