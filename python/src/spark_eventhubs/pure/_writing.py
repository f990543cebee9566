"""Sends rows as events, at least once: Spark repeats a task that failed, and so the events that it had sent."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final, TypeVar

from pyspark.sql.datasource import DataSourceStreamWriter, DataSourceWriter, WriterCommitMessage

from spark_eventhubs._sdk_calls import within
from spark_eventhubs.pure._errors import failure, may_pass, of_sdk
from spark_eventhubs.pure._row_events import destination_of, event_of, invalid
from spark_eventhubs.pure._signing_in.clients import producer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from azure.eventhub import EventData, EventDataBatch, EventHubProducerClient
    from pyspark.sql import Row

    from spark_eventhubs.pure._row_events import Destination
    from spark_eventhubs.pure._settings import WriteSettings
    from spark_eventhubs.pure._write_columns import WriteColumns

_T = TypeVar("_T")

# Each key has a batch of its own, so many keys have many that are nearly empty.
_MOST_BATCHES: Final = 1_000
_MOST_EVENTS: Final = 10_000
_LONGEST_PAUSE: Final = 5.0
_CLOSE_SECONDS: Final = 3
# Of the service.
_LONGEST_KEY: Final = 128


def send_rows(rows: Iterator[Row], settings: WriteSettings, columns: WriteColumns) -> int:
    """Sends the rows of a task, and waits until the service has accepted all. Returns their number."""
    client = producer(settings.address)
    try:
        sender = Sender(client, settings)
        for row in rows:
            sender.add(event_of(row, settings, columns), destination_of(row, settings, columns))
        sender.flush()
        return sender.sent
    finally:
        with suppress(Exception):
            within(_CLOSE_SECONDS, client.close)


class Sender:
    """The batches of a task, one open batch for each destination. For one thread."""

    def __init__(self, client: EventHubProducerClient, settings: WriteSettings) -> None:
        self.sent = 0
        self._client = client
        self._settings = settings
        self._open: dict[Destination, EventDataBatch] = {}
        self._waiting = 0
        self._partitions: list[str] = []

    def add(self, event: EventData, destination: Destination) -> None:
        """Adds an event to the batch of its destination. A full batch is sent."""
        batch = self._open.get(destination)
        if batch is None or not _added(batch, event):
            if batch is not None:
                self._send(batch)
            batch = self._open[destination] = self._new(destination)
            if not _added(batch, event):
                raise self._too_large(event, destination, batch)
        self._waiting += 1
        if self._waiting >= _MOST_EVENTS or len(self._open) >= _MOST_BATCHES:
            self.flush()

    def flush(self) -> None:
        """Sends the open batches."""
        for batch in self._open.values():
            self._send(batch)
        self._open.clear()
        self._waiting = 0

    def _new(self, destination: Destination) -> EventDataBatch:
        partition, key = destination
        if partition is not None and partition not in self._ids():
            problem = f"Its partition is {partition}, and the hub has {', '.join(self._partitions)}."
            raise invalid(self._settings, problem, "Set another one, or null for any.")
        if key is not None and len(key) > _LONGEST_KEY:
            problem = f"Its partition key has {len(key)} characters, and the service allows {_LONGEST_KEY}."
            raise invalid(self._settings, problem, "Use a shorter key, such as a hash.")
        return self._repeated(lambda: self._client.create_batch(partition_id=partition, partition_key=key))

    def _ids(self) -> list[str]:
        if not self._partitions:
            self._partitions = self._repeated(self._client.get_partition_ids)
        return self._partitions

    def _send(self, batch: EventDataBatch) -> None:
        count = len(batch)
        if count:
            self._repeated(lambda: self._client.send_batch(batch, timeout=self._settings.address.timeout))
        self.sent += count

    def _repeated(self, call: Callable[[], _T]) -> _T:
        """The result of a call. A failure that may pass is repeated until the operation timeout."""
        end, pause = time.monotonic() + self._settings.address.timeout, 0.1
        while True:
            try:
                # The SDK waits for its link without a limit.
                return within(max(1.0, end - time.monotonic()), call)
            except (TypeError, ValueError) as wrong:
                raise invalid(self._settings, f"The SDK refuses it: {wrong}", "Correct the row.") from None
            except Exception as error:  # noqa: BLE001 - the SDK raises many classes
                known = of_sdk(error, self._settings.address, "sending events")
                if not may_pass(known) or time.monotonic() + pause > end:
                    raise known from None
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _too_large(self, event: EventData, destination: Destination, batch: EventDataBatch) -> Exception:
        partition, key = destination
        place = f"partition {partition}" if partition is not None else "a partition key" if key else "any partition"
        return failure(
            "EVENTHUBS_EVENT_TOO_LARGE",
            hub=self._settings.address.hub,
            namespace=self._settings.address.host,
            bytes=len(event.body_as_str(encoding="latin-1")),
            place=place,
            limit=batch.max_size_in_bytes,
        )


class RowWriter(DataSourceWriter):
    """Writes a batch."""

    def __init__(self, settings: WriteSettings, columns: WriteColumns) -> None:
        self._settings, self._columns = settings, columns

    def write(self, iterator: Iterator[Row]) -> WriterCommitMessage:
        """The rows of a task."""
        send_rows(iterator, self._settings, self._columns)
        return WriterCommitMessage()


class StreamRowWriter(DataSourceStreamWriter):
    """Writes the batches of a stream."""

    def __init__(self, settings: WriteSettings, columns: WriteColumns) -> None:
        self._settings, self._columns = settings, columns

    def write(self, iterator: Iterator[Row]) -> WriterCommitMessage:
        """The rows of a task."""
        send_rows(iterator, self._settings, self._columns)
        return WriterCommitMessage()


def _added(batch: EventDataBatch, event: EventData) -> bool:
    try:
        batch.add(event)
    except ValueError:
        return False
    return True
