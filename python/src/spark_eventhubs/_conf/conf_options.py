# ruff: noqa: E501 - a line for each keyword
"""The types of a conf's keywords. Generated from the option table by `make options`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import timedelta
    from os import PathLike

    from spark_eventhubs._conf.azure_credentials import AzureCredential
    from spark_eventhubs._conf.position_values import Position, Positions
    from spark_eventhubs.credentials import Credential


class ConfOptions(TypedDict, total=False):
    """The keywords of `EventHubsConf` and `replace`. None means not set, and `replace` removes the option.

    Attributes:
        credential: How to sign in, instead of a key in the connection string: a credential of spark_eventhubs or of azure.identity. Needs `fully_qualified_namespace`, and `eventhub_name` or `name_pattern`; a `ConnectionString` contains the namespace and may contain the name.
        connection_string: Connection string of the event hub, as the Azure portal shows it. For a namespace's connection string also set `eventhubs.name`. A value encrypted by the legacy connector 2.3.22 is accepted.
        fully_qualified_namespace: Host name of the namespace, such as `contoso.servicebus.windows.net`. Set it when there is no connection string.
        eventhub_name: Name of the event hub. Set it when the connection string has no `EntityPath`. A query reads several event hubs of the namespace when their names are separated by commas, such as `orders,returns`. A query that writes may leave both out: then the column `eventHub` names the hub of each row.
        transport: `amqp` uses port 5671. `amqpWebSockets` uses port 443, for networks that allow only HTTPS. Default: `amqp`.
        custom_endpoint: Host, with or without port, that the connector connects to instead of the namespace, such as a gateway in front of a private endpoint. Its certificate must be valid for this host; tokens are still for the namespace.
        tls_trusted_certificates: Path of a PEM file with certificates of authorities that the connection and the sign-in trust, in addition to those of the JVM. The driver and every executor need the file; a relative path may name a file of `spark.files`.
        proxy_address: HTTP proxy, such as `proxy.contoso.com:3128`. Needs `amqpWebSockets`. If not set, the environment (`HTTPS_PROXY` or `HTTP_PROXY`, and `NO_PROXY`) or the JVM (`https.proxyHost`) names the proxy. See docs/platforms.md.
        proxy_username: User name for signing in to the proxy.
        proxy_password: Password for signing in to the proxy.
        proxy_authentication: How the user name and the password are sent to the proxy. Default: `basic`.
        operation_timeout: Longest wait for one operation of the service, retries included. If only `receiverTimeout` is set and it is longer, its value is used. Default: `PT1M`.
        max_retries: Sets how long one attempt to connect or to send may take: `operationTimeout / (maxRetries + 1)`, 15 s by default and 1 s at least. It does not limit the retries of reads and writes: these end with `operationTimeout` or `sendTimeout`. It limits the retries of the SDK while a reader connects, of the check before a write, and of the list of hubs (2 at most). Default: `3`.
        ignore_unknown_options: `true` logs a warning instead of rejecting the name of an option: a name that is unknown, lacks its prefix, or belongs to Spark's Kafka source or to the legacy connector. Wrong values are still rejected. Default: `false`.
        use_v1_source: Whether a stream reads through Spark's V1 source interface instead of V2. Default: `false`.
        name_pattern: Regular expression that selects event hubs of the namespace, instead of `name`. It matches the whole name, in any case. A stream also reads hubs that appear later, from their first event. The credential needs the Manage claim on the namespace. See docs/guides/several-hubs.md.
        name_pattern_interval: How often a stream looks for new event hubs that match `namePattern`, at most. Default: `PT1M`.
        consumer_group: Consumer group of the query. Default: `$Default`.
        starting_position: Position from which every partition is read: `earliest`, `latest`, a sequence number, a time with its zone such as `2024-01-31T12:00:00Z`, `checkpointStore` (see `checkpointStore.container`), or the legacy connector's JSON. A streaming query uses it only for its first start. Later starts continue from the checkpoint. Default: `latest` for streams, `checkpointStore` with `checkpointStore.ownership`, `earliest` for batch reads.
        starting_positions: Starting positions of single partitions, which take precedence over `startingPosition`: JSON such as `{"0":123,"1":"latest"}`, or the legacy connector's JSON, whose keys name hub and partition. Default: `startingPosition` for all.
        ending_position: Position at which a batch read ends in every partition. Streams ignore it. Default: `latest`.
        ending_positions: Ending positions of single partitions in a batch read, which take precedence over `endingPosition`. Written like `startingPositions`. Default: `endingPosition` for all.
        partitions: Ids of the partitions to read, such as `0,2` or `0-3`. Default: all, including partitions added later.
        max_events_per_trigger: Maximum number of events of one micro-batch. The partitions share it in proportion to their backlog. Default: unlimited.
        max_bytes_per_trigger: Approximate maximum of body bytes of one micro-batch over all partitions. The connector estimates event sizes from the mean size of the events read before. Until it has a mean, it counts 1 MiB per event. Default: unlimited.
        min_events_per_trigger: Minimum number of events of one micro-batch. A smaller backlog waits for more events until `maxTriggerDelay` has passed since the last batch. The first batch after each start does not wait, nor do `Trigger.AvailableNow` and `Trigger.Once`. Default: 1.
        max_trigger_delay: Longest time that `minEventsPerTrigger` holds events back. Default: `PT15M`.
        fail_on_data_loss: `true` stops the query when events that it should read no longer exist. `false` continues with the earliest retained event, logs a warning and counts the lost events. Default: `true`.
        compacted: `true` for a hub whose cleanup policy is `Compact` or `DeleteOrCompact`. Compaction leaves gaps in the sequence numbers, which are then no data loss. See docs/delivery-semantics.md. Default: `false`.
        prefetch_count: Number of events that a receiver prefetches for the task that reads them. Default: as many as fit into `receiverBufferBytes`.
        receiver_buffer_bytes: Bytes that a receiver may prefetch for the task that reads them. When events suddenly become larger, it holds at most twice this amount, or this amount and 1 MiB where that is more. This limit also applies with `prefetchCount`. Between micro-batches, all receivers of an executor together may hold `maxConnections` times this amount. Default: `16m`.
        receiver_timeout: How long a receiver may deliver nothing, although the partition has events, before it is reopened. Batches and micro-batches wait for half of `operationTimeout` at most, so 30 s by default. Real-Time Mode waits for the whole time, or longer. If only `operationTimeout` is set and it is shorter, its value is used. Default: `PT1M`.
        receiver_idle_timeout: How long an unused receiver stays open for the next batch. A receiver with an owner level shuts other readers out while it is open; those of a query that stops close at once in the driver's JVM, and after this time elsewhere. Default: `PT5M`; `PT30S` with an owner level.
        use_exclusive_receiver: Whether receivers are exclusive. Another exclusive receiver of the same consumer group and partition disconnects this one, unless its own `ownerLevel` is lower. Cannot be combined with `minPartitions` or `maxEventsPerTask`, because tasks that share a partition would disconnect each other. Default: `true` when `ownerLevel` is set, else `false`.
        owner_level: Owner level (epoch) of exclusive receivers. The receiver with the highest level reads. Cannot be combined with `minPartitions` or `maxEventsPerTask`. Default: 0 when `useExclusiveReceiver` is `true`.
        max_connections: Maximum number of AMQP connections of one executor to one event hub for receivers. Beyond it, receivers share connections. Queries share connections only when all their connection options are equal. Default: twice the processors that the executor's JVM sees.
        min_partitions: Minimum number of Spark tasks of a batch. Long ranges are split, into at most 5 per hub partition. Default: one task per hub partition.
        max_events_per_task: Maximum number of events of one Spark task. Longer ranges are split, into at most 5 per hub partition. Default: unlimited.
        max_partitions: Maximum number of Spark tasks of a batch. Neighbouring hub partitions share a task, always the same ones. Use it for hubs with many partitions and few events in each batch. Two tasks per core keep all cores busy. Cannot be combined with `minPartitions` or `maxEventsPerTask`. Default: one task per hub partition.
        partition_preferred_location_strategy: How partitions are placed on executors. `Stable` spreads them evenly and moves few when an executor is added or removed. `BalancedHash` places consecutive partitions on consecutive executors and moves most. `Hash` scatters them. Default: `Stable`.
        replay_cache_bytes: Memory in which an executor keeps events for a second pass over the same batch: several actions or writers in `foreachBatch`, or a batch read that is used twice. All queries of the executor share it. Events that no pass has used for 10 minutes are dropped. `0` keeps none, which is best for a single pass. Default: `0g`.
        include_event_hub: Whether rows have a tenth column, `eventHub`, with the name of the event's hub. Without it, rows of several hubs do not show which hub they came from. Default: `false`.
        checkpoint_store_container: Container of Azure Blob Storage for checkpoints: its URL, with or without a SAS token, or its name, with `checkpointStore.connectionString`. A stream publishes there how far it has read, as the SDKs' processors do. Without a SAS token or connection string, the sign-in to the event hub is used. See docs/guides/checkpoint-stores.md. Default: no store.
        checkpoint_store_connection_string: Connection string of the storage account. `UseDevelopmentStorage=true` is the emulator on this machine. Default: the URL's SAS token, else the sign-in to the event hub.
        checkpoint_store_interval: Shortest time between two writes of a partition's checkpoint. Positions in between are not written. Default: `PT10S`.
        checkpoint_store_publish: `false` only reads the store, for a start at its checkpoints, and writes nothing. Default: `true`.
        checkpoint_store_default_position: Starting position of partitions without a checkpoint, with `startingPosition` = `checkpointStore`. Written like `startingPosition`. Default: `earliest`.
        checkpoint_store_ownership: Whether a stream owns its partitions in the store, as the SDKs' event processors do, so that it and they take turns. If another owner has a partition when the query starts, `fail` stops the query with an error, and `wait` waits until all partitions are released. A query that loses a partition stops. See docs/guides/checkpoint-stores.md. Default: `off`.
        checkpoint_store_ownership_expiration: Time after which an ownership that was not renewed may be claimed by others. Must be at least that of the event processors. The query renews its own six times within this time. Default: `PT2M`.
        partition_id: Partition of all rows. It overrides the columns for partition and key. Default: any.
        partition_key: Partition key of all rows. It overrides the columns for partition and key. Default: none.
        max_batch_bytes: Maximum size of an AMQP batch. It must not be larger than `maxInFlightBytes`: for batches above 8 MiB raise both. Default: the service's limit, 1 MB in most tiers.
        max_in_flight_bytes: Bytes that one task may have in flight: sent, but not yet accepted by the service. Of rows with a partition or a key, and of all rows with `idempotentProducer`, at most one batch of each partition is in flight. Default: `8m`.
        linger_ms: Milliseconds that a batch which is not full waits for more events. `0` sends an event at once. While the service has not yet accepted the last batch of a partition, the next one is filled further in any case. Default: in Real-Time Mode 0; otherwise a batch waits until it is full or its task ends.
        send_timeout: Longest time for one batch to be accepted by the service, retries included. After this time the task fails. If the service is busy, the task waits ten times as long, and longer while the service accepts other batches of the executor. Default: `PT1M`.
        oversized_events: What happens to an event that does not fit into a batch: `fail` stops the query, `drop` skips and counts the event. Default: `fail`.
        write_tombstones: `true` writes a row with a null body as a tombstone, an event without a value. The row must have a partition key. In a compacted hub the tombstone deletes the earlier events of this key. `false` makes such a row an error. Default: `false`.
        use_v1_sink: Whether a stream writes through Spark's V1 sink interface instead of V2. Default: `false`.
        delivery_guarantee: `at-least-once` may write an event twice when something fails and is retried. `exactly-once` stamps each event and reads the hub before it sends anything a second time, so the credential also needs the right to listen. A stream needs a checkpoint location. A batch write needs `writeId`, `writeVersion` and `writeLogLocation`. See docs/delivery-semantics.md. Default: `at-least-once`.
        write_id: Name of a sequence of batch writes. It stays the same when a write is retried. For a write in `foreachBatch`, choose a name that no other write uses. Default: none.
        write_version: Number of this write within `writeId`. It must grow from write to write. In `foreachBatch`, use the batch id. Default: none.
        write_log_location: Folder in which batch writes with a `writeId` record their start and their end. Streams use their checkpoint. Default: none.
        settle_delay: How long `exactly-once` waits after a failure before it reads which events are already in the hub. Batches that a killed process sent may still arrive in this time. Default: `PT5S`.
        settle_delay_after_timeout: How long `exactly-once` waits instead of `settleDelay` when an attempt to send had no answer until it timed out, or for longer than `settleDelay`. The connector resets the connection, but a proxy or gateway may still deliver what it holds. Default: `PT1M`.
        idempotent_producer: Whether `exactly-once` sends as idempotent producers where the service grants them. The service then refuses what a connection that was given up still delivers, however late, and a task needs no settle delay after a lost answer. Each event becomes about 120 bytes larger, and each task has a link of its own to each partition. Default: `false`.
        stamp_events: Whether events of an `at-least-once` write carry an id, so that readers can drop duplicates (`drop_duplicate_events`). A task needs about 48 bytes of memory per row for it. Default: `false`.
    """

    credential: Credential | AzureCredential | None
    connection_string: str | None
    fully_qualified_namespace: str | None
    eventhub_name: str | Sequence[str] | None
    transport: Literal["amqp", "amqpWebSockets"] | None
    custom_endpoint: str | None
    tls_trusted_certificates: str | PathLike[str] | None
    proxy_address: str | None
    proxy_username: str | None
    proxy_password: str | None
    proxy_authentication: Literal["basic", "digest"] | None
    operation_timeout: timedelta | str | None
    max_retries: int | None
    ignore_unknown_options: bool | None
    use_v1_source: bool | None
    name_pattern: str | None
    name_pattern_interval: timedelta | str | None
    consumer_group: str | None
    starting_position: Position | None
    starting_positions: Positions | None
    ending_position: Position | None
    ending_positions: Positions | None
    partitions: Sequence[int] | str | None
    max_events_per_trigger: int | None
    max_bytes_per_trigger: int | str | None
    min_events_per_trigger: int | None
    max_trigger_delay: timedelta | str | None
    fail_on_data_loss: bool | None
    compacted: bool | None
    prefetch_count: int | None
    receiver_buffer_bytes: int | str | None
    receiver_timeout: timedelta | str | None
    receiver_idle_timeout: timedelta | str | None
    use_exclusive_receiver: bool | None
    owner_level: int | None
    max_connections: int | None
    min_partitions: int | None
    max_events_per_task: int | None
    max_partitions: int | None
    partition_preferred_location_strategy: Literal["Hash", "BalancedHash", "Stable"] | None
    replay_cache_bytes: int | str | None
    include_event_hub: bool | None
    checkpoint_store_container: str | None
    checkpoint_store_connection_string: str | None
    checkpoint_store_interval: timedelta | str | None
    checkpoint_store_publish: bool | None
    checkpoint_store_default_position: Position | None
    checkpoint_store_ownership: Literal["off", "fail", "wait"] | None
    checkpoint_store_ownership_expiration: timedelta | str | None
    partition_id: int | None
    partition_key: str | int | None
    max_batch_bytes: int | str | None
    max_in_flight_bytes: int | str | None
    linger_ms: int | None
    send_timeout: timedelta | str | None
    oversized_events: Literal["fail", "drop"] | None
    write_tombstones: bool | None
    use_v1_sink: bool | None
    delivery_guarantee: Literal["at-least-once", "exactly-once"] | None
    write_id: str | None
    write_version: int | None
    write_log_location: str | PathLike[str] | None
    settle_delay: timedelta | str | None
    settle_delay_after_timeout: timedelta | str | None
    idempotent_producer: bool | None
    stamp_events: bool | None
