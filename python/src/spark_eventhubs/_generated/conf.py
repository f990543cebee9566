"""The constructor of a conf. Generated from the option table: change it there, and run `make options`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from spark_eventhubs._generated.connection import ConnectionMethods
from spark_eventhubs._generated.read import ReadMethods
from spark_eventhubs._generated.write import WriteMethods

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import timedelta
    from os import PathLike

    from spark_eventhubs._conf.azure_credentials import AzureCredential
    from spark_eventhubs._conf.position_values import EndKey, Key, Position
    from spark_eventhubs.credentials import Credential


class GeneratedConf(ConnectionMethods, ReadMethods, WriteMethods):
    """A conf with a keyword and a method for each option."""

    def __init__(
        self,
        *,
        credential: Credential | AzureCredential | None = None,
        connection_string: str | None = None,
        fully_qualified_namespace: str | None = None,
        eventhub_name: str | Sequence[str] | None = None,
        auth_type: Literal[
            "sas",
            "clientSecret",
            "clientCertificate",
            "managedIdentity",
            "workloadIdentity",
            "default",
            "credentialProvider",
        ]
        | None = None,
        auth_tenant_id: str | None = None,
        auth_client_id: str | None = None,
        auth_client_secret: str | None = None,
        auth_sas_token: str | None = None,
        auth_certificate_path: str | PathLike[str] | None = None,
        auth_certificate_password: str | None = None,
        auth_federated_token_file: str | PathLike[str] | None = None,
        auth_authority_host: str | None = None,
        auth_credential_provider: str | None = None,
        auth_token_parameters: str | None = None,
        transport: Literal["amqp", "amqpWebSockets"] | None = None,
        custom_endpoint: str | None = None,
        tls_trusted_certificates: str | PathLike[str] | None = None,
        proxy_address: str | None = None,
        proxy_username: str | None = None,
        proxy_password: str | None = None,
        proxy_authentication: Literal["basic", "digest"] | None = None,
        operation_timeout: timedelta | str | None = None,
        max_retries: int | None = None,
        ignore_unknown_options: bool | None = None,
        use_v1_source: bool | None = None,
        name_pattern: str | None = None,
        name_pattern_interval: timedelta | str | None = None,
        consumer_group: str | None = None,
        starting_position: Position | None = None,
        starting_positions: Mapping[Key, Position] | None = None,
        ending_position: Position | None = None,
        ending_positions: Mapping[EndKey, Position] | None = None,
        partitions: Sequence[int] | str | None = None,
        max_events_per_trigger: int | None = None,
        max_bytes_per_trigger: int | str | None = None,
        min_events_per_trigger: int | None = None,
        max_trigger_delay: timedelta | str | None = None,
        fail_on_data_loss: bool | None = None,
        compacted: bool | None = None,
        prefetch_count: int | None = None,
        receiver_buffer_bytes: int | str | None = None,
        receiver_timeout: timedelta | str | None = None,
        receiver_idle_timeout: timedelta | str | None = None,
        use_exclusive_receiver: bool | None = None,
        owner_level: int | None = None,
        max_connections: int | None = None,
        min_partitions: int | None = None,
        max_events_per_task: int | None = None,
        max_partitions: int | None = None,
        partition_preferred_location_strategy: Literal["Hash", "BalancedHash", "Stable"] | None = None,
        replay_cache_bytes: int | str | None = None,
        include_event_hub: bool | None = None,
        checkpoint_store_container: str | None = None,
        checkpoint_store_connection_string: str | None = None,
        checkpoint_store_interval: timedelta | str | None = None,
        checkpoint_store_publish: bool | None = None,
        checkpoint_store_default_position: Position | None = None,
        checkpoint_store_ownership: Literal["off", "fail", "wait"] | None = None,
        checkpoint_store_ownership_expiration: timedelta | str | None = None,
        partition_id: int | None = None,
        partition_key: str | int | None = None,
        max_batch_bytes: int | str | None = None,
        max_in_flight_bytes: int | str | None = None,
        linger_ms: int | None = None,
        send_timeout: timedelta | str | None = None,
        oversized_events: Literal["fail", "drop"] | None = None,
        write_tombstones: bool | None = None,
        use_v1_sink: bool | None = None,
        delivery_guarantee: Literal["at-least-once", "exactly-once"] | None = None,
        write_id: str | None = None,
        write_version: int | None = None,
        write_log_location: str | PathLike[str] | None = None,
        settle_delay: timedelta | str | None = None,
        settle_delay_after_timeout: timedelta | str | None = None,
        idempotent_producer: bool | None = None,
        stamp_events: bool | None = None,
    ) -> None:
        """Sets the options that are not None.

        Args:
            credential: How to sign in, instead of a key in the connection string: a credential of spark_eventhubs
                or of azure.identity. Needs `fully_qualified_namespace`, and `eventhub_name` or `name_pattern`;
                a `ConnectionString` contains the namespace and may contain the name.
            connection_string: Connection string of the event hub, as the Azure portal shows it. For a
                namespace's connection string also set `eventhubs.name`. A value encrypted by the legacy
                connector 2.3.22 is accepted.
            fully_qualified_namespace: Host name of the namespace, such as `contoso.servicebus.windows.net`.
                Set it when there is no connection string.
            eventhub_name: Name of the event hub. Set it when the connection string has no `EntityPath`. A
                query reads several event hubs of the namespace when their names are separated by commas, such
                as `orders,returns`. A query that writes may leave both out: then the column `eventHub` names
                the hub of each row. A name, or a list of names.
            auth_type: How the connector signs in. Set it when the connection string has no key. `sas` needs
                `auth.sasToken`. `clientSecret` needs `auth.tenantId`, `auth.clientId` and
                `auth.clientSecret`; `clientCertificate` needs `auth.certificatePath` instead of the secret.
                `managedIdentity` and `workloadIdentity` use the identity of the machine or pod. `default`
                tries the environment, workload identity, managed identity and developer tools, in the Azure
                SDK's order. `credentialProvider` uses a class of yours. One of `sas`, `clientSecret`,
                `clientCertificate`, `managedIdentity`, `workloadIdentity`, `default`, `credentialProvider`.
            auth_tenant_id: Microsoft Entra tenant id, for `clientSecret`, `clientCertificate` and
                `workloadIdentity`.
            auth_client_id: Client id of the application or user-assigned identity, for `clientSecret`,
                `clientCertificate`, `managedIdentity` and `workloadIdentity`.
            auth_client_secret: Client secret of the application, for `clientSecret`.
            auth_sas_token: Shared access signature, for `sas`. The query fails when it expires. With
                `{file:/path}`, the connector reads the file again before the token expires.
            auth_certificate_path: PEM or PFX file with the application's certificate and private key, for
                `clientCertificate`. It must be on the driver and on every executor. A relative path is a file
                that Spark distributes (`--files`). Text, or an os.PathLike such as a pathlib.Path.
            auth_certificate_password: Password of a PFX file, for `clientCertificate`.
            auth_federated_token_file: File with the pod's federated token, for `workloadIdentity`. It must be
                on the driver and on every executor. Default: the environment variable
                `AZURE_FEDERATED_TOKEN_FILE`. Text, or an os.PathLike such as a pathlib.Path.
            auth_authority_host: Where Microsoft Entra ID is, for `clientSecret`, `clientCertificate`,
                `workloadIdentity` and `default`: `AzureCloud`, `AzureUSGovernment`, `AzureChinaCloud`, or an
                HTTPS address. At an address that is not Microsoft's, the connector does not ask Microsoft's
                public cloud about the authority. Default: the environment variable `AZURE_AUTHORITY_HOST`,
                else `AzureCloud`.
            auth_credential_provider: Class of yours that implements
                `org.apache.spark.eventhubs.credentials.TokenProvider`, in a jar of the driver and the
                executors. It replaces `auth.type` and the AAD callback of the legacy connector.
            auth_token_parameters: JSON object of texts, which the constructor of `auth.credentialProvider`
                gets as a `java.util.Map`. A value may name the place of a secret.
            transport: `amqp` uses port 5671. `amqpWebSockets` uses port 443, for networks that allow only
                HTTPS. One of `amqp`, `amqpWebSockets`. Default: `amqp`.
            custom_endpoint: Host, with or without port, that the connector connects to instead of the
                namespace, such as a gateway in front of a private endpoint. Its certificate must be valid for
                this host; tokens are still for the namespace.
            tls_trusted_certificates: Path of a PEM file with certificates of authorities that the connection
                and the sign-in trust, in addition to those of the JVM. The driver and every executor need the
                file; a relative path may name a file of `spark.files`. Text, or an os.PathLike such as a
                pathlib.Path.
            proxy_address: HTTP proxy, such as `proxy.contoso.com:3128`. Needs `amqpWebSockets`. If not set,
                the environment (`HTTPS_PROXY` or `HTTP_PROXY`, and `NO_PROXY`) or the JVM (`https.proxyHost`)
                names the proxy. See docs/platforms.md.
            proxy_username: User name for signing in to the proxy.
            proxy_password: Password for signing in to the proxy.
            proxy_authentication: How the user name and the password are sent to the proxy. One of `basic`,
                `digest`. Default: `basic`.
            operation_timeout: Longest wait for one operation of the service, retries included. If only
                `receiverTimeout` is set and it is longer, its value is used. A timedelta, or text such as
                `30s` or `PT30S`. Above zero. Default: `PT1M`.
            max_retries: Sets how long one attempt to connect or to send may take: `operationTimeout /
                (maxRetries + 1)`, 15 s by default and 1 s at least. It does not limit the retries of reads
                and writes: these end with `operationTimeout` or `sendTimeout`. It limits the retries of the
                SDK while a reader connects, of the check before a write, and of the list of hubs (2 at most).
                A whole number from 0 to 100. Default: `3`.
            ignore_unknown_options: `true` logs a warning instead of rejecting the name of an option: a name
                that is unknown, lacks its prefix, or belongs to Spark's Kafka source or to the legacy
                connector. Wrong values are still rejected. True or False. Default: `false`.
            use_v1_source: Whether a stream reads through Spark's V1 source interface instead of V2. True or
                False. Default: `false`.
            name_pattern: Regular expression that selects event hubs of the namespace, instead of `name`. It
                matches the whole name, in any case. A stream also reads hubs that appear later, from their
                first event. The credential needs the Manage claim on the namespace. See
                docs/guides/several-hubs.md.
            name_pattern_interval: How often a stream looks for new event hubs that match `namePattern`, at
                most. A timedelta, or text such as `30s` or `PT30S`. Above zero. Default: `PT1M`.
            consumer_group: Consumer group of the query. Default: `$Default`.
            starting_position: Position from which every partition is read: `earliest`, `latest`, a sequence
                number, a time with its zone such as `2024-01-31T12:00:00Z`, `checkpointStore` (see
                `checkpointStore.container`), or the legacy connector's JSON. A streaming query uses it only
                for its first start. Later starts continue from the checkpoint. Default: `latest` for streams,
                `checkpointStore` with `checkpointStore.ownership`, `earliest` for batch reads. `earliest`,
                `latest`, a sequence number, a datetime with its time zone, or an EventPosition.
            starting_positions: Starting positions of single partitions, which take precedence over
                `startingPosition`: JSON such as `{"0":123,"1":"latest"}`, or the legacy connector's JSON,
                whose keys name hub and partition. Default: `startingPosition` for all. A dict from partition
                ids (numbers, digits or NameAndPartition) to positions.
            ending_position: Position at which a batch read ends in every partition. Streams ignore it.
                `earliest`, `latest`, a sequence number, a datetime with its time zone, or an EventPosition.
                Default: `latest`.
            ending_positions: Ending positions of single partitions in a batch read, which take precedence
                over `endingPosition`. Written like `startingPositions`. Default: `endingPosition` for all. A
                dict from partition ids (numbers, digits or NameAndPartition) to positions.
            partitions: Ids of the partitions to read, such as `0,2` or `0-3`. Default: all, including
                partitions added later. Partition ids, or text such as `0-3`.
            max_events_per_trigger: Maximum number of events of one micro-batch. The partitions share it in
                proportion to their backlog. Default: unlimited. A whole number from 1.
            max_bytes_per_trigger: Approximate maximum of body bytes of one micro-batch over all partitions.
                The connector estimates event sizes from the mean size of the events read before. Until it has
                a mean, it counts 1 MiB per event. Default: unlimited. A number of bytes, or text with a
                binary unit such as `16m`; from 1.
            min_events_per_trigger: Minimum number of events of one micro-batch. A smaller backlog waits for
                more events until `maxTriggerDelay` has passed since the last batch. The first batch after
                each start does not wait, nor do `Trigger.AvailableNow` and `Trigger.Once`. Default: 1. A
                whole number from 1.
            max_trigger_delay: Longest time that `minEventsPerTrigger` holds events back. A timedelta, or text
                such as `30s` or `PT30S`. Above zero. Default: `PT15M`.
            fail_on_data_loss: `true` stops the query when events that it should read no longer exist. `false`
                continues with the earliest retained event, logs a warning and counts the lost events. True or
                False. Default: `true`.
            compacted: `true` for a hub whose cleanup policy is `Compact` or `DeleteOrCompact`. Compaction
                leaves gaps in the sequence numbers, which are then no data loss. See
                docs/delivery-semantics.md. True or False. Default: `false`.
            prefetch_count: Number of events that a receiver prefetches for the task that reads them. Default:
                as many as fit into `receiverBufferBytes`. A whole number from 1 to 8000.
            receiver_buffer_bytes: Bytes that a receiver may prefetch for the task that reads them. When
                events suddenly become larger, it holds at most twice this amount, or this amount and 1 MiB
                where that is more. This limit also applies with `prefetchCount`. Between micro-batches, all
                receivers of an executor together may hold `maxConnections` times this amount. A number of
                bytes, or text with a binary unit such as `16m`; from 65536 to 536870912. Default: `16m`.
            receiver_timeout: How long a receiver may deliver nothing, although the partition has events,
                before it is reopened. Batches and micro-batches wait for half of `operationTimeout` at most,
                so 30 s by default. Real-Time Mode waits for the whole time, or longer. If only
                `operationTimeout` is set and it is shorter, its value is used. A timedelta, or text such as
                `30s` or `PT30S`. Above zero. Default: `PT1M`.
            receiver_idle_timeout: How long an unused receiver stays open for the next batch. A receiver with
                an owner level shuts other readers out while it is open; those of a query that stops close at
                once in the driver's JVM, and after this time elsewhere. Default: `PT5M`; `PT30S` with an
                owner level. A timedelta, or text such as `30s` or `PT30S`. Above zero.
            use_exclusive_receiver: Whether receivers are exclusive. Another exclusive receiver of the same
                consumer group and partition disconnects this one, unless its own `ownerLevel` is lower.
                Cannot be combined with `minPartitions` or `maxEventsPerTask`, because tasks that share a
                partition would disconnect each other. Default: `true` when `ownerLevel` is set, else `false`.
                True or False.
            owner_level: Owner level (epoch) of exclusive receivers. The receiver with the highest level
                reads. Cannot be combined with `minPartitions` or `maxEventsPerTask`. Default: 0 when
                `useExclusiveReceiver` is `true`. A whole number from 0.
            max_connections: Maximum number of AMQP connections of one executor to one event hub for
                receivers. Beyond it, receivers share connections. Queries share connections only when all
                their connection options are equal. Default: twice the processors that the executor's JVM
                sees. A whole number from 1.
            min_partitions: Minimum number of Spark tasks of a batch. Long ranges are split, into at most 5
                per hub partition. Default: one task per hub partition. A whole number from 1.
            max_events_per_task: Maximum number of events of one Spark task. Longer ranges are split, into at
                most 5 per hub partition. Default: unlimited. A whole number from 1.
            max_partitions: Maximum number of Spark tasks of a batch. Neighbouring hub partitions share a
                task, always the same ones. Use it for hubs with many partitions and few events in each batch.
                Two tasks per core keep all cores busy. Cannot be combined with `minPartitions` or
                `maxEventsPerTask`. Default: one task per hub partition. A whole number from 1.
            partition_preferred_location_strategy: How partitions are placed on executors. `Stable` spreads
                them evenly and moves few when an executor is added or removed. `BalancedHash` places
                consecutive partitions on consecutive executors and moves most. `Hash` scatters them. One of
                `Hash`, `BalancedHash`, `Stable`. Default: `Stable`.
            replay_cache_bytes: Memory in which an executor keeps events for a second pass over the same
                batch: several actions or writers in `foreachBatch`, or a batch read that is used twice. All
                queries of the executor share it. Events that no pass has used for 10 minutes are dropped. `0`
                keeps none, which is best for a single pass. A number of bytes, or text with a binary unit
                such as `16m`; from 0. Default: `0g`.
            include_event_hub: Whether rows have a tenth column, `eventHub`, with the name of the event's hub.
                Without it, rows of several hubs do not show which hub they came from. True or False. Default:
                `false`.
            checkpoint_store_container: Container of Azure Blob Storage for checkpoints: its URL, with or
                without a SAS token, or its name, with `checkpointStore.connectionString`. A stream publishes
                there how far it has read, as the SDKs' processors do. Without a SAS token or connection
                string, the sign-in to the event hub is used. See docs/guides/checkpoint-stores.md. Default:
                no store.
            checkpoint_store_connection_string: Connection string of the storage account.
                `UseDevelopmentStorage=true` is the emulator on this machine. Default: the URL's SAS token,
                else the sign-in to the event hub.
            checkpoint_store_interval: Shortest time between two writes of a partition's checkpoint. Positions
                in between are not written. A timedelta, or text such as `30s` or `PT30S`. Above zero.
                Default: `PT10S`.
            checkpoint_store_publish: `false` only reads the store, for a start at its checkpoints, and writes
                nothing. True or False. Default: `true`.
            checkpoint_store_default_position: Starting position of partitions without a checkpoint, with
                `startingPosition` = `checkpointStore`. Written like `startingPosition`. `earliest`, `latest`,
                a sequence number, a datetime with its time zone, or an EventPosition. Default: `earliest`.
            checkpoint_store_ownership: Whether a stream owns its partitions in the store, as the SDKs' event
                processors do, so that it and they take turns. While another owner has a partition, `fail`
                stops the query with an error, and `wait` waits until all partitions are released. See
                docs/guides/checkpoint-stores.md. One of `off`, `fail`, `wait`. Default: `off`.
            checkpoint_store_ownership_expiration: Time after which an ownership that was not renewed may be
                claimed by others. Must be at least that of the event processors. The query renews its own six
                times within this time. A timedelta, or text such as `30s` or `PT30S`. Above zero. Default:
                `PT2M`.
            partition_id: Partition of all rows. It overrides the columns for partition and key. Default: any.
                A whole number from 0.
            partition_key: Partition key of all rows. It overrides the columns for partition and key. Default:
                none.
            max_batch_bytes: Maximum size of an AMQP batch. It must not be larger than `maxInFlightBytes`: for
                batches above 8 MiB raise both. Default: the service's limit, 1 MB in most tiers. A number of
                bytes, or text with a binary unit such as `16m`; from 1024 to 2147483647.
            max_in_flight_bytes: Bytes that one task may have in flight: sent, but not yet accepted by the
                service. Of rows with a partition or a key, and of all rows with `idempotentProducer`, at most
                one batch of each partition is in flight. A number of bytes, or text with a binary unit such
                as `16m`; from 1048576. Default: `8m`.
            linger_ms: Milliseconds that a batch which is not full waits for more events. `0` sends an event
                at once. While the service has not yet accepted the last batch of a partition, the next one is
                filled further in any case. Default: in Real-Time Mode 0; otherwise a batch waits until it is
                full or its task ends. A whole number from 0 to 60000.
            send_timeout: Longest time for one batch to be accepted by the service, retries included. After
                this time the task fails. If the service is busy, the task waits ten times as long, and longer
                while the service accepts other batches of the executor. A timedelta, or text such as `30s` or
                `PT30S`. Above zero. Default: `PT1M`.
            oversized_events: What happens to an event that does not fit into a batch: `fail` stops the query,
                `drop` skips and counts the event. One of `fail`, `drop`. Default: `fail`.
            write_tombstones: `true` writes a row with a null body as a tombstone, an event without a value.
                The row must have a partition key. In a compacted hub the tombstone deletes the earlier events
                of this key. `false` makes such a row an error. True or False. Default: `false`.
            use_v1_sink: Whether a stream writes through Spark's V1 sink interface instead of V2. True or
                False. Default: `false`.
            delivery_guarantee: `at-least-once` may write an event twice when something fails and is retried.
                `exactly-once` stamps each event and reads the hub before it sends anything a second time, so
                the credential also needs the right to listen. A stream needs a checkpoint location. A batch
                write needs `writeId`, `writeVersion` and `writeLogLocation`. See docs/delivery-semantics.md.
                One of `at-least-once`, `exactly-once`. Default: `at-least-once`.
            write_id: Name of a sequence of batch writes. It stays the same when a write is retried. For a
                write in `foreachBatch`, choose a name that no other write uses. Default: none.
            write_version: Number of this write within `writeId`. It must grow from write to write. In
                `foreachBatch`, use the batch id. Default: none. A whole number from 0.
            write_log_location: Folder in which batch writes with a `writeId` record their start and their
                end. Streams use their checkpoint. Default: none. Text, or an os.PathLike such as a
                pathlib.Path.
            settle_delay: How long `exactly-once` waits after a failure before it reads which events are
                already in the hub. Batches that a killed process sent may still arrive in this time. A
                timedelta, or text such as `30s` or `PT30S`. Above zero. Default: `PT5S`.
            settle_delay_after_timeout: How long `exactly-once` waits instead of `settleDelay` when an attempt
                to send had no answer until it timed out, or for longer than `settleDelay`. The connector
                resets the connection, but a proxy or gateway may still deliver what it holds. A timedelta, or
                text such as `30s` or `PT30S`. Above zero. Default: `PT1M`.
            idempotent_producer: Whether `exactly-once` sends as idempotent producers where the service grants
                them. The service then refuses what a connection that was given up still delivers, however
                late, and a task needs no settle delay after a lost answer. Each event becomes about 120 bytes
                larger, and each task has a link of its own to each partition. True or False. Default:
                `false`.
            stamp_events: Whether events of an `at-least-once` write carry an id, so that readers can drop
                duplicates (`drop_duplicate_events`). A task needs about 48 bytes of memory per row for it.
                True or False. Default: `false`.

        Raises:
            OptionTypeError: A value of a wrong type.
            OptionError: A value of a wrong form, out of bounds, or in contradiction to another.
        """
        self._set_all(
            credential,
            {
                "eventhubs.connectionString": connection_string,
                "eventhubs.namespace": fully_qualified_namespace,
                "eventhubs.name": eventhub_name,
                "eventhubs.auth.type": auth_type,
                "eventhubs.auth.tenantId": auth_tenant_id,
                "eventhubs.auth.clientId": auth_client_id,
                "eventhubs.auth.clientSecret": auth_client_secret,
                "eventhubs.auth.sasToken": auth_sas_token,
                "eventhubs.auth.certificatePath": auth_certificate_path,
                "eventhubs.auth.certificatePassword": auth_certificate_password,
                "eventhubs.auth.federatedTokenFile": auth_federated_token_file,
                "eventhubs.auth.authorityHost": auth_authority_host,
                "eventhubs.auth.credentialProvider": auth_credential_provider,
                "eventhubs.auth.tokenParameters": auth_token_parameters,
                "eventhubs.transport": transport,
                "eventhubs.customEndpoint": custom_endpoint,
                "eventhubs.tls.trustedCertificates": tls_trusted_certificates,
                "eventhubs.proxy.address": proxy_address,
                "eventhubs.proxy.username": proxy_username,
                "eventhubs.proxy.password": proxy_password,
                "eventhubs.proxy.authentication": proxy_authentication,
                "eventhubs.operationTimeout": operation_timeout,
                "eventhubs.retry.maxRetries": max_retries,
                "eventhubs.ignoreUnknownOptions": ignore_unknown_options,
                "eventhubs.useV1Source": use_v1_source,
                "eventhubs.namePattern": name_pattern,
                "eventhubs.namePatternInterval": name_pattern_interval,
                "eventhubs.consumerGroup": consumer_group,
                "eventhubs.startingPosition": starting_position,
                "eventhubs.startingPositions": starting_positions,
                "eventhubs.endingPosition": ending_position,
                "eventhubs.endingPositions": ending_positions,
                "eventhubs.partitions": partitions,
                "eventhubs.maxEventsPerTrigger": max_events_per_trigger,
                "eventhubs.maxBytesPerTrigger": max_bytes_per_trigger,
                "eventhubs.minEventsPerTrigger": min_events_per_trigger,
                "eventhubs.maxTriggerDelay": max_trigger_delay,
                "eventhubs.failOnDataLoss": fail_on_data_loss,
                "eventhubs.compacted": compacted,
                "eventhubs.prefetchCount": prefetch_count,
                "eventhubs.receiverBufferBytes": receiver_buffer_bytes,
                "eventhubs.receiverTimeout": receiver_timeout,
                "eventhubs.receiverIdleTimeout": receiver_idle_timeout,
                "eventhubs.useExclusiveReceiver": use_exclusive_receiver,
                "eventhubs.ownerLevel": owner_level,
                "eventhubs.maxConnections": max_connections,
                "eventhubs.minPartitions": min_partitions,
                "eventhubs.maxEventsPerTask": max_events_per_task,
                "eventhubs.maxPartitions": max_partitions,
                "eventhubs.partitionPreferredLocationStrategy": partition_preferred_location_strategy,
                "eventhubs.replayCacheBytes": replay_cache_bytes,
                "eventhubs.includeEventHub": include_event_hub,
                "eventhubs.checkpointStore.container": checkpoint_store_container,
                "eventhubs.checkpointStore.connectionString": checkpoint_store_connection_string,
                "eventhubs.checkpointStore.interval": checkpoint_store_interval,
                "eventhubs.checkpointStore.publish": checkpoint_store_publish,
                "eventhubs.checkpointStore.defaultPosition": checkpoint_store_default_position,
                "eventhubs.checkpointStore.ownership": checkpoint_store_ownership,
                "eventhubs.checkpointStore.ownershipExpiration": checkpoint_store_ownership_expiration,
                "eventhubs.partitionId": partition_id,
                "eventhubs.partitionKey": partition_key,
                "eventhubs.maxBatchBytes": max_batch_bytes,
                "eventhubs.maxInFlightBytes": max_in_flight_bytes,
                "eventhubs.lingerMs": linger_ms,
                "eventhubs.sendTimeout": send_timeout,
                "eventhubs.oversizedEvents": oversized_events,
                "eventhubs.writeTombstones": write_tombstones,
                "eventhubs.useV1Sink": use_v1_sink,
                "eventhubs.deliveryGuarantee": delivery_guarantee,
                "eventhubs.writeId": write_id,
                "eventhubs.writeVersion": write_version,
                "eventhubs.writeLogLocation": write_log_location,
                "eventhubs.settleDelay": settle_delay,
                "eventhubs.settleDelayAfterTimeout": settle_delay_after_timeout,
                "eventhubs.idempotentProducer": idempotent_producer,
                "eventhubs.stampEvents": stamp_events,
            },
        )
