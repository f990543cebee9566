"""Options of the read side. Generated from the option table: change it there, and run `make options`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from spark_eventhubs._conf.base import ConfBase

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import timedelta

    from spark_eventhubs._conf.position_values import Key, Position
    from spark_eventhubs.conf import EventHubsConf


class ReadMethods(ConfBase):
    """A method for each option."""

    def with_use_v1_source(self, value: bool) -> EventHubsConf:  # noqa: FBT001
        """Sets `eventhubs.useV1Source`.

        Whether a stream reads through Spark's V1 source interface instead of V2.

        Args:
            value: True or False. Default: `false`.

        Example:
            >>> conf.with_use_v1_source(True)
        """
        return self._with_value("eventhubs.useV1Source", value)

    def with_name_pattern(self, value: str) -> EventHubsConf:
        """Sets `eventhubs.namePattern`.

        Regular expression that selects event hubs of the namespace, instead of `name`. It matches the whole
        name, in any case. A stream also reads hubs that appear later, from their first event. The credential
        needs the Manage claim on the namespace. See docs/guides/several-hubs.md.

        Args:
            value: Text.

        Example:
            >>> conf.with_name_pattern("orders-.*")
        """
        return self._with_value("eventhubs.namePattern", value)

    def with_name_pattern_interval(self, value: timedelta | str) -> EventHubsConf:
        """Sets `eventhubs.namePatternInterval`.

        How often a stream looks for new event hubs that match `namePattern`, at most.

        Args:
            value: A timedelta, or text such as `30s` or `PT30S`. Above zero. Default: `PT1M`.

        Example:
            >>> conf.with_name_pattern_interval(timedelta(seconds=30))
        """
        return self._with_value("eventhubs.namePatternInterval", value)

    def with_consumer_group(self, value: str) -> EventHubsConf:
        """Sets `eventhubs.consumerGroup`.

        Consumer group of the query.

        Args:
            value: Text. Default: `$Default`.

        Example:
            >>> conf.with_consumer_group("dashboards")
        """
        return self._with_value("eventhubs.consumerGroup", value)

    def with_starting_position(self, value: Position) -> EventHubsConf:
        """Sets `eventhubs.startingPosition`.

        Position from which every partition is read: `earliest`, `latest`, a sequence number, a time with its
        zone such as `2024-01-31T12:00:00Z`, `checkpointStore` (see `checkpointStore.container`), or the
        legacy connector's JSON. A streaming query uses it only for its first start. Later starts continue
        from the checkpoint. Default: `latest` for streams, `checkpointStore` with
        `checkpointStore.ownership`, `earliest` for batch reads.

        Args:
            value: `earliest`, `latest`, a sequence number, a datetime with its time zone, or an
                EventPosition.

        Example:
            >>> conf.with_starting_position("earliest")
        """
        return self._with_value("eventhubs.startingPosition", value)

    def with_starting_positions(self, value: Mapping[Key, Position]) -> EventHubsConf:
        """Sets `eventhubs.startingPositions`.

        Starting positions of single partitions, which take precedence over `startingPosition`: JSON such as
        `{"0":123,"1":"latest"}`, or the legacy connector's JSON, whose keys name hub and partition. Default:
        `startingPosition` for all.

        Args:
            value: A dict from partition ids (numbers, digits or NameAndPartition) to positions.

        Example:
            >>> conf.with_starting_positions({0: 123, 1: "latest"})
        """
        return self._with_value("eventhubs.startingPositions", value)

    def with_ending_position(self, value: Position) -> EventHubsConf:
        """Sets `eventhubs.endingPosition`.

        Position at which a batch read ends in every partition. Streams ignore it.

        Args:
            value: `earliest`, `latest`, a sequence number, a datetime with its time zone, or an
                EventPosition. Default: `latest`.

        Example:
            >>> conf.with_ending_position(datetime(2024, 1, 31, 12, tzinfo=timezone.utc))
        """
        return self._with_value("eventhubs.endingPosition", value)

    def with_ending_positions(self, value: Mapping[Key, Position]) -> EventHubsConf:
        """Sets `eventhubs.endingPositions`.

        Ending positions of single partitions in a batch read, which take precedence over `endingPosition`.
        Written like `startingPositions`. Default: `endingPosition` for all.

        Args:
            value: A dict from partition ids (numbers, digits or NameAndPartition) to positions.

        Example:
            >>> conf.with_ending_positions({0: 456})
        """
        return self._with_value("eventhubs.endingPositions", value)

    def with_partitions(self, value: Sequence[int] | str) -> EventHubsConf:
        """Sets `eventhubs.partitions`.

        Ids of the partitions to read, such as `0,2` or `0-3`. Default: all, including partitions added later.

        Args:
            value: Partition ids, or text such as `0-3`.

        Example:
            >>> conf.with_partitions([0, 2])
        """
        return self._with_value("eventhubs.partitions", value)

    def with_max_events_per_trigger(self, value: int) -> EventHubsConf:
        """Sets `eventhubs.maxEventsPerTrigger`.

        Maximum number of events of one micro-batch. The partitions share it in proportion to their backlog.
        Default: unlimited.

        Args:
            value: A whole number from 1.

        Example:
            >>> conf.with_max_events_per_trigger(100_000)
        """
        return self._with_value("eventhubs.maxEventsPerTrigger", value)

    def with_max_bytes_per_trigger(self, value: int | str) -> EventHubsConf:
        """Sets `eventhubs.maxBytesPerTrigger`.

        Approximate maximum of body bytes of one micro-batch over all partitions. The connector estimates
        event sizes from the mean size of the events read before. Until it has a mean, it counts 1 MiB per
        event. Default: unlimited.

        Args:
            value: A number of bytes, or text with a binary unit such as `16m`; from 1.

        Example:
            >>> conf.with_max_bytes_per_trigger("64m")
        """
        return self._with_value("eventhubs.maxBytesPerTrigger", value)

    def with_min_events_per_trigger(self, value: int) -> EventHubsConf:
        """Sets `eventhubs.minEventsPerTrigger`.

        Minimum number of events of one micro-batch. A smaller backlog waits for more events until
        `maxTriggerDelay` has passed since the last batch. The first batch after each start does not wait, nor
        do `Trigger.AvailableNow` and `Trigger.Once`. Default: 1.

        Args:
            value: A whole number from 1.

        Example:
            >>> conf.with_min_events_per_trigger(10_000)
        """
        return self._with_value("eventhubs.minEventsPerTrigger", value)

    def with_max_trigger_delay(self, value: timedelta | str) -> EventHubsConf:
        """Sets `eventhubs.maxTriggerDelay`.

        Longest time that `minEventsPerTrigger` holds events back.

        Args:
            value: A timedelta, or text such as `30s` or `PT30S`. Above zero. Default: `PT15M`.

        Example:
            >>> conf.with_max_trigger_delay(timedelta(seconds=30))
        """
        return self._with_value("eventhubs.maxTriggerDelay", value)

    def with_fail_on_data_loss(self, value: bool) -> EventHubsConf:  # noqa: FBT001
        """Sets `eventhubs.failOnDataLoss`.

        `true` stops the query when events that it should read no longer exist. `false` continues with the
        earliest retained event, logs a warning and counts the lost events.

        Args:
            value: True or False. Default: `true`.

        Example:
            >>> conf.with_fail_on_data_loss(False)
        """
        return self._with_value("eventhubs.failOnDataLoss", value)

    def with_compacted(self, value: bool) -> EventHubsConf:  # noqa: FBT001
        """Sets `eventhubs.compacted`.

        `true` for a hub whose cleanup policy is `Compact` or `DeleteOrCompact`. Compaction leaves gaps in the
        sequence numbers, which are then no data loss. See docs/delivery-semantics.md.

        Args:
            value: True or False. Default: `false`.

        Example:
            >>> conf.with_compacted(True)
        """
        return self._with_value("eventhubs.compacted", value)

    def with_prefetch_count(self, value: int) -> EventHubsConf:
        """Sets `eventhubs.prefetchCount`.

        Number of events that a receiver prefetches for the task that reads them. Default: as many as fit into
        `receiverBufferBytes`.

        Args:
            value: A whole number from 1 to 8000.

        Example:
            >>> conf.with_prefetch_count(500)
        """
        return self._with_value("eventhubs.prefetchCount", value)

    def with_receiver_buffer_bytes(self, value: int | str) -> EventHubsConf:
        """Sets `eventhubs.receiverBufferBytes`.

        Bytes that a receiver may prefetch for the task that reads them. When events suddenly become larger,
        it holds at most twice this amount, or this amount and 1 MiB where that is more. This limit also
        applies with `prefetchCount`. Between micro-batches, all receivers of an executor together may hold
        `maxConnections` times this amount.

        Args:
            value: A number of bytes, or text with a binary unit such as `16m`; from 65536 to 536870912.
                Default: `16m`.

        Example:
            >>> conf.with_receiver_buffer_bytes("32m")
        """
        return self._with_value("eventhubs.receiverBufferBytes", value)

    def with_receiver_timeout(self, value: timedelta | str) -> EventHubsConf:
        """Sets `eventhubs.receiverTimeout`.

        How long a receiver may deliver nothing, although the partition has events, before it is reopened.
        Batches and micro-batches wait for half of `operationTimeout` at most, so 30 s by default. Real-Time
        Mode waits for the whole time, or longer. If only `operationTimeout` is set and it is shorter, its
        value is used.

        Args:
            value: A timedelta, or text such as `30s` or `PT30S`. Above zero. Default: `PT1M`.

        Example:
            >>> conf.with_receiver_timeout(timedelta(seconds=30))
        """
        return self._with_value("eventhubs.receiverTimeout", value)

    def with_receiver_idle_timeout(self, value: timedelta | str) -> EventHubsConf:
        """Sets `eventhubs.receiverIdleTimeout`.

        How long an unused receiver stays open for the next batch. A receiver with an owner level shuts other
        readers out while it is open; those of a query that stops close at once in the driver's JVM, and after
        this time elsewhere. Default: `PT5M`; `PT30S` with an owner level.

        Args:
            value: A timedelta, or text such as `30s` or `PT30S`. Above zero.

        Example:
            >>> conf.with_receiver_idle_timeout(timedelta(seconds=30))
        """
        return self._with_value("eventhubs.receiverIdleTimeout", value)

    def with_use_exclusive_receiver(self, value: bool) -> EventHubsConf:  # noqa: FBT001
        """Sets `eventhubs.useExclusiveReceiver`.

        Whether receivers are exclusive. Another exclusive receiver of the same consumer group and partition
        disconnects this one, unless its own `ownerLevel` is lower. Cannot be combined with `minPartitions` or
        `maxEventsPerTask`, because tasks that share a partition would disconnect each other. Default: `true`
        when `ownerLevel` is set, else `false`.

        Args:
            value: True or False.

        Example:
            >>> conf.with_use_exclusive_receiver(True)
        """
        return self._with_value("eventhubs.useExclusiveReceiver", value)

    def with_owner_level(self, value: int) -> EventHubsConf:
        """Sets `eventhubs.ownerLevel`.

        Owner level (epoch) of exclusive receivers. The receiver with the highest level reads. Cannot be
        combined with `minPartitions` or `maxEventsPerTask`. Default: 0 when `useExclusiveReceiver` is `true`.

        Args:
            value: A whole number from 0.

        Example:
            >>> conf.with_owner_level(1)
        """
        return self._with_value("eventhubs.ownerLevel", value)

    def with_max_connections(self, value: int) -> EventHubsConf:
        """Sets `eventhubs.maxConnections`.

        Maximum number of AMQP connections of one executor to one event hub for receivers. Beyond it,
        receivers share connections. Queries share connections only when all their connection options are
        equal. Default: twice the processors that the executor's JVM sees.

        Args:
            value: A whole number from 1.

        Example:
            >>> conf.with_max_connections(8)
        """
        return self._with_value("eventhubs.maxConnections", value)

    def with_min_partitions(self, value: int) -> EventHubsConf:
        """Sets `eventhubs.minPartitions`.

        Minimum number of Spark tasks of a batch. Long ranges are split, into at most 5 per hub partition.
        Default: one task per hub partition.

        Args:
            value: A whole number from 1.

        Example:
            >>> conf.with_min_partitions(16)
        """
        return self._with_value("eventhubs.minPartitions", value)

    def with_max_events_per_task(self, value: int) -> EventHubsConf:
        """Sets `eventhubs.maxEventsPerTask`.

        Maximum number of events of one Spark task. Longer ranges are split, into at most 5 per hub partition.
        Default: unlimited.

        Args:
            value: A whole number from 1.

        Example:
            >>> conf.with_max_events_per_task(50_000)
        """
        return self._with_value("eventhubs.maxEventsPerTask", value)

    def with_max_partitions(self, value: int) -> EventHubsConf:
        """Sets `eventhubs.maxPartitions`.

        Maximum number of Spark tasks of a batch. Neighbouring hub partitions share a task, always the same
        ones. Use it for hubs with many partitions and few events in each batch. Two tasks per core keep all
        cores busy. Cannot be combined with `minPartitions` or `maxEventsPerTask`. Default: one task per hub
        partition.

        Args:
            value: A whole number from 1.

        Example:
            >>> conf.with_max_partitions(8)
        """
        return self._with_value("eventhubs.maxPartitions", value)

    def with_partition_preferred_location_strategy(
        self, value: Literal["Hash", "BalancedHash", "Stable"]
    ) -> EventHubsConf:
        """Sets `eventhubs.partitionPreferredLocationStrategy`.

        How partitions are placed on executors. `Stable` spreads them evenly and moves few when an executor is
        added or removed. `BalancedHash` places consecutive partitions on consecutive executors and moves
        most. `Hash` scatters them.

        Args:
            value: One of `Hash`, `BalancedHash`, `Stable`. Default: `Stable`.

        Example:
            >>> conf.with_partition_preferred_location_strategy('Stable')
        """
        return self._with_value("eventhubs.partitionPreferredLocationStrategy", value)

    def with_replay_cache_bytes(self, value: int | str) -> EventHubsConf:
        """Sets `eventhubs.replayCacheBytes`.

        Memory in which an executor keeps events for a second pass over the same batch: several actions or
        writers in `foreachBatch`, or a batch read that is used twice. All queries of the executor share it.
        Events that no pass has used for 10 minutes are dropped. `0` keeps none, which is best for a single
        pass.

        Args:
            value: A number of bytes, or text with a binary unit such as `16m`; from 0. Default: `0g`.

        Example:
            >>> conf.with_replay_cache_bytes("256m")
        """
        return self._with_value("eventhubs.replayCacheBytes", value)

    def with_include_event_hub(self, value: bool) -> EventHubsConf:  # noqa: FBT001
        """Sets `eventhubs.includeEventHub`.

        Whether rows have a tenth column, `eventHub`, with the name of the event's hub. Without it, rows of
        several hubs do not show which hub they came from.

        Args:
            value: True or False. Default: `false`.

        Example:
            >>> conf.with_include_event_hub(True)
        """
        return self._with_value("eventhubs.includeEventHub", value)

    def with_checkpoint_store_container(self, value: str) -> EventHubsConf:
        """Sets `eventhubs.checkpointStore.container`.

        Container of Azure Blob Storage for checkpoints: its URL, with or without a SAS token, or its name,
        with `checkpointStore.connectionString`. A stream publishes there how far it has read, as the SDKs'
        processors do. Without a SAS token or connection string, the sign-in to the event hub is used. See
        docs/guides/checkpoint-stores.md. Default: no store.

        Args:
            value: Text.

        Example:
            >>> conf.with_checkpoint_store_container("https://contoso.blob.core.windows.net/checkpoints")
        """
        return self._with_value("eventhubs.checkpointStore.container", value)

    def with_checkpoint_store_connection_string(self, value: str) -> EventHubsConf:
        """Sets `eventhubs.checkpointStore.connectionString`.

        Connection string of the storage account. `UseDevelopmentStorage=true` is the emulator on this
        machine. Default: the URL's SAS token, else the sign-in to the event hub.

        Args:
            value: Text.

        Example:
            >>> conf.with_checkpoint_store_connection_string(text)
        """
        return self._with_value("eventhubs.checkpointStore.connectionString", value)

    def with_checkpoint_store_interval(self, value: timedelta | str) -> EventHubsConf:
        """Sets `eventhubs.checkpointStore.interval`.

        Shortest time between two writes of a partition's checkpoint. Positions in between are not written.

        Args:
            value: A timedelta, or text such as `30s` or `PT30S`. Above zero. Default: `PT10S`.

        Example:
            >>> conf.with_checkpoint_store_interval(timedelta(seconds=30))
        """
        return self._with_value("eventhubs.checkpointStore.interval", value)

    def with_checkpoint_store_publish(self, value: bool) -> EventHubsConf:  # noqa: FBT001
        """Sets `eventhubs.checkpointStore.publish`.

        `false` only reads the store, for a start at its checkpoints, and writes nothing.

        Args:
            value: True or False. Default: `true`.

        Example:
            >>> conf.with_checkpoint_store_publish(False)
        """
        return self._with_value("eventhubs.checkpointStore.publish", value)

    def with_checkpoint_store_default_position(self, value: Position) -> EventHubsConf:
        """Sets `eventhubs.checkpointStore.defaultPosition`.

        Starting position of partitions without a checkpoint, with `startingPosition` = `checkpointStore`.
        Written like `startingPosition`.

        Args:
            value: `earliest`, `latest`, a sequence number, a datetime with its time zone, or an
                EventPosition. Default: `earliest`.

        Example:
            >>> conf.with_checkpoint_store_default_position("latest")
        """
        return self._with_value("eventhubs.checkpointStore.defaultPosition", value)

    def with_checkpoint_store_ownership(self, value: Literal["off", "fail", "wait"]) -> EventHubsConf:
        """Sets `eventhubs.checkpointStore.ownership`.

        Whether a stream owns its partitions in the store, as the SDKs' event processors do, so that it and
        they take turns. While another owner has a partition, `fail` stops the query with an error, and `wait`
        waits until all partitions are released. See docs/guides/checkpoint-stores.md.

        Args:
            value: One of `off`, `fail`, `wait`. Default: `off`.

        Example:
            >>> conf.with_checkpoint_store_ownership('wait')
        """
        return self._with_value("eventhubs.checkpointStore.ownership", value)

    def with_checkpoint_store_ownership_expiration(self, value: timedelta | str) -> EventHubsConf:
        """Sets `eventhubs.checkpointStore.ownershipExpiration`.

        Time after which an ownership that was not renewed may be claimed by others. Must be at least that of
        the event processors. The query renews its own six times within this time.

        Args:
            value: A timedelta, or text such as `30s` or `PT30S`. Above zero. Default: `PT2M`.

        Example:
            >>> conf.with_checkpoint_store_ownership_expiration(timedelta(seconds=30))
        """
        return self._with_value("eventhubs.checkpointStore.ownershipExpiration", value)
