"""The options of the connector.

Generated from ConnectionOptions, ReadOptions and WriteOptions; run make options
"""

from __future__ import annotations

from typing import Final

from spark_eventhubs._option_spec import OptionSpec

OPTIONS: Final[tuple[OptionSpec, ...]] = (
    OptionSpec(
        key="eventhubs.connectionString",
        type="text",
        doc=(
            "Connection string of the event hub, as the Azure portal shows it. For a namespace's connection string "
            "also set `eventhubs.name`. A value encrypted by the legacy connector 2.3.22 is accepted."
        ),
        secret=True,
        scope="connection",
    ),
    OptionSpec(
        key="eventhubs.namespace",
        type="text",
        doc=(
            "Host name of the namespace, such as `contoso.servicebus.windows.net`. Set it when there is no connection "
            "string."
        ),
        scope="connection",
    ),
    OptionSpec(
        key="eventhubs.name",
        aliases=("eventhubs.eventHubName",),
        type="names",
        doc=(
            "Name of the event hub. Set it when the connection string has no `EntityPath`. A query reads several event "
            "hubs of the namespace when their names are separated by commas, such as `orders,returns`. A query that "
            "writes may leave both out: then the column `eventHub` names the hub of each row."
        ),
        scope="connection",
    ),
    OptionSpec(
        key="eventhubs.auth.type",
        type="sas|clientSecret|clientCertificate|managedIdentity|workloadIdentity|default|credentialProvider",
        doc=(
            "How the connector signs in. Set it when the connection string has no key. `sas` needs `auth.sasToken`. "
            "`clientSecret` needs `auth.tenantId`, `auth.clientId` and `auth.clientSecret`; `clientCertificate` needs "
            "`auth.certificatePath` instead of the secret. `managedIdentity` and `workloadIdentity` use the identity "
            "of the machine or pod. `default` tries the environment, workload identity, managed identity and developer "
            "tools, in the Azure SDK's order. `credentialProvider` uses a class of yours."
        ),
        scope="connection",
    ),
    OptionSpec(
        key="eventhubs.auth.tenantId",
        type="text",
        doc="Microsoft Entra tenant id, for `clientSecret`, `clientCertificate` and `workloadIdentity`.",
        scope="connection",
    ),
    OptionSpec(
        key="eventhubs.auth.clientId",
        type="text",
        doc=(
            "Client id of the application or user-assigned identity, for `clientSecret`, `clientCertificate`, "
            "`managedIdentity` and `workloadIdentity`."
        ),
        scope="connection",
    ),
    OptionSpec(
        key="eventhubs.auth.clientSecret",
        type="text",
        doc="Client secret of the application, for `clientSecret`.",
        secret=True,
        scope="connection",
    ),
    OptionSpec(
        key="eventhubs.auth.sasToken",
        type="text",
        doc=(
            "Shared access signature, for `sas`. The query fails when it expires. With `{file:/path}`, the connector "
            "reads the file again before the token expires."
        ),
        secret=True,
        scope="connection",
    ),
    OptionSpec(
        key="eventhubs.auth.certificatePath",
        type="text",
        doc=(
            "PEM or PFX file with the application's certificate and private key, for `clientCertificate`. It must be "
            "on the driver and on every executor. A relative path is a file that Spark distributes (`--files`)."
        ),
        scope="connection",
    ),
    OptionSpec(
        key="eventhubs.auth.certificatePassword",
        type="text",
        doc="Password of a PFX file, for `clientCertificate`.",
        secret=True,
        scope="connection",
    ),
    OptionSpec(
        key="eventhubs.auth.federatedTokenFile",
        type="text",
        doc=(
            "File with the pod's federated token, for `workloadIdentity`. It must be on the driver and on every "
            "executor. Default: the environment variable `AZURE_FEDERATED_TOKEN_FILE`."
        ),
        scope="connection",
    ),
    OptionSpec(
        key="eventhubs.auth.authorityHost",
        type="text",
        doc=(
            "Where Microsoft Entra ID is, for `clientSecret`, `clientCertificate`, `workloadIdentity` and `default`: "
            "`AzureCloud`, `AzureUSGovernment`, `AzureChinaCloud`, or an HTTPS address. At an address that is not "
            "Microsoft's, the connector does not ask Microsoft's public cloud about the authority. Default: the "
            "environment variable `AZURE_AUTHORITY_HOST`, else `AzureCloud`."
        ),
        scope="connection",
    ),
    OptionSpec(
        key="eventhubs.auth.credentialProvider",
        type="text",
        doc=(
            "Class of yours that implements `org.apache.spark.eventhubs.credentials.TokenProvider`, in a jar of the "
            "driver and the executors. It replaces `auth.type` and the AAD callback of the legacy connector."
        ),
        scope="connection",
    ),
    OptionSpec(
        key="eventhubs.auth.tokenParameters",
        type="text",
        doc=(
            "JSON object of texts, which the constructor of `auth.credentialProvider` gets as a `java.util.Map`. A "
            "value may name the place of a secret."
        ),
        secret=True,
        scope="connection",
    ),
    OptionSpec(
        key="eventhubs.transport",
        type="amqp|amqpWebSockets",
        default="amqp",
        doc="`amqp` uses port 5671. `amqpWebSockets` uses port 443, for networks that allow only HTTPS.",
        scope="connection",
    ),
    OptionSpec(
        key="eventhubs.customEndpoint",
        type="text",
        doc=(
            "Host, with or without port, that the connector connects to instead of the namespace, such as a gateway in "
            "front of a private endpoint. Its certificate must be valid for this host; tokens are still for the "
            "namespace."
        ),
        scope="connection",
    ),
    OptionSpec(
        key="eventhubs.tls.trustedCertificates",
        type="text",
        doc=(
            "Path of a PEM file with certificates of authorities that the connection and the sign-in trust, in "
            "addition to those of the JVM. The driver and every executor need the file; a relative path may name a "
            "file of `spark.files`."
        ),
        scope="connection",
    ),
    OptionSpec(
        key="eventhubs.proxy.address",
        type="text",
        doc=(
            "HTTP proxy, such as `proxy.contoso.com:3128`. Needs `amqpWebSockets`. If not set, the environment "
            "(`HTTPS_PROXY` or `HTTP_PROXY`, and `NO_PROXY`) or the JVM (`https.proxyHost`) names the proxy. See "
            "docs/platforms.md."
        ),
        scope="connection",
    ),
    OptionSpec(
        key="eventhubs.proxy.username",
        type="text",
        doc="User name for signing in to the proxy.",
        scope="connection",
    ),
    OptionSpec(
        key="eventhubs.proxy.password",
        type="text",
        doc="Password for signing in to the proxy.",
        secret=True,
        scope="connection",
    ),
    OptionSpec(
        key="eventhubs.proxy.authentication",
        type="basic|digest",
        default="basic",
        doc="How the user name and the password are sent to the proxy.",
        scope="connection",
    ),
    OptionSpec(
        key="eventhubs.operationTimeout",
        type="duration",
        default="PT1M",
        doc=(
            "Longest wait for one operation of the service, retries included. If only `receiverTimeout` is set and it "
            "is longer, its value is used."
        ),
        scope="connection",
    ),
    OptionSpec(
        key="eventhubs.retry.maxRetries",
        type="int",
        default="3",
        minimum=0,
        maximum=100,
        doc=(
            "Sets how long one attempt to connect or to send may take: `operationTimeout / (maxRetries + 1)`, 15 s by "
            "default and 1 s at least. It does not limit the retries of reads and writes: these end with "
            "`operationTimeout` or `sendTimeout`. It limits the retries of the SDK while a reader connects, of the "
            "check before a write, and of the list of hubs (2 at most)."
        ),
        scope="connection",
    ),
    OptionSpec(
        key="eventhubs.ignoreUnknownOptions",
        type="boolean",
        default="false",
        doc=(
            "`true` logs a warning instead of rejecting the name of an option: a name that is unknown, lacks its "
            "prefix, or belongs to Spark's Kafka source or to the legacy connector. Wrong values are still rejected."
        ),
        scope="connection",
    ),
    OptionSpec(
        key="eventhubs.useV1Source",
        aliases=("useV1Source",),
        type="boolean",
        default="false",
        doc="Whether a stream reads through Spark's V1 source interface instead of V2.",
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.namePattern",
        type="text",
        doc=(
            "Regular expression that selects event hubs of the namespace, instead of `name`. It matches the whole "
            "name, in any case. A stream also reads hubs that appear later, from their first event. The credential "
            "needs the Manage claim on the namespace. See docs/guides/several-hubs.md."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.namePatternInterval",
        type="duration",
        default="PT1M",
        doc="How often a stream looks for new event hubs that match `namePattern`, at most.",
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.consumerGroup",
        type="text",
        default="$Default",
        doc="Consumer group of the query.",
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.startingPosition",
        type="position",
        doc=(
            "Position from which every partition is read: `earliest`, `latest`, a sequence number, a time with its "
            "zone such as `2024-01-31T12:00:00Z`, `checkpointStore` (see `checkpointStore.container`), or the legacy "
            "connector's JSON. A streaming query uses it only for its first start. Later starts continue from the "
            "checkpoint. Default: `latest` for streams, `checkpointStore` with `checkpointStore.ownership`, `earliest` "
            "for batch reads."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.startingPositions",
        type="positions",
        doc=(
            "Starting positions of single partitions, which take precedence over `startingPosition`: JSON such "
            'as `{"0":123,"1":"latest"}`, or the legacy connector\'s JSON, whose keys name hub and partition. '
            "Default: `startingPosition` for all."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.endingPosition",
        type="position",
        default="latest",
        doc="Position at which a batch read ends in every partition. Streams ignore it.",
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.endingPositions",
        type="positions",
        doc=(
            "Ending positions of single partitions in a batch read, which take precedence over `endingPosition`. "
            "Written like `startingPositions`. Default: `endingPosition` for all."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.partitions",
        type="partitions",
        doc="Ids of the partitions to read, such as `0,2` or `0-3`. Default: all, including partitions added later.",
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.maxEventsPerTrigger",
        aliases=("maxEventsPerTrigger",),
        type="long",
        minimum=1,
        doc=(
            "Maximum number of events of one micro-batch. The partitions share it in proportion to their backlog. "
            "Default: unlimited."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.maxBytesPerTrigger",
        aliases=("maxBytesPerTrigger",),
        type="bytes",
        minimum=1,
        doc=(
            "Approximate maximum of body bytes of one micro-batch over all partitions. The connector estimates event "
            "sizes from the mean size of the events read before. Until it has a mean, it counts 1 MiB per event. "
            "Default: unlimited."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.minEventsPerTrigger",
        aliases=("minEventsPerTrigger",),
        type="long",
        minimum=1,
        doc=(
            "Minimum number of events of one micro-batch. A smaller backlog waits for more events until "
            "`maxTriggerDelay` has passed since the last batch. The first batch after each start does not wait, nor do "
            "`Trigger.AvailableNow` and `Trigger.Once`. Default: 1."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.maxTriggerDelay",
        aliases=("maxTriggerDelay",),
        type="duration",
        default="PT15M",
        doc="Longest time that `minEventsPerTrigger` holds events back.",
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.failOnDataLoss",
        aliases=("failOnDataLoss",),
        type="boolean",
        default="true",
        doc=(
            "`true` stops the query when events that it should read no longer exist. `false` continues with the "
            "earliest retained event, logs a warning and counts the lost events."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.compacted",
        type="boolean",
        default="false",
        doc=(
            "`true` for a hub whose cleanup policy is `Compact` or `DeleteOrCompact`. Compaction leaves gaps in the "
            "sequence numbers, which are then no data loss. See docs/delivery-semantics.md."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.prefetchCount",
        type="int",
        minimum=1,
        maximum=8000,
        doc=(
            "Number of events that a receiver prefetches for the task that reads them. Default: as many as fit into "
            "`receiverBufferBytes`."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.receiverBufferBytes",
        type="bytes",
        default="16m",
        minimum=65536,
        maximum=536870912,
        doc=(
            "Bytes that a receiver may prefetch for the task that reads them. When events suddenly become larger, it "
            "holds at most twice this amount, or this amount and 1 MiB where that is more. This limit also applies "
            "with `prefetchCount`. Between micro-batches, all receivers of an executor together may hold "
            "`maxConnections` times this amount."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.receiverTimeout",
        type="duration",
        default="PT1M",
        doc=(
            "How long a receiver may deliver nothing, although the partition has events, before it is reopened. "
            "Batches and micro-batches wait for half of `operationTimeout` at most, so 30 s by default. Real-Time Mode "
            "waits for the whole time, or longer. If only `operationTimeout` is set and it is shorter, its value is "
            "used."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.receiverIdleTimeout",
        type="duration",
        doc=(
            "How long an unused receiver stays open for the next batch. A receiver with an owner level shuts other "
            "readers out while it is open; those of a query that stops close at once in the driver's JVM, and after "
            "this time elsewhere. Default: `PT5M`; `PT30S` with an owner level."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.useExclusiveReceiver",
        type="boolean",
        doc=(
            "Whether receivers are exclusive. Another exclusive receiver of the same consumer group and partition "
            "disconnects this one, unless its own `ownerLevel` is lower. Cannot be combined with `minPartitions` or "
            "`maxEventsPerTask`, because tasks that share a partition would disconnect each other. Default: `true` "
            "when `ownerLevel` is set, else `false`."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.ownerLevel",
        type="long",
        minimum=0,
        doc=(
            "Owner level (epoch) of exclusive receivers. The receiver with the highest level reads. Cannot be combined "
            "with `minPartitions` or `maxEventsPerTask`. Default: 0 when `useExclusiveReceiver` is `true`."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.maxConnections",
        type="int",
        minimum=1,
        doc=(
            "Maximum number of AMQP connections of one executor to one event hub for receivers. Beyond it, receivers "
            "share connections. Queries share connections only when all their connection options are equal. Default: "
            "twice the processors that the executor's JVM sees."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.minPartitions",
        aliases=("minPartitions",),
        type="int",
        minimum=1,
        doc=(
            "Minimum number of Spark tasks of a batch. Long ranges are split, into at most 5 per hub partition. "
            "Default: one task per hub partition."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.maxEventsPerTask",
        type="long",
        minimum=1,
        doc=(
            "Maximum number of events of one Spark task. Longer ranges are split, into at most 5 per hub partition. "
            "Default: unlimited."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.maxPartitions",
        type="int",
        minimum=1,
        doc=(
            "Maximum number of Spark tasks of a batch. Neighbouring hub partitions share a task, always the same ones. "
            "Use it for hubs with many partitions and few events in each batch. Two tasks per core keep all cores "
            "busy. Cannot be combined with `minPartitions` or `maxEventsPerTask`. Default: one task per hub partition."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.partitionPreferredLocationStrategy",
        aliases=("partitionPreferredLocationStrategy",),
        type="Hash|BalancedHash|Stable",
        default="Stable",
        doc=(
            "How partitions are placed on executors. `Stable` spreads them evenly and moves few when an executor is "
            "added or removed. `BalancedHash` places consecutive partitions on consecutive executors and moves most. "
            "`Hash` scatters them."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.replayCacheBytes",
        type="bytes",
        default="0g",
        minimum=0,
        doc=(
            "Memory in which an executor keeps events for a second pass over the same batch: several actions or "
            "writers in `foreachBatch`, or a batch read that is used twice. All queries of the executor share it. "
            "Events that no pass has used for 10 minutes are dropped. `0` keeps none, which is best for a single pass."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.includeEventHub",
        type="boolean",
        default="false",
        doc=(
            "Whether rows have a tenth column, `eventHub`, with the name of the event's hub. Without it, rows of "
            "several hubs do not show which hub they came from."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.checkpointStore.container",
        type="text",
        doc=(
            "Container of Azure Blob Storage for checkpoints: its URL, with or without a SAS token, or its name, with "
            "`checkpointStore.connectionString`. A stream publishes there how far it has read, as the SDKs' processors "
            "do. Without a SAS token or connection string, the sign-in to the event hub is used. See "
            "docs/guides/checkpoint-stores.md. Default: no store."
        ),
        secret=True,
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.checkpointStore.connectionString",
        type="text",
        doc=(
            "Connection string of the storage account. `UseDevelopmentStorage=true` is the emulator on this machine. "
            "Default: the URL's SAS token, else the sign-in to the event hub."
        ),
        secret=True,
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.checkpointStore.interval",
        type="duration",
        default="PT10S",
        doc="Shortest time between two writes of a partition's checkpoint. Positions in between are not written.",
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.checkpointStore.publish",
        type="boolean",
        default="true",
        doc="`false` only reads the store, for a start at its checkpoints, and writes nothing.",
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.checkpointStore.defaultPosition",
        type="position",
        default="earliest",
        doc=(
            "Starting position of partitions without a checkpoint, with `startingPosition` = `checkpointStore`. "
            "Written like `startingPosition`."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.checkpointStore.ownership",
        type="off|fail|wait",
        default="off",
        doc=(
            "Whether a stream owns its partitions in the store, as the SDKs' event processors do, so that it and they "
            "take turns. If another owner has a partition when the query starts, `fail` stops the query with an error, "
            "and `wait` waits until all partitions are released. A query that loses a partition stops. See "
            "docs/guides/checkpoint-stores.md."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.checkpointStore.ownershipExpiration",
        type="duration",
        default="PT2M",
        doc=(
            "Time after which an ownership that was not renewed may be claimed by others. Must be at least that of the "
            "event processors. The query renews its own six times within this time."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.partitionId",
        type="int",
        minimum=0,
        doc="Partition of all rows. It overrides the columns for partition and key. Default: any.",
        scope="write",
    ),
    OptionSpec(
        key="eventhubs.partitionKey",
        type="text",
        doc="Partition key of all rows. It overrides the columns for partition and key. Default: none.",
        scope="write",
    ),
    OptionSpec(
        key="eventhubs.maxBatchBytes",
        type="bytes",
        minimum=1024,
        maximum=2147483647,
        doc=(
            "Maximum size of an AMQP batch. It must not be larger than `maxInFlightBytes`: for batches above 8 MiB "
            "raise both. Default: the service's limit, 1 MB in most tiers."
        ),
        scope="write",
    ),
    OptionSpec(
        key="eventhubs.maxInFlightBytes",
        type="bytes",
        default="8m",
        minimum=1048576,
        doc=(
            "Bytes that one task may have in flight: sent, but not yet accepted by the service. Of rows with a "
            "partition or a key, and of all rows with `idempotentProducer`, at most one batch of each partition is in "
            "flight."
        ),
        scope="write",
    ),
    OptionSpec(
        key="eventhubs.lingerMs",
        type="int",
        minimum=0,
        maximum=60000,
        doc=(
            "Milliseconds that a batch which is not full waits for more events. `0` sends an event at once. While the "
            "service has not yet accepted the last batch of a partition, the next one is filled further in any case. "
            "Default: in Real-Time Mode 0; otherwise a batch waits until it is full or its task ends."
        ),
        scope="write",
    ),
    OptionSpec(
        key="eventhubs.sendTimeout",
        type="duration",
        default="PT1M",
        doc=(
            "Longest time for one batch to be accepted by the service, retries included. After this time the task "
            "fails. If the service is busy, the task waits ten times as long, and longer while the service accepts "
            "other batches of the executor."
        ),
        scope="write",
    ),
    OptionSpec(
        key="eventhubs.oversizedEvents",
        type="fail|drop",
        default="fail",
        doc=(
            "What happens to an event that does not fit into a batch: `fail` stops the query, `drop` skips and counts "
            "the event."
        ),
        scope="write",
    ),
    OptionSpec(
        key="eventhubs.writeTombstones",
        type="boolean",
        default="false",
        doc=(
            "`true` writes a row with a null body as a tombstone, an event without a value. The row must have a "
            "partition key. In a compacted hub the tombstone deletes the earlier events of this key. `false` makes "
            "such a row an error."
        ),
        scope="write",
    ),
    OptionSpec(
        key="eventhubs.useV1Sink",
        aliases=("useV1Sink",),
        type="boolean",
        default="false",
        doc="Whether a stream writes through Spark's V1 sink interface instead of V2.",
        scope="write",
    ),
    OptionSpec(
        key="eventhubs.deliveryGuarantee",
        type="at-least-once|exactly-once",
        default="at-least-once",
        doc=(
            "`at-least-once` may write an event twice when something fails and is retried. `exactly-once` stamps each "
            "event and reads the hub before it sends anything a second time, so the credential also needs the right to "
            "listen. A stream needs a checkpoint location. A batch write needs `writeId`, `writeVersion` and "
            "`writeLogLocation`. See docs/delivery-semantics.md."
        ),
        scope="write",
    ),
    OptionSpec(
        key="eventhubs.writeId",
        type="text",
        doc=(
            "Name of a sequence of batch writes. It stays the same when a write is retried. For a write in "
            "`foreachBatch`, choose a name that no other write uses. Default: none."
        ),
        scope="write",
    ),
    OptionSpec(
        key="eventhubs.writeVersion",
        type="long",
        minimum=0,
        doc=(
            "Number of this write within `writeId`. It must grow from write to write. In `foreachBatch`, use the batch "
            "id. Default: none."
        ),
        scope="write",
    ),
    OptionSpec(
        key="eventhubs.writeLogLocation",
        type="text",
        doc=(
            "Folder in which batch writes with a `writeId` record their start and their end. Streams use their "
            "checkpoint. Default: none."
        ),
        scope="write",
    ),
    OptionSpec(
        key="eventhubs.settleDelay",
        type="duration",
        default="PT5S",
        doc=(
            "How long `exactly-once` waits after a failure before it reads which events are already in the hub. "
            "Batches that a killed process sent may still arrive in this time."
        ),
        scope="write",
    ),
    OptionSpec(
        key="eventhubs.settleDelayAfterTimeout",
        type="duration",
        default="PT1M",
        doc=(
            "How long `exactly-once` waits instead of `settleDelay` when an attempt to send had no answer until it "
            "timed out, or for longer than `settleDelay`. The connector resets the connection, but a proxy or gateway "
            "may still deliver what it holds."
        ),
        scope="write",
    ),
    OptionSpec(
        key="eventhubs.idempotentProducer",
        type="boolean",
        default="false",
        doc=(
            "Whether `exactly-once` sends as idempotent producers where the service grants them. The service then "
            "refuses what a connection that was given up still delivers, however late, and a task needs no settle "
            "delay after a lost answer. Each event becomes about 120 bytes larger, and each task has a link of its own "
            "to each partition."
        ),
        scope="write",
    ),
    OptionSpec(
        key="eventhubs.stampEvents",
        type="boolean",
        default="false",
        doc=(
            "Whether events of an `at-least-once` write carry an id, so that readers can drop duplicates "
            "(`drop_duplicate_events`). A task needs about 48 bytes of memory per row for it."
        ),
        scope="write",
    ),
    OptionSpec(
        key="eventhubs.registry.group",
        type="text",
        doc="Schema group. Needed with `registry.schema`, and to encode bodies.",
        scope="registry",
    ),
    OptionSpec(
        key="eventhubs.registry.schema",
        type="text",
        doc=(
            "Name of a schema of the group; the SDKs use the full name of an Avro record. Without "
            "`registry.readerSchema` its newest version, when the query starts, gives the columns."
        ),
        scope="registry",
    ),
    OptionSpec(
        key="eventhubs.registry.version",
        type="int",
        minimum=1,
        doc="Version of `registry.schema` that gives the columns. Default: the newest one when the query starts.",
        scope="registry",
    ),
    OptionSpec(
        key="eventhubs.registry.readerSchema",
        type="text",
        doc=(
            "Schema that gives the columns, instead of one of the registry. To encode bodies: the schema that is "
            "registered under the name `registry.schema`, if the registry does not have it."
        ),
        scope="registry",
    ),
    OptionSpec(
        key="eventhubs.registry.mode",
        type="FAILFAST|PERMISSIVE",
        default="FAILFAST",
        doc=(
            "`FAILFAST` fails the query at an event that cannot be decoded. `PERMISSIVE` gives it null columns, and "
            "the reason in the column `_decode_error`."
        ),
        scope="registry",
    ),
)

# Options of the legacy connector. The connector logs a warning, or rejects them and names the replacement.
LEGACY_KEYS: Final[tuple[str, ...]] = (
    "eventhubs.threadPoolSize",
    "eventhubs.maxSilentTime",
    "eventhubs.slowPartitionAdjustment",
    "eventhubs.maxAcceptableBatchReceiveTime",
    "eventhubs.DynamicPartitionDiscovery",
    "eventhubs.maxRatePerPartition",
    "eventhubs.maxRatesPerPartition",
    "eventhubs.setUseExclusiveReceiver",
    "eventhubs.useAadAuth",
    "eventhubs.aadAuthCallback",
    "eventhubs.AadAuthCallbackParams",
    "eventhubs.metricPlugin",
    "eventhubs.throttlingStatusPlugin",
    "eventhubs.useSimulatedClient",
)

# Options of Spark's Kafka source, and what to do instead.
KAFKA_OPTIONS: Final[dict[str, str]] = {
    "kafka.bootstrap.servers": "Set 'eventhubs.connectionString', or 'eventhubs.namespace' and 'eventhubs.name'",
    "kafka.security.protocol": "Set 'eventhubs.connectionString', or 'eventhubs.auth.type'",
    "kafka.sasl.mechanism": "Set 'eventhubs.connectionString', or 'eventhubs.auth.type'",
    "kafka.sasl.jaas.config": "Set 'eventhubs.connectionString', or 'eventhubs.auth.type'",
    "kafka.group.id": "Set 'eventhubs.consumerGroup'",
    "groupIdPrefix": "Set 'eventhubs.consumerGroup'",
    "subscribe": "Set 'eventhubs.name', or EntityPath in 'eventhubs.connectionString'",
    "subscribePattern": "Set 'eventhubs.namePattern', such as 'orders-.*'",
    "topic": "Set 'eventhubs.name', or EntityPath in 'eventhubs.connectionString'",
    "assign": "Set 'eventhubs.partitions', such as '0,2'",
    "startingOffsets": "Set 'eventhubs.startingPosition', or 'eventhubs.startingPositions' for single partitions",
    "endingOffsets": "Set 'eventhubs.endingPosition', or 'eventhubs.endingPositions' for single partitions",
    "startingTimestamp": "Set 'eventhubs.startingPosition' to a time with its zone, such as '2024-01-31T12:00:00Z'",
    "endingTimestamp": "Set 'eventhubs.endingPosition' to a time with its zone, such as '2024-01-31T12:00:00Z'",
    "startingOffsetsByTimestamp": "Set 'eventhubs.startingPositions' with times",
    "endingOffsetsByTimestamp": "Set 'eventhubs.endingPositions' with times",
    "startingOffsetsByTimestampStrategy": "Remove it: a time after the last event is the end of the partition",
    "maxOffsetsPerTrigger": "Set 'eventhubs.maxEventsPerTrigger'",
    "minOffsetsPerTrigger": "Set 'eventhubs.minEventsPerTrigger'",
    "maxRecordsPerPartition": "Set 'eventhubs.maxEventsPerTask'",
    "includeHeaders": "Remove it: the column 'properties' always has them",
    "kafkaConsumer.pollTimeoutMs": "Set 'eventhubs.receiverTimeout'",
    "fetchOffset.numRetries": "Set 'eventhubs.operationTimeout': questions are repeated until it is over",
    "fetchOffset.retryIntervalMs": "Remove it: the pauses between retries grow on their own",
}
