"""Runs a streaming read into Parquet, where a restarted query can be looked at as well."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from checkpoint import events_committed
from events import numbers_in_files
from spark_eventhubs import read_stream

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery
    from pyspark.sql.streaming.readwriter import DataStreamWriter

    from spark_eventhubs import EventHubsConf


@dataclass(frozen=True)
class Target:
    """Where a query puts its rows and its checkpoint."""

    folder: Path

    def writer(self, df: DataFrame) -> DataStreamWriter:
        """A writer of `df` into this target."""
        checkpoint = str(self.folder / "checkpoint")
        return df.writeStream.format("parquet").option("checkpointLocation", checkpoint).option("path", str(self.rows))

    @property
    def rows(self) -> Path:
        """The folder of the Parquet files."""
        return self.folder / "rows"

    def committed(self) -> int:
        """How many events are in micro-batches that are committed."""
        return events_committed(self.folder / "checkpoint")

    def numbers(self, spark: SparkSession) -> Counter[int]:
        """The numbers that were committed."""
        return numbers_in_files(spark, self.rows)


@contextmanager
def running(spark: SparkSession, conf: EventHubsConf, target: Target) -> Iterator[StreamingQuery]:
    """A query that reads until the end of the block."""
    query = target.writer(read_stream(spark, conf)).start()
    try:
        yield query
    finally:
        query.stop()


def read_available(spark: SparkSession, conf: EventHubsConf, target: Target) -> StreamingQuery:
    """A query that has read what there was, and ended by itself."""
    query = target.writer(read_stream(spark, conf)).trigger(availableNow=True).start()
    try:
        assert query.awaitTermination(120), "the AvailableNow query did not end by itself"
    finally:
        query.stop()
    return query
