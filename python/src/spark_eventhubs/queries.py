"""Functions that read and write with Spark's own readers and writers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from spark_eventhubs._conf.refusals import folder_text, option_type_error
from spark_eventhubs._session import options_of, require_connector

if TYPE_CHECKING:
    from os import PathLike

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamWriter

    from spark_eventhubs.conf import EventHubsConf
    from spark_eventhubs.exactly_once import WriteOnce

FORMAT: Final = "eventhubs"
_NO_ASYNC_PROGRESS: Final = {"asyncProgressTrackingEnabled": "false"}


def read(spark: SparkSession, conf: EventHubsConf) -> DataFrame:
    """The events from the starting to the ending position, as a batch DataFrame.

    It has nine columns, and with `include_event_hub` also `eventHub`.
    """
    options = options_of(conf)
    require_connector(spark)
    return spark.read.format(FORMAT).options(**options).load()


def read_stream(spark: SparkSession, conf: EventHubsConf) -> DataFrame:
    """The events from the starting position on, as a streaming DataFrame.

    It has nine columns, and with `include_event_hub` also `eventHub`.
    """
    options = options_of(conf)
    require_connector(spark)
    return spark.readStream.format(FORMAT).options(**options).load()


def write(df: DataFrame, conf: EventHubsConf, *, once: WriteOnce | None = None) -> None:
    """Sends every row of a batch DataFrame, which needs a `body` column (string or binary).

    With `EventHubsConf.of_namespace` the column `eventHub` (string) names the hub of each row. Where the conf names a
    hub, all rows go there.

    With `once` you may repeat the same write after a failure, or in a repeated batch of `foreachBatch`.
    """
    options = options_of(conf)
    require_connector(df.sparkSession)
    more = {} if once is None else _options_once(once)
    df.write.format(FORMAT).mode("append").options(**options | more).save()


def write_stream(
    df: DataFrame,
    conf: EventHubsConf,
    *,
    checkpoint_location: str | PathLike[str],
    query_name: str | None = None,
    output_mode: Literal["append", "update", "complete"] = "append",
) -> DataStreamWriter:
    """A writer that sends every row of a streaming DataFrame. Set a trigger if you need one, and call `start()`.

    It sets Spark's option `asyncProgressTrackingEnabled` to false, unless the conf has it: Spark 4.3 switches that on
    in Real-Time Mode, and then refuses sinks that are not its own.
    """
    options = options_of(conf)
    require_connector(df.sparkSession)
    writer = df.writeStream.format(FORMAT).outputMode(output_mode).options(**_NO_ASYNC_PROGRESS | options)
    writer = writer.option("checkpointLocation", folder_text("checkpoint_location", checkpoint_location))
    return writer if query_name is None else writer.queryName(query_name)


def _options_once(once: WriteOnce) -> dict[str, str]:
    from spark_eventhubs.exactly_once import WriteOnce as Expected  # noqa: PLC0415 - only writes need it

    if isinstance(once, Expected):
        return once.to_options()
    raise option_type_error(f"once is a {type(once).__name__}; expected a WriteOnce, such as WriteOnce(write_id=...)")
