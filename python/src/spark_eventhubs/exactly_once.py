"""Events once: batch writes that may be repeated, and readers that drop what a writer repeated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from datetime import timedelta
    from os import PathLike

    from pyspark.sql import DataFrame

# The connector writes it as `eventhubs.stampEvents` asks for.
_EVENT_ID: Final = "spark-event-id"
_KEY: Final = "__eventhubs_event_id"


@dataclass(frozen=True, kw_only=True)
class WriteOnce:
    """By what a batch write is known when it is done again: its rows are then in the hub once.

    In `foreachBatch`, `write_id` is a name of your choice that no other write uses, and `version` the batch id.
    `log_location` is a folder for the records of such writes; several of them may share it.
    """

    write_id: str
    version: int
    log_location: str | PathLike[str]

    def to_options(self) -> dict[str, str]:
        """The plain options for `df.write.options(...)`."""
        return {
            "eventhubs.deliveryGuarantee": "exactly-once",
            "eventhubs.writeId": self.write_id,
            "eventhubs.writeVersion": str(self.version),
            "eventhubs.writeLogLocation": str(self.log_location),
        }


def drop_duplicate_events(events: DataFrame, *, within: timedelta) -> DataFrame:
    """Drops events that a writer with `eventhubs.stampEvents` sent again, and no others: equal ones are no duplicates.

    `events` has the columns that the connector reads. A stream remembers the ids of the last `within` (by enqueued
    time), so an event is dropped when it was sent again within that time; it sets the watermark on `enqueuedTime`.
    """
    # Without a stamp each event is its own: text of this form is never an id. No column names the hub, of which a union
    # has several: the time tells their events apart, and within a batch the task.
    unstamped = "concat_ws('/', partition, sequenceNumber, offset, unix_micros(enqueuedTime), spark_partition_id())"
    keyed = events.selectExpr("*", f"coalesce(properties['{_EVENT_ID}'], {unstamped}) as {_KEY}")
    if not events.isStreaming:
        return keyed.dropDuplicates([_KEY]).drop(_KEY)
    watermark = f"{round(within.total_seconds() * 1000)} milliseconds"
    return keyed.withWatermark("enqueuedTime", watermark).dropDuplicatesWithinWatermark([_KEY]).drop(_KEY)
