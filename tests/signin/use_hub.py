"""A program that writes and reads in each way to sign in: `use_hub.py PLATFORM FOLDER`.

`FOLDER/ways.json` has the options of each way. It prints, as JSON, what each way has written and read, or its error. It
runs in its own process, because the certificates that a JVM trusts and its environment are fixed when it starts.
PLATFORM is `classic` or `connect`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from pyspark.sql import SparkSession

from spark_eventhubs import EventHubsConf, configure_spark_with_eventhubs, errors, read, write

ROWS = 20


def use(spark: SparkSession, options: dict[str, str], log: Path) -> dict[str, object]:
    """Writes at least once, twice exactly once, and reads."""
    conf = EventHubsConf.from_options(options)
    rows = spark.range(ROWS).selectExpr("cast(id AS string) AS body")
    try:
        write(rows, conf)
        once = conf.replace(delivery_guarantee="exactly-once", write_id="w", write_version=0)
        for _ in range(2):
            write(rows, once.replace(write_log_location=str(log)))
        return {"read": read(spark, conf).count()}
    except errors.EventHubsError as refused:
        return {"condition": refused.condition, "message": str(refused)}


def main(platform: str, folder: Path) -> None:
    """Prints the results as the last line."""
    ways: dict[str, dict[str, str]] = json.loads((folder / "ways.json").read_text(encoding="utf-8"))
    builder = SparkSession.builder.appName("ways to sign in")
    builder = builder.remote("local[2]") if platform == "connect" else builder.master("local[2]")
    spark = configure_spark_with_eventhubs(builder).getOrCreate()
    results = {name: use(spark, options, folder / "log" / name) for name, options in ways.items()}
    sys.stdout.write(json.dumps(results) + "\n")
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
