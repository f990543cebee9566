"""Exactly once: batch writes that may be repeated, and readers that drop duplicate events."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from spark_eventhubs._conf.refusals import folder_text, option_type_error
from spark_eventhubs._conf.whole_numbers import whole_number

if TYPE_CHECKING:
    from os import PathLike

    from pyspark.sql import DataFrame

# With `eventhubs.stampEvents` the connector writes this property.
_EVENT_ID: Final = "spark-event-id"
_KEY: Final = "__eventhubs_event_id"
_READ_TIME: Final = "__eventhubs_read_time"


@dataclass(frozen=True, kw_only=True)
class WriteOnce:
    """Identifies a batch write, so that repeating it leaves each row in the hub once.

    In `foreachBatch`, choose a `write_id` that no other write uses, and pass the batch id as `version`.
    `log_location` is a folder for the records of such writes. Several writes may share it.
    """

    write_id: str
    version: int
    log_location: str | PathLike[str]

    def to_options(self) -> dict[str, str]:
        """The options for `df.write.options(...)`."""
        version = whole_number(self.version)
        if version is None:
            raise option_type_error(f"version is {self.version!r}; expected a whole number, such as the batch id")
        return {
            "eventhubs.deliveryGuarantee": "exactly-once",
            "eventhubs.writeId": self.write_id,
            "eventhubs.writeVersion": str(version),
            "eventhubs.writeLogLocation": folder_text("log_location", self.log_location),
        }


def drop_duplicate_events(events: DataFrame, *, within: timedelta, keep_late: bool = True) -> DataFrame:
    """Drops events that a writer with `eventhubs.stampEvents` sent again. Other equal events are not duplicates.

    `events` has the columns that the connector reads, and no watermark. A stream remembers at least the ids that it has
    read in the last `within`, and drops an event whose id is among them. A batch compares all of its events.

    With `keep_late=False` a stream sets the watermark on `enqueuedTime`, which windows and joins after it need. Then
    `within` is enqueued time, and Spark drops every late event, duplicate or not: another one was enqueued more than
    `within` after it and came in an earlier micro-batch.
    """
    if not isinstance(within, timedelta):
        raise option_type_error(f"within is {within!r}; expected a timedelta, such as timedelta(minutes=10)")
    # An event without a stamp gets a unique key, in a form that no stamp has. A union may have several hubs, and no
    # column names the hub. The enqueued time distinguishes their events, and within a batch the task.
    unstamped = "concat_ws('/', partition, sequenceNumber, offset, unix_micros(enqueuedTime), spark_partition_id())"
    keyed = events.selectExpr("*", f"coalesce(properties['{_EVENT_ID}'], {unstamped}) as {_KEY}")
    if not events.isStreaming:
        return keyed.dropDuplicates([_KEY]).drop(_KEY)
    watermark = f"{round(within.total_seconds() * 1000)} milliseconds"
    if not keep_late:
        return keyed.withWatermark("enqueuedTime", watermark).dropDuplicatesWithinWatermark([_KEY]).drop(_KEY)
    # The time of the micro-batch lies before the watermark only if the driver's clock goes back by `within`.
    timed = keyed.selectExpr("*", f"current_timestamp() as {_READ_TIME}").withWatermark(_READ_TIME, watermark)
    return timed.dropDuplicatesWithinWatermark([_KEY]).drop(_KEY, _READ_TIME)
