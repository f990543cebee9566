"""Functions that read and write with Spark's own readers and writers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from spark_eventhubs._conf.refusals import folder_text, option_type_error
from spark_eventhubs._formats import FORMAT, PYTHON_FORMAT
from spark_eventhubs._session import options_of, require_connector

if TYPE_CHECKING:
    from os import PathLike

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamWriter

    from spark_eventhubs.conf import EventHubsConf
    from spark_eventhubs.exactly_once import WriteOnce

Engine = Literal["jar", "python"]
_NO_ASYNC_PROGRESS: Final = {"asyncProgressTrackingEnabled": "false"}


def read(spark: SparkSession, conf: EventHubsConf, *, engine: Engine = "jar") -> DataFrame:
    """Reads the events from the starting to the ending position, as a batch DataFrame.

    Spark reads when an action runs, such as `count()` or a write.

    Args:
        spark: a classic session or one of Spark Connect, with the connector's jar.
        conf: the hub or hubs, and where to start and end: by default with the first retained event and the last one.
        engine: `python` needs no jar and has fewer options: docs/guides/without-a-jar.md.

    Returns:
        A row for each event: `body` (binary), `partition`, `offset`, `sequenceNumber`, `enqueuedTime`, `publisher`,
        `partitionKey`, `properties` and `systemProperties`; with `include_event_hub` also `eventHub`.

    Raises:
        SessionError: the session lacks the connector.
        EventHubsError: the service refuses the query, such as `HubNotFoundError`. Most are raised here; what only a
            task can meet is raised by the action.

    Examples:
        >>> conf = EventHubsConf(connection_string=text)
        >>> read(spark, conf).selectExpr("cast(body AS string) AS body", "enqueuedTime").show()
    """
    options = options_of(conf)
    return spark.read.format(_format(spark, engine)).options(**options).load()


def read_stream(spark: SparkSession, conf: EventHubsConf, *, engine: Engine = "jar") -> DataFrame:
    """Reads the events from the starting position on, as a streaming DataFrame.

    A query starts at that position once. Later starts continue from its checkpoint.

    Args:
        spark: a classic session or one of Spark Connect, with the connector's jar.
        conf: the hub or hubs, and where to start: by default only events that arrive after the start (`latest`).
            `max_events_per_trigger` limits a micro-batch; without it, the first one has the whole backlog.
        engine: `python` needs no jar and has fewer options: docs/guides/without-a-jar.md.

    Returns:
        The columns of [`read`][spark_eventhubs.read].

    Raises:
        SessionError: the session lacks the connector.
        EventHubsError: when the query starts, or from `awaitTermination()`, such as `DataLossError`.

    Examples:
        >>> conf = EventHubsConf(connection_string=text, starting_position="earliest", max_events_per_trigger=100_000)
        >>> events = read_stream(spark, conf)
        >>> events.writeStream.option("checkpointLocation", "checkpoints/events").toTable("events")
    """
    options = options_of(conf)
    name = _format(spark, engine)
    if engine == "python" and hasattr(spark, "_jsparkSession"):
        from spark_eventhubs.pure._source import require_streams  # noqa: PLC0415 - only this engine needs it

        # Spark 4.0 and 4.1 show the error of a source's stream as one of their own. The client of a Connect server may
        # be older than the server, which refuses the stream itself.
        require_streams()
    return spark.readStream.format(name).options(**options).load()


def write(df: DataFrame, conf: EventHubsConf, *, once: WriteOnce | None = None, engine: Engine = "jar") -> None:
    """Sends every row of a batch DataFrame, and returns when the service has accepted all of them.

    Args:
        df: needs a column `body` (string or binary). It may have `partitionKey` or `partitionId`, `properties`,
            `messageId`, `correlationId` and `contentType`.
        conf: the hub. With `EventHubsConf.of_namespace` the column `eventHub` (string) names the hub of each row.
            Where the conf names a hub, all rows go there.
        once: makes this an exactly-once write: you may repeat it after a failure, or in a repeated batch of
            `foreachBatch`. Without it, a retry may send an event twice.
        engine: `python` needs no jar. It writes at least once, to the hub that the conf names.

    Raises:
        SessionError: the session lacks the connector.
        InvalidEventError: a row cannot be an event, such as one without a body.
        EventHubsError: the service refuses the write.

    Examples:
        >>> write(df.selectExpr("to_json(struct(*)) AS body", "device AS partitionKey"), conf)

        In `foreachBatch`, exactly once:

        >>> def send(batch, batch_id):
        ...     once = WriteOnce(write_id="alerts", version=batch_id, log_location="checkpoints/alerts-writes")
        ...     write(batch, conf, once=once)
    """
    options = options_of(conf)
    name = _format(df.sparkSession, engine)
    more = {} if once is None else _options_once(once)
    df.write.format(name).mode("append").options(**options | more).save()


def write_stream(
    df: DataFrame,
    conf: EventHubsConf,
    *,
    checkpoint_location: str | PathLike[str],
    query_name: str | None = None,
    output_mode: Literal["append", "update", "complete"] = "append",
    engine: Engine = "jar",
) -> DataStreamWriter:
    """Returns a writer that sends every row of a streaming DataFrame. Set a trigger if you need one, and `start()` it.

    Args:
        df: has the columns that [`write`][spark_eventhubs.write] takes.
        conf: the hub, as for `write`. With `delivery_guarantee="exactly-once"` no event is in the hub twice.
        checkpoint_location: a folder that all executors reach, and that only this query uses.
        query_name: the name in Spark's UI and in `watch`.
        output_mode: Spark's output mode. `update` and `complete` are for aggregations.
        engine: `python` needs no jar. It writes at least once, to the hub that the conf names.

    Returns:
        Spark's own `DataStreamWriter`. It has Spark's option `asyncProgressTrackingEnabled` set to false, unless the
        conf has it: Spark 4.3 switches that on in Real-Time Mode, and then refuses sinks that are not its own.

    Raises:
        SessionError: the session lacks the connector.

    Examples:
        >>> query = write_stream(alerts, conf, checkpoint_location="checkpoints/alerts").start()
        >>> query.awaitTermination()
    """
    options = options_of(conf)
    writer = (
        df.writeStream.format(_format(df.sparkSession, engine))
        .outputMode(output_mode)
        .options(**_NO_ASYNC_PROGRESS | options)
    )
    writer = writer.option("checkpointLocation", folder_text("checkpoint_location", checkpoint_location))
    return writer if query_name is None else writer.queryName(query_name)


def _format(spark: SparkSession, engine: Engine) -> str:
    """The format of an engine, which the session has."""
    if engine == "python":
        from spark_eventhubs.pure import register  # noqa: PLC0415 - only this engine needs it

        register(spark)
        return PYTHON_FORMAT
    if engine != "jar":
        raise option_type_error(f"engine is {engine!r}; expected 'jar' or 'python'")
    require_connector(spark)
    return FORMAT


def _options_once(once: WriteOnce) -> dict[str, str]:
    from spark_eventhubs.exactly_once import WriteOnce as Expected  # noqa: PLC0415 - only writes need it

    if isinstance(once, Expected):
        return once.to_options()
    raise option_type_error(f"once is a {type(once).__name__}; expected a WriteOnce, such as WriteOnce(write_id=...)")
