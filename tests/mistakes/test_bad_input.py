"""The connector reports each mistake clearly, early, and without the secret."""

from __future__ import annotations

import socket
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from confs import conf_of, from_earliest
from events import numbers_in_hub, once, send
from spark_eventhubs import read, read_stream, write, write_stream

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamWriter

    from spark_eventhubs import EventHubsConf, LocalEventHub

# For the test function alone, because the session and the hub of the first test may need as long to start.
pytestmark = pytest.mark.timeout(60, func_only=True)

KEY = "SAS_KEY_VALUE"


def changed(hub: LocalEventHub, old: str, new: str) -> LocalEventHub:
    """The hub with a mistake in its connection string."""
    return replace(hub, connection_string=hub.connection_string.replace(old, new))


def failure_of(action: Callable[[], object]) -> str:
    with pytest.raises(Exception) as failed:  # noqa: PT011 - py4j and Spark raise several types; the text matters
        action()
    message = str(failed.value)
    assert KEY not in message
    assert "wr0ng" not in message
    return message


def run_until_it_fails(writer: DataStreamWriter) -> None:
    query = writer.start()
    try:
        query.processAllAvailable()
    finally:
        query.stop()


@pytest.fixture(params=["batch", "stream"])
def reading(request: pytest.FixtureRequest, spark: SparkSession, tmp_path: Path) -> Callable[[EventHubsConf], str]:
    """Reads with a conf that must fail, and returns the error's text."""

    def read_a_batch(conf: EventHubsConf) -> str:
        return failure_of(lambda: read(spark, conf).collect())

    def read_a_stream(conf: EventHubsConf) -> str:
        writer = read_stream(spark, conf).writeStream.format("noop").option("checkpointLocation", str(tmp_path))
        return failure_of(lambda: run_until_it_fails(writer))

    return read_a_batch if request.param == "batch" else read_a_stream


def test_a_read_with_a_wrong_key_reports_an_authentication_error(
    reading: Callable[[EventHubsConf], str], event_hub: LocalEventHub
) -> None:
    message = reading(from_earliest(changed(event_hub, KEY, "wr0ng")))

    assert "EVENTHUBS_AUTHENTICATION" in message
    assert event_hub.name in message


def test_a_read_of_an_unknown_hub_reports_its_name(
    reading: Callable[[EventHubsConf], str], event_hub: LocalEventHub
) -> None:
    message = reading(from_earliest(changed(event_hub, event_hub.name, "nowhere")))

    assert "EVENTHUBS_NOT_FOUND" in message
    assert "nowhere" in message


def test_a_read_with_an_unknown_consumer_group_reports_its_name(
    reading: Callable[[EventHubsConf], str], event_hub: LocalEventHub
) -> None:
    send(event_hub, [1])

    message = reading(from_earliest(event_hub).replace(consumer_group="nobody"))

    assert "EVENTHUBS_NOT_FOUND" in message
    assert "nobody" in message


def test_a_read_of_an_unknown_partition_reports_its_id(
    reading: Callable[[EventHubsConf], str], event_hub: LocalEventHub
) -> None:
    message = reading(from_earliest(event_hub).replace(partitions=[0, 9]))

    assert "9" in message
    assert event_hub.name in message
    assert "partition" in message


def test_a_read_from_an_unreachable_endpoint_reports_its_host(
    reading: Callable[[EventHubsConf], str], event_hub: LocalEventHub
) -> None:
    used = event_hub.connection_string.split("sb://")[1].split(";")[0]
    # Bound, so that no other program takes the port, but without a listener.
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        unused = f"localhost:{taken.getsockname()[1]}"

        message = reading(from_earliest(changed(event_hub, used, unused)))

    assert "EVENTHUBS_UNREACHABLE" in message or "EVENTHUBS_TIMEOUT" in message
    assert "localhost" in message


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (
            {"eventhubs.connectionString": "Endpoint=sb://localhost;SharedAccessKey"},
            "EVENTHUBS_INVALID_CONNECTION_STRING",
        ),
        ({}, "EVENTHUBS_MISSING_OPTION"),
        ({"eventhubs.prefechCount": "1"}, "'eventhubs.prefetchCount'"),
        ({"maxEventPerTrigger": "5"}, "'eventhubs.maxEventsPerTrigger'"),
        ({"startingOffsets": "earliest"}, "'eventhubs.startingPosition'"),
        ({"eventhubs.startingPosition": '{"offset": '}, "'eventhubs.startingPosition'"),
        ({"eventhubs.startingPosition": "yesterday"}, "'eventhubs.startingPosition'"),
        ({"eventhubs.startingPositions": '{"0": "noon"}'}, "'eventhubs.startingPositions'"),
        ({"maxEventsPerTrigger": "many"}, "maxEventsPerTrigger"),
    ],
    ids=[
        "connection string",
        "no connection string",
        "unknown option",
        "typo without prefix",
        "option of Kafka",
        "cut JSON",
        "word",
        "positions",
        "number",
    ],
)
@pytest.mark.parametrize("how", ["batch", "stream"])
def test_a_malformed_option_is_reported_before_a_query_runs(
    spark: SparkSession, event_hub: LocalEventHub, options: dict[str, str], text: str, how: str
) -> None:
    connection = {} if not options or "eventhubs.connectionString" in options else conf_of(event_hub).to_options()
    reader = spark.read if how == "batch" else spark.readStream

    message = failure_of(lambda: reader.format("eventhubs").options(**connection, **options).load())

    assert text in message


def test_a_write_without_a_body_column_names_the_missing_column(
    spark: SparkSession, event_hub: LocalEventHub, tmp_path: Path
) -> None:
    conf = conf_of(event_hub)
    rows = spark.readStream.format("rate").load().selectExpr("value")

    assert "body" in failure_of(lambda: write(spark.range(3), conf))
    assert "body" in failure_of(lambda: run_until_it_fails(write_stream(rows, conf, checkpoint_location=tmp_path)))


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ("select 1 as body", "body"),
        ("select cast(null as string) as body", "body"),
        ("select 'a' as body, '0' as partitionId, 'k' as partitionKey", "partitionKey"),
        ("select 'a' as body, '9' as partitionId", "9"),
        ("select 'a' as body, 1 as properties", "properties"),
    ],
    ids=["number", "null", "key and partition", "unknown partition", "no map"],
)
def test_a_row_that_cannot_be_sent_is_reported_and_sends_nothing(
    spark: SparkSession, event_hub: LocalEventHub, row: str, text: str
) -> None:
    assert text in failure_of(lambda: write(spark.sql(row), conf_of(event_hub)))
    assert numbers_in_hub(event_hub) == once([])


def test_a_write_with_a_wrong_key_reports_an_authentication_error(
    spark: SparkSession, event_hub: LocalEventHub
) -> None:
    conf = conf_of(changed(event_hub, KEY, "wr0ng"))

    assert "EVENTHUBS_AUTHENTICATION" in failure_of(lambda: write(spark.sql("select '1' as body"), conf))


def test_a_write_to_an_unknown_hub_reports_that_it_does_not_exist(
    spark: SparkSession, event_hub: LocalEventHub
) -> None:
    conf = conf_of(changed(event_hub, event_hub.name, "nowhere"))

    assert "EVENTHUBS_NOT_FOUND" in failure_of(lambda: write(spark.sql("select '1' as body"), conf))


def test_an_event_of_more_than_a_megabyte_is_reported_with_the_option_that_drops_it(
    spark: SparkSession, event_hub: LocalEventHub
) -> None:
    conf = conf_of(event_hub)
    large = spark.sql("select repeat('x', 1100000) as body")

    message = failure_of(lambda: write(large, conf))

    assert "EVENTHUBS_EVENT_TOO_LARGE" in message
    assert "oversizedEvents" in message


def test_events_of_more_than_a_megabyte_can_be_dropped(spark: SparkSession, event_hub: LocalEventHub) -> None:
    conf = conf_of(event_hub)
    rows = spark.range(10).selectExpr("if(id = 5, repeat('5', 1100000), cast(id as string)) as body")

    write(rows, conf.replace(oversized_events="drop"))

    assert numbers_in_hub(event_hub) == once(number for number in range(10) if number != 5)


@pytest.mark.parametrize("mode", ["overwrite", "ignore"])
def test_a_save_mode_other_than_append_is_rejected(spark: SparkSession, event_hub: LocalEventHub, mode: str) -> None:
    writer = spark.sql("select '1' as body").write.format("eventhubs").options(**conf_of(event_hub).to_options())

    message = failure_of(writer.mode(mode).save)

    assert "EVENTHUBS_UNSUPPORTED_SAVE_MODE" in message
    assert "Append" in message
