"""What a user sees after a mistake: a typed exception with one clear text, as docs/errors.md shows it."""

from __future__ import annotations

import os
import re
import socket
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import SparkRuntimeException, StreamingQueryException

from confs import conf_of, from_earliest
from events import send
from mistakes import check, rows
from pages import ROOT
from spark_eventhubs import EventHubsConf, LocalHub, errors, read, read_stream, write

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType

    from spark_eventhubs import LocalEventHub

pytestmark = pytest.mark.timeout(120, func_only=True)

KEY = "SAS_KEY_VALUE"


def with_text(hub: LocalEventHub, old: str, new: str) -> EventHubsConf:
    """Reads a hub with a mistake in its connection string."""
    return from_earliest(replace(hub, connection_string=hub.connection_string.replace(old, new)))


def run(spark: SparkSession, conf: EventHubsConf, checkpoint: Path) -> None:
    writer = read_stream(spark, conf).writeStream.format("noop").option("checkpointLocation", str(checkpoint))
    query = writer.start()
    try:
        query.processAllAvailable()
    finally:
        query.stop()


def load(spark: SparkSession, **options: str | None) -> None:
    schema_of(spark, {f"eventhubs.{key}": value for key, value in options.items()})


def schema_of(spark: SparkSession, options: Mapping[str, str | None]) -> StructType:
    """Spark Connect looks at the options when the schema is wanted; a classic session does so in `load`."""
    return spark.read.format("eventhubs").options(**options).load().schema


def test_every_row_of_the_page_has_a_test() -> None:
    suite = ROOT / "core/src/test/scala/org/apache/spark/eventhubs/signin/ExplainedSignInSuite.scala"
    # Those of the engine in Python also name the rows that do not concern it.
    files = [each for each in (ROOT / "tests").rglob("test_*.py") if each.parent.name != "pure"]
    files.append(suite)
    tests = "".join(file.read_text(encoding="utf-8") for file in files)
    assert len(rows()) > 20
    assert [mistake for mistake in rows() if f'"{mistake}"' not in tests] == []


def test_a_wrong_key(spark: SparkSession, event_hub: LocalEventHub, tmp_path: Path) -> None:
    conf = with_text(event_hub, KEY, "wr0ng")

    batch = check("wrong key, batch read", lambda: read(spark, conf).collect())
    stream = check("wrong key, stream", lambda: run(spark, conf, tmp_path))

    assert isinstance(batch, errors.AuthenticationError)
    assert batch.getErrorClass() == "EVENTHUBS_AUTHENTICATION"
    assert batch.getMessageParameters()["hub"] == event_hub.name
    assert isinstance(stream, errors.AuthenticationError)
    assert KEY not in f"{batch} {stream!r}"
    assert "wr0ng" not in f"{batch} {stream!r}"


def test_an_unknown_hub(spark: SparkSession, event_hub: LocalEventHub, tmp_path: Path) -> None:
    conf = with_text(event_hub, event_hub.name, "nowhere")

    check("unknown hub, batch read", lambda: read(spark, conf).collect())
    check("unknown hub, stream", lambda: run(spark, conf, tmp_path))
    check("unknown hub, write", lambda: write(spark.sql("select 'a' as body"), conf))


def test_an_unknown_consumer_group(spark: SparkSession, event_hub: LocalEventHub) -> None:
    send(event_hub, [1])
    check(
        "unknown consumer group", lambda: read(spark, from_earliest(event_hub).replace(consumer_group="nobody")).count()
    )


def test_a_hub_that_does_not_run(spark: SparkSession, event_hub: LocalEventHub) -> None:
    used = event_hub.connection_string.split("sb://")[1].split(";")[0]
    # Bound, so that no other program takes the port, but without a listener.
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        conf = with_text(event_hub, used, f"localhost:{taken.getsockname()[1]}")
        check("hub not running", lambda: read(spark, conf).collect())


def test_a_hub_that_stops_during_a_stream(spark: SparkSession, tmp_path: Path) -> None:
    with LocalHub() as stopping:
        conf = from_earliest(stopping.create_hub("stopping", partitions=1)).replace(operation_timeout="10s")
        writer = read_stream(spark, conf).writeStream.format("noop").option("checkpointLocation", str(tmp_path))
        query = writer.start()
        query.processAllAvailable()
    try:
        check("hub gone during a stream", query.awaitTermination)
        assert {errors.UnreachableError, StreamingQueryException} <= set(type(query.exception()).__mro__)
    finally:
        query.stop()


def test_a_task_s_failure_is_typed_too(spark: SparkSession, event_hub: LocalEventHub) -> None:
    nulls = spark.sql("select cast(null as string) as body")

    failed = check("row without a body", lambda: write(nulls, conf_of(event_hub)))

    assert isinstance(failed, SparkRuntimeException)
    assert isinstance(failed, errors.InvalidEventError)
    assert "null" in failed.getMessageParameters()["problem"]


def test_mistakes_in_options(spark: SparkSession, event_hub: LocalEventHub) -> None:
    given = event_hub.connection_string
    namespace = re.sub(";EntityPath=[^;]+", "", given)

    check("no EntityPath", lambda: load(spark, connectionString=namespace))
    check("typo in an option", lambda: load(spark, connectionString=given, prefechCount="1"))
    without_prefix = {"eventhubs.connectionString": given, "startingPostion": "earliest"}
    check("typo without prefix", lambda: schema_of(spark, without_prefix))
    check("position that is none", lambda: load(spark, connectionString=given, startingPosition="yesterday"))


@pytest.mark.parametrize(
    ("mistake", "text"),
    [
        ("connection string None", None),
        ("connection string empty", ""),
        ("connection string in quotes", "'Endpoint=sb://contoso/;SharedAccessKeyName=a;SharedAccessKey=c2VjcmV0'"),
        (
            "connection string of Azure Storage",
            "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=c2VjcmV0;EndpointSuffix=core.windows.net",
        ),
        (
            "connection string of an IoT hub",
            "HostName=contoso.azure-devices.net;SharedAccessKeyName=owner;SharedAccessKey=c2VjcmV0",
        ),
    ],
)
def test_another_connection_string(spark: SparkSession, mistake: str, text: str | None) -> None:
    failed = check(mistake, lambda: load(spark, connectionString=text))
    assert "c2VjcmV0" not in str(failed)


def test_exactly_once_without_a_place_for_its_record(spark: SparkSession, event_hub: LocalEventHub) -> None:
    conf = conf_of(event_hub).replace(delivery_guarantee="exactly-once")
    check("exactly once without a log", lambda: write(spark.sql("select 'a' as body"), conf))


def test_an_option_of_another_source(spark: SparkSession, event_hub: LocalEventHub) -> None:
    of_both = {**conf_of(event_hub), "startingOffsets": "earliest"}
    check("option of Spark's Kafka source", lambda: schema_of(spark, of_both))


def test_an_exception_of_another_source_stays_as_it_is(spark: SparkSession) -> None:
    # Over Spark Connect, Spark's own exceptions end with the server's stack trace.
    if "SPARK_REMOTE" not in os.environ:
        check(
            "stream without a checkpoint",
            lambda: spark.readStream.format("rate").load().writeStream.format("json").start("x"),
        )
    with pytest.raises(Exception, match="cannot be resolved") as failed:
        spark.range(1).select("eventhubs").collect()
    assert not isinstance(failed.value, errors.EventHubsError)
