"""Options of the write side. Generated from the option table: change it there, and run `make options`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from spark_eventhubs._conf.base import ConfBase

if TYPE_CHECKING:
    from datetime import timedelta
    from os import PathLike

    from spark_eventhubs.conf import EventHubsConf


class WriteMethods(ConfBase):
    """A method for each option."""

    def with_partition_id(self, value: int) -> EventHubsConf:
        """Sets `eventhubs.partitionId`.

        Partition of all rows. It overrides the columns for partition and key. Default: any.

        Args:
            value: A whole number from 0.

        Example:
            >>> conf.with_partition_id(0)
        """
        return self._with_value("eventhubs.partitionId", value)

    def with_partition_key(self, value: str | int) -> EventHubsConf:
        """Sets `eventhubs.partitionKey`.

        Partition key of all rows. It overrides the columns for partition and key. Default: none.

        Args:
            value: Text.

        Example:
            >>> conf.with_partition_key("blue")
        """
        return self._with_value("eventhubs.partitionKey", value)

    def with_max_batch_bytes(self, value: int | str) -> EventHubsConf:
        """Sets `eventhubs.maxBatchBytes`.

        Maximum size of an AMQP batch. It must not be larger than `maxInFlightBytes`: for batches above 8 MiB
        raise both. Default: the service's limit, 1 MB in most tiers.

        Args:
            value: A number of bytes, or text with a binary unit such as `16m`; from 1024 to 2147483647.

        Example:
            >>> conf.with_max_batch_bytes("256k")
        """
        return self._with_value("eventhubs.maxBatchBytes", value)

    def with_max_in_flight_bytes(self, value: int | str) -> EventHubsConf:
        """Sets `eventhubs.maxInFlightBytes`.

        Bytes that one task may have in flight: sent, but not yet accepted by the service. Of rows with a
        partition or a key, and of all rows with `idempotentProducer`, at most one batch of each partition is
        in flight.

        Args:
            value: A number of bytes, or text with a binary unit such as `16m`; from 1048576. Default: `8m`.

        Example:
            >>> conf.with_max_in_flight_bytes("16m")
        """
        return self._with_value("eventhubs.maxInFlightBytes", value)

    def with_linger_ms(self, value: int) -> EventHubsConf:
        """Sets `eventhubs.lingerMs`.

        Milliseconds that a batch which is not full waits for more events. `0` sends an event at once. While
        the service has not yet accepted the last batch of a partition, the next one is filled further in any
        case. Default: in Real-Time Mode 0; otherwise a batch waits until it is full or its task ends.

        Args:
            value: A whole number from 0 to 60000.

        Example:
            >>> conf.with_linger_ms(5)
        """
        return self._with_value("eventhubs.lingerMs", value)

    def with_send_timeout(self, value: timedelta | str) -> EventHubsConf:
        """Sets `eventhubs.sendTimeout`.

        Longest time for one batch to be accepted by the service, retries included. After this time the task
        fails. If the service is busy, the task waits ten times as long, and longer while the service accepts
        other batches of the executor.

        Args:
            value: A timedelta, or text such as `30s` or `PT30S`. Above zero. Default: `PT1M`.

        Example:
            >>> conf.with_send_timeout(timedelta(seconds=30))
        """
        return self._with_value("eventhubs.sendTimeout", value)

    def with_oversized_events(self, value: Literal["fail", "drop"]) -> EventHubsConf:
        """Sets `eventhubs.oversizedEvents`.

        What happens to an event that does not fit into a batch: `fail` stops the query, `drop` skips and
        counts the event.

        Args:
            value: One of `fail`, `drop`. Default: `fail`.

        Example:
            >>> conf.with_oversized_events('drop')
        """
        return self._with_value("eventhubs.oversizedEvents", value)

    def with_write_tombstones(self, value: bool) -> EventHubsConf:  # noqa: FBT001
        """Sets `eventhubs.writeTombstones`.

        `true` writes a row with a null body as a tombstone, an event without a value. The row must have a
        partition key. In a compacted hub the tombstone deletes the earlier events of this key. `false` makes
        such a row an error.

        Args:
            value: True or False. Default: `false`.

        Example:
            >>> conf.with_write_tombstones(True)
        """
        return self._with_value("eventhubs.writeTombstones", value)

    def with_use_v1_sink(self, value: bool) -> EventHubsConf:  # noqa: FBT001
        """Sets `eventhubs.useV1Sink`.

        Whether a stream writes through Spark's V1 sink interface instead of V2.

        Args:
            value: True or False. Default: `false`.

        Example:
            >>> conf.with_use_v1_sink(True)
        """
        return self._with_value("eventhubs.useV1Sink", value)

    def with_delivery_guarantee(self, value: Literal["at-least-once", "exactly-once"]) -> EventHubsConf:
        """Sets `eventhubs.deliveryGuarantee`.

        `at-least-once` may write an event twice when something fails and is retried. `exactly-once` stamps
        each event and reads the hub before it sends anything a second time, so the credential also needs the
        right to listen. A stream needs a checkpoint location. A batch write needs `writeId`, `writeVersion`
        and `writeLogLocation`. See docs/delivery-semantics.md.

        Args:
            value: One of `at-least-once`, `exactly-once`. Default: `at-least-once`.

        Example:
            >>> conf.with_delivery_guarantee('exactly-once')
        """
        return self._with_value("eventhubs.deliveryGuarantee", value)

    def with_write_id(self, value: str) -> EventHubsConf:
        """Sets `eventhubs.writeId`.

        Name of a sequence of batch writes. It stays the same when a write is retried. For a write in
        `foreachBatch`, choose a name that no other write uses. Default: none.

        Args:
            value: Text.

        Example:
            >>> conf.with_write_id("alerts")
        """
        return self._with_value("eventhubs.writeId", value)

    def with_write_version(self, value: int) -> EventHubsConf:
        """Sets `eventhubs.writeVersion`.

        Number of this write within `writeId`. It must grow from write to write. In `foreachBatch`, use the
        batch id. Default: none.

        Args:
            value: A whole number from 0.

        Example:
            >>> conf.with_write_version(7)
        """
        return self._with_value("eventhubs.writeVersion", value)

    def with_write_log_location(self, value: str | PathLike[str]) -> EventHubsConf:
        """Sets `eventhubs.writeLogLocation`.

        Folder in which batch writes with a `writeId` record their start and their end. Streams use their
        checkpoint. Default: none.

        Args:
            value: Text, or an os.PathLike such as a pathlib.Path.

        Example:
            >>> conf.with_write_log_location("abfss://logs@contoso.dfs.core.windows.net/writes")
        """
        return self._with_value("eventhubs.writeLogLocation", value)

    def with_settle_delay(self, value: timedelta | str) -> EventHubsConf:
        """Sets `eventhubs.settleDelay`.

        How long `exactly-once` waits after a failure before it reads which events are already in the hub.
        Batches that a killed process sent may still arrive in this time.

        Args:
            value: A timedelta, or text such as `30s` or `PT30S`. Above zero. Default: `PT5S`.

        Example:
            >>> conf.with_settle_delay(timedelta(seconds=30))
        """
        return self._with_value("eventhubs.settleDelay", value)

    def with_settle_delay_after_timeout(self, value: timedelta | str) -> EventHubsConf:
        """Sets `eventhubs.settleDelayAfterTimeout`.

        How long `exactly-once` waits instead of `settleDelay` when an attempt to send had no answer until it
        timed out, or for longer than `settleDelay`. The connector resets the connection, but a proxy or
        gateway may still deliver what it holds.

        Args:
            value: A timedelta, or text such as `30s` or `PT30S`. Above zero. Default: `PT1M`.

        Example:
            >>> conf.with_settle_delay_after_timeout(timedelta(seconds=30))
        """
        return self._with_value("eventhubs.settleDelayAfterTimeout", value)

    def with_idempotent_producer(self, value: bool) -> EventHubsConf:  # noqa: FBT001
        """Sets `eventhubs.idempotentProducer`.

        Whether `exactly-once` sends as idempotent producers where the service grants them. The service then
        refuses what a connection that was given up still delivers, however late, and a task needs no settle
        delay after a lost answer. Each event becomes about 120 bytes larger, and each task has a link of its
        own to each partition.

        Args:
            value: True or False. Default: `false`.

        Example:
            >>> conf.with_idempotent_producer(True)
        """
        return self._with_value("eventhubs.idempotentProducer", value)

    def with_stamp_events(self, value: bool) -> EventHubsConf:  # noqa: FBT001
        """Sets `eventhubs.stampEvents`.

        Whether events of an `at-least-once` write carry an id, so that readers can drop duplicates
        (`drop_duplicate_events`). A task needs about 48 bytes of memory per row for it.

        Args:
            value: True or False. Default: `false`.

        Example:
            >>> conf.with_stamp_events(True)
        """
        return self._with_value("eventhubs.stampEvents", value)
