"""Each mistake is told clearly, soon, and without the secret."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest

from events import numbers_in_hub, once
from spark_eventhubs import EventHubsConf, EventPosition, read, read_stream, write, write_stream

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import SparkSession

    from spark_eventhubs import LocalEventHub

# Of a test alone: the first one's session and hub may need as long to start.
pytestmark = pytest.mark.timeout(60, func_only=True)

KEY = "SAS_KEY_VALUE"


def conf_of(connection_string: str) -> EventHubsConf:
    conf = EventHubsConf.from_connection_string(connection_string)
    return conf.with_starting_position(EventPosition.earliest())


def failure_of(action: Callable[[], object]) -> str:
    with pytest.raises(Exception) as failed:  # noqa: PT011 - py4j and Spark raise several; the text is the point
        action()
    message = str(failed.value)
    assert KEY not in message
    assert "wr0ng" not in message
    return message


def stream(spark: SparkSession, conf: EventHubsConf, folder: Path) -> Callable[[], None]:
    def run() -> None:
        query = read_stream(spark, conf).writeStream.format("noop").option("checkpointLocation", str(folder)).start()
        try:
            query.processAllAvailable()
        finally:
            query.stop()

    return run


@pytest.fixture(params=["batch", "stream"])
def reading(request: pytest.FixtureRequest, spark: SparkSession, tmp_path: Path) -> Callable[[EventHubsConf], str]:
    """Reads what cannot be read, and gives the error's text."""
    if request.param == "batch":
        return lambda conf: failure_of(lambda: read(spark, conf).collect())
    return lambda conf: failure_of(stream(spark, conf, tmp_path))


def test_a_wrong_key(reading: Callable[[EventHubsConf], str], event_hub: LocalEventHub) -> None:
    message = reading(conf_of(event_hub.connection_string.replace(KEY, "wr0ng")))

    assert "EVENTHUBS_AUTHENTICATION" in message
    assert event_hub.name in message


def test_an_unknown_hub(reading: Callable[[EventHubsConf], str], event_hub: LocalEventHub) -> None:
    message = reading(conf_of(event_hub.connection_string.replace(event_hub.name, "nowhere")))

    assert "EVENTHUBS_NOT_FOUND" in message
    assert "nowhere" in message


def test_an_unknown_consumer_group(reading: Callable[[EventHubsConf], str], event_hub: LocalEventHub) -> None:
    write_one(event_hub)

    message = reading(conf_of(event_hub.connection_string).with_consumer_group("nobody"))

    assert "EVENTHUBS_NOT_FOUND" in message
    assert "nobody" in message


def test_an_unknown_partition(reading: Callable[[EventHubsConf], str], event_hub: LocalEventHub) -> None:
    message = reading(conf_of(event_hub.connection_string).with_partitions([0, 9]))

    assert "9" in message
    assert event_hub.name in message
    assert "partition" in message


def test_an_unreachable_endpoint(reading: Callable[[EventHubsConf], str], event_hub: LocalEventHub) -> None:
    used = event_hub.connection_string.split("sb://")[1].split(";")[0]
    # Taken, so that nothing else gets it, but nobody listens there.
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        nobody = f"localhost:{taken.getsockname()[1]}"

        message = reading(conf_of(event_hub.connection_string.replace(used, nobody)))

    assert "EVENTHUBS_UNREACHABLE" in message or "EVENTHUBS_TIMEOUT" in message
    assert "localhost" in message


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"eventhubs.connectionString": "Endpoint=sb://localhost;SharedAccessKey"},
            "EVENTHUBS_INVALID_CONNECTION_STRING",
        ),
        ({}, "EVENTHUBS_MISSING_OPTION"),
        ({"eventhubs.prefechCount": "1"}, "'eventhubs.prefetchCount'"),
        ({"eventhubs.startingPosition": '{"offset": '}, "'eventhubs.startingPosition'"),
        ({"eventhubs.startingPosition": "yesterday"}, "'eventhubs.startingPosition'"),
        ({"eventhubs.startingPositions": '{"0": "noon"}'}, "'eventhubs.startingPositions'"),
        ({"maxEventsPerTrigger": "many"}, "maxEventsPerTrigger"),
    ],
    ids=["connection string", "no connection string", "unknown option", "cut JSON", "word", "positions", "number"],
)
@pytest.mark.parametrize("how", ["batch", "stream"])
def test_a_malformed_option_is_told_before_anything_runs(
    spark: SparkSession, event_hub: LocalEventHub, options: dict[str, str], said: str, how: str
) -> None:
    connection = {} if not options or "eventhubs.connectionString" in options else connection_options(event_hub)
    reader = spark.read if how == "batch" else spark.readStream

    message = failure_of(lambda: reader.format("eventhubs").options(**connection, **options).load())

    assert said in message


def test_a_query_without_a_body_column(spark: SparkSession, event_hub: LocalEventHub, tmp_path: Path) -> None:
    conf = EventHubsConf.from_connection_string(event_hub.connection_string)
    rows = spark.readStream.format("rate").load().selectExpr("value")

    assert "body" in failure_of(lambda: write(spark.range(3), conf))
    assert "body" in failure_of(lambda: run(rows, conf, tmp_path))


def run(rows: object, conf: EventHubsConf, folder: Path) -> None:
    query = write_stream(rows, conf, checkpoint_location=folder).start()  # type: ignore[arg-type]
    try:
        query.awaitTermination(30)
    finally:
        query.stop()


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("select 1 as body", "body"),
        ("select cast(null as string) as body", "body"),
        ("select 'a' as body, '0' as partitionId, 'k' as partitionKey", "partitionKey"),
        ("select 'a' as body, '9' as partitionId", "9"),
        ("select 'a' as body, map('k', cast(null as string)) as properties", "properties"),
        ("select 'a' as body, 1 as properties", "properties"),
    ],
    ids=["number", "null", "key and partition", "unknown partition", "null property", "no map"],
)
def test_a_row_that_cannot_be_sent(spark: SparkSession, event_hub: LocalEventHub, row: str, said: str) -> None:
    conf = EventHubsConf.from_connection_string(event_hub.connection_string)

    assert said in failure_of(lambda: write(spark.sql(row), conf))
    assert numbers_in_hub(event_hub) == once([])


def test_a_write_with_a_wrong_key(spark: SparkSession, event_hub: LocalEventHub) -> None:
    conf = EventHubsConf.from_connection_string(event_hub.connection_string.replace(KEY, "wr0ng"))

    assert "EVENTHUBS_AUTHENTICATION" in failure_of(lambda: write(spark.sql("select '1' as body"), conf))


def test_a_write_to_an_unknown_hub(spark: SparkSession, event_hub: LocalEventHub) -> None:
    conf = EventHubsConf.from_connection_string(event_hub.connection_string.replace(event_hub.name, "nowhere"))

    assert "EVENTHUBS_NOT_FOUND" in failure_of(lambda: write(spark.sql("select '1' as body"), conf))


def test_an_event_of_more_than_a_megabyte(spark: SparkSession, event_hub: LocalEventHub) -> None:
    conf = EventHubsConf.from_connection_string(event_hub.connection_string)
    large = spark.sql("select repeat('x', 1100000) as body")

    message = failure_of(lambda: write(large, conf))

    assert "EVENTHUBS_EVENT_TOO_LARGE" in message
    assert "oversizedEvents" in message


def test_an_event_of_more_than_a_megabyte_can_be_left_out(spark: SparkSession, event_hub: LocalEventHub) -> None:
    conf = EventHubsConf.from_connection_string(event_hub.connection_string)
    rows = spark.range(10).selectExpr("if(id = 5, repeat('5', 1100000), cast(id as string)) as body")

    write(rows, conf.with_option("eventhubs.oversizedEvents", "drop"))

    assert numbers_in_hub(event_hub) == once(number for number in range(10) if number != 5)


@pytest.mark.parametrize("mode", ["overwrite", "ignore"])
def test_a_save_mode_that_a_hub_cannot_honour(spark: SparkSession, event_hub: LocalEventHub, mode: str) -> None:
    writer = spark.sql("select '1' as body").write.format("eventhubs").options(**connection_options(event_hub))

    message = failure_of(writer.mode(mode).save)

    assert "EVENTHUBS_UNSUPPORTED_SAVE_MODE" in message
    assert "Append" in message


def connection_options(hub: LocalEventHub) -> dict[str, str]:
    return EventHubsConf.from_connection_string(hub.connection_string).to_options()


def write_one(hub: LocalEventHub) -> None:
    from events import send  # noqa: PLC0415

    send(hub, [1])
