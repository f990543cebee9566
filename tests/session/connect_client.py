"""A program that uses the package on a Spark Connect server: `connect_client.py FOLDER TELEMETRY ALERTS`.

TELEMETRY and ALERTS are connection strings. It runs in its own process, because a process with a classic session cannot
have a Spark Connect session.
"""

from __future__ import annotations

import gzip
import json
import sys
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812

from spark_eventhubs import (
    EventHubsConf,
    EventPosition,
    check_sign_in,
    configure_spark_with_eventhubs,
    drop_duplicate_events,
    errors,
    read,
    read_stream,
    write,
    write_stream,
)
from spark_eventhubs.functions import decompressed_body, from_json_body, iot_hub, kafka_headers, kafka_key

if TYPE_CHECKING:
    from collections.abc import Callable

PROPERTIES = {
    "content-encoding": "gzip",
    "x-opt-kafka-key": "[107,49]",
    "word": "[104,105]",
    "iothub-connection-device-id": "thermometer",
}


def main(folder: str, telemetry: str, alerts: str) -> None:
    """Writes the result of each step to `FOLDER/steps.json`."""
    # SPARK_REMOTE has the address of the server.
    spark = configure_spark_with_eventhubs(SparkSession.builder).getOrCreate()
    steps: dict[str, object] = {"session": type(spark).__module__}
    source = EventHubsConf.from_connection_string(telemetry).replace(starting_position=EventPosition.earliest())
    target = EventHubsConf.from_connection_string(alerts)

    stamped = source.from_options(source.to_options() | {"eventhubs.stampEvents": True})
    write(spark.range(1000).selectExpr("cast(id as string) AS body", "cast(id % 7 as string) AS partitionKey"), stamped)
    steps["written"] = read(spark, source).count()

    hot = read_stream(spark, source).where("cast(cast(body AS string) AS int) >= 900").select("body", "partitionKey")
    once = target.replace(delivery_guarantee="exactly-once")
    query = write_stream(hot, once, checkpoint_location=f"{folder}/alerts").trigger(availableNow=True).start()
    steps["ended"] = query.awaitTermination(120)
    steps["alerts"] = read(spark, target).count()

    steps["functions"] = in_functions(spark, source)
    distinct = drop_duplicate_events(read_stream(spark, source), within=timedelta(minutes=10))
    rows = distinct.writeStream.format("parquet").option("checkpointLocation", f"{folder}/distinct")
    rows.trigger(availableNow=True).start(f"{folder}/rows").awaitTermination(120)
    steps["distinct"] = spark.read.parquet(f"{folder}/rows").count()

    nobody = source.from_options(source.to_options() | {"eventhubs.consumerGroup": "nobody"})
    refused = refusal(lambda: read(spark, nobody).count())
    steps["refused"] = [type(refused).__name__, refused.condition, refused.parameters["hub"]]
    signed = check_sign_in(spark, source)
    steps["signed"] = [signed.way, signed.policy, signed.may_listen, signed.may_send]
    nulls = spark.sql("select cast(null as string) as body")
    steps["task"] = refusal(lambda: write(nulls, target)).condition
    query = (
        read_stream(spark, nobody).writeStream.format("noop").option("checkpointLocation", f"{folder}/nobody").start()
    )
    failed = refusal(query.processAllAvailable)
    steps["stream"] = [type(failed).__name__, failed.condition, isinstance(failed, StreamingQueryException)]
    seen = query.exception()
    steps["exception"] = [type(seen).__name__, seen.getMessageParameters() == failed.parameters] if seen else []
    steps["texts"] = [text for text in map(str, (refused, failed, seen)) if "\tat " in text or text[0] != "["]
    Path(folder, "steps.json").write_text(json.dumps(steps), encoding="utf-8")


def in_functions(spark: SparkSession, source: EventHubsConf) -> list[object]:
    """What the functions over columns return for one event: on the server, and in its Python workers."""
    events = read(spark, source).limit(1)
    packed = gzip.compress(b'{"id": 7}')
    events = events.withColumn("body", F.lit(packed))
    for column in ("systemProperties", "properties"):
        entries = ", ".join(f"'{name}', '{value}'" for name, value in PROPERTIES.items())
        events = events.withColumn(column, F.expr(f"map({entries})"))
    plain = events.select(decompressed_body(), kafka_key(), kafka_headers(), iot_hub())
    row = from_json_body(plain, "id INT").collect()[0]
    return [row["body"]["id"], row["key"], row["headers"]["word"], row["iotHub"]["deviceId"]]


def refusal(action: Callable[[], object]) -> errors.EventHubsError:
    """The connector's error that an action raises."""
    try:
        action()
    except errors.EventHubsError as failure:
        return failure
    raise AssertionError("the action was not refused")


if __name__ == "__main__":
    main(*sys.argv[1:])
