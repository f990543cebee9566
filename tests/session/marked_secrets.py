"""A program that fails and succeeds with marked secrets: `marked_secrets.py FOLDER HUB`.

HUB is a connection string whose key is a mark too. The test searches what the program, its log, its event log, its UI
and its checkpoint show. It runs in its own process, because a log belongs to a process.
"""

from __future__ import annotations

import sys
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession

from spark_eventhubs import OPTIONS, configure_spark_with_eventhubs, errors

if TYPE_CHECKING:
    from collections.abc import Callable

NAMESPACE = {"eventhubs.namespace": "localhost", "eventhubs.name": "telemetry", "eventhubs.operationTimeout": "5s"}
APPLICATION = {"eventhubs.auth.type": "clientSecret", "eventhubs.auth.tenantId": "t", "eventhubs.auth.clientId": "c"}
PROXY = {
    "eventhubs.transport": "amqpWebSockets",
    "eventhubs.proxy.address": "localhost:1",
    "eventhubs.proxy.username": "ann",
}


def main(folder: str, hub: str) -> None:
    events = Path(folder, "events")
    events.mkdir()
    spark = (
        configure_spark_with_eventhubs(SparkSession.builder.master("local[1]").appName("marked"))
        # As docs/guides/checkpoint-stores.md says.
        .config("spark.sql.redaction.options.regex", "(?i)url|container|connectionString")
        .config("spark.eventLog.enabled", "true")
        .config("spark.eventLog.dir", events.as_uri())
        .config("spark.ui.port", "0")
        .getOrCreate()
    )
    plain = {"eventhubs.connectionString": hub, "eventhubs.startingPosition": "earliest"}
    for number, spec in enumerate(OPTIONS):
        if spec.secret and spec.key != "eventhubs.connectionString":
            # Spark hides a value that looks like a secret, whatever its option is. A mark does not.
            mark = f"hidden-{number}-mark"
            is_url = spec.key == "eventhubs.checkpointStore.container"
            marked = {spec.key: f"https://localhost:1/box?sig={mark}" if is_url else mark}
            # The hub's key and another secret contradict each other, or one is incomplete.
            shown(spark, plain | marked)
            shown(spark, NAMESPACE | marked)
            shown(spark, NAMESPACE | APPLICATION | marked)
            shown(spark, plain | PROXY | marked)
    shown(spark, plain)
    stream = spark.readStream.format("eventhubs").options(**plain).load()
    query = (
        stream.writeStream.format("noop")
        .option("checkpointLocation", f"{folder}/checkpoint")
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination(60)
    sys.stdout.write(f"{query.lastProgress}\n")
    url = spark.sparkContext.uiWebUrl
    application = spark.sparkContext.applicationId
    for page in ("environment/", "SQL/", "StreamingQuery/", f"api/v1/applications/{application}/sql?details=true"):
        with urllib.request.urlopen(f"{url}/{page}") as answer:  # noqa: S310 -- the session's own UI
            sys.stdout.write(answer.read().decode())
    spark.stop()


def shown(spark: SparkSession, options: dict[str, str]) -> None:
    """Prints the plan, and the failure or the number of rows."""

    def run() -> str:
        frame = spark.read.format("eventhubs").options(**options).load()
        frame.explain(extended=True)
        return str(frame.count())

    sys.stdout.write(f"{outcome(run)}\n")


def outcome(run: Callable[[], str]) -> str:
    try:
        return run()
    except errors.EventHubsError as failure:
        return f"{failure} {failure!r} {failure.parameters} {failure.spark_error}"


if __name__ == "__main__":
    main(*sys.argv[1:3])
