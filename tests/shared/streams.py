"""Runs streaming queries. A `Target` keeps Parquet files and checkpoint, also for a restarted query."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from checkpoint import events_committed
from events import numbers_in_files
from hub_service import PATIENCE, await_answers
from spark_eventhubs import read_stream

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery
    from pyspark.sql.streaming.readwriter import DataStreamWriter

    from spark_eventhubs import EventHubsConf

_SECONDS: Final = 120 * PATIENCE


@dataclass(frozen=True)
class Target:
    """The folder of a query's rows and checkpoint."""

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
        """Number of events in committed micro-batches."""
        return events_committed(self.folder / "checkpoint")

    def numbers(self, spark: SparkSession) -> Counter[int]:
        """The committed numbers."""
        return numbers_in_files(spark, self.rows)


@contextmanager
def running(spark: SparkSession, conf: EventHubsConf, target: Target) -> Iterator[StreamingQuery]:
    """A query that runs until the end of the block."""
    query = target.writer(read_stream(spark, conf)).start()
    try:
        yield query
    finally:
        query.stop()


def read_available(spark: SparkSession, conf: EventHubsConf, target: Target) -> StreamingQuery:
    """Reads all available events. Returns the ended query."""
    return run_available(target.writer(read_stream(spark, conf)))


def run_available(writer: DataStreamWriter) -> StreamingQuery:
    """Runs a query over all available events to its end. Returns the ended query."""
    await_answers()
    query = writer.trigger(availableNow=True).start()
    try:
        assert query.awaitTermination(_SECONDS), f"the AvailableNow query did not end in {_SECONDS} s"
    finally:
        query.stop()
    return query


def forget_commit(checkpoint: Path, batch: int) -> None:
    """Removes the commit, as if the driver had died after the write of the batch and before its commit."""
    (checkpoint / "commits" / str(batch)).unlink()
    (checkpoint / "commits" / f".{batch}.crc").unlink(missing_ok=True)
