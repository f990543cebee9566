"""A program that stores a connection string in a table and prints what Spark shows of it.

`secret_table.py OPTION=VALUE..` sets options of Spark. It runs in its own process, so that the test can read the
log of its session.
"""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession

from spark_eventhubs import configure_spark_with_eventhubs


def main(options: list[str]) -> None:
    builder = configure_spark_with_eventhubs(
        SparkSession.builder.master("local[1]").appName("secrets").config("spark.ui.enabled", "false")
    )
    for option in options:
        key, value = option.split("=", 1)
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    string = "Endpoint=sb://ns.servicebus.windows.net/;SharedAccessKeyName=a;SharedAccessKey=c2VjcmV0;EntityPath=t"
    session.sql(f"CREATE TABLE t USING eventhubs OPTIONS ('eventhubs.connectionString' '{string}')")
    # Not every version of Spark asks the connector when it creates a table, but all do when the table is used.
    session.table("t").schema  # noqa: B018
    sys.stdout.write(session.sql("SHOW CREATE TABLE t").collect()[0][0])
    session.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
