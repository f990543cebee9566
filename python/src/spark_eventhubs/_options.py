"""The options of the connector.

Generated from EventHubsOptions.scala; run UPDATE=1 ./sbt 'core/testOnly *OptionDocsSuite'
"""

from __future__ import annotations

from typing import Final

from spark_eventhubs._option_spec import OptionSpec

OPTIONS: Final[tuple[OptionSpec, ...]] = (
    OptionSpec(
        key="eventhubs.connectionString",
        type="text",
        doc=(
            "Connection string of the hub, as the portal shows it. A namespace's string works too, with "
            "`eventhubs.name`. A value that the legacy connector 2.3.22 encrypted is understood."
        ),
        secret=True,
        scope="connection",
    ),
    OptionSpec(
        key="eventhubs.namespace",
        type="text",
        doc="Host name of the namespace, such as `contoso.servicebus.windows.net`, when there is no connection string.",
        scope="connection",
    ),
    OptionSpec(
        key="eventhubs.name",
        aliases=("eventhubs.eventHubName",),
        type="text",
        doc="Name of the event hub, when the connection string has no EntityPath.",
        scope="connection",
    ),
    OptionSpec(
        key="eventhubs.auth.type",
        type="sas|clientSecret|managedIdentity|workloadIdentity|default",
        doc=(
            "How the connector signs in, when the connection string has no key: `sas` with `auth.sasToken`; "
            "`clientSecret` with `auth.tenantId`, `auth.clientId` and `auth.clientSecret`; `managedIdentity`; "
            "`workloadIdentity`; or `default`, the Azure SDK's chain of environment, workload identity, managed "
            "identity and developer tools."
        ),
        scope="connection",
    ),
    OptionSpec(
        key="eventhubs.auth.tenantId",
        type="text",
        doc="Microsoft Entra tenant, for `clientSecret` and `workloadIdentity`.",
        scope="connection",
    ),
    OptionSpec(
        key="eventhubs.auth.clientId",
        type="text",
        doc="Application or user-assigned identity, for `clientSecret`, `managedIdentity` and `workloadIdentity`.",
        scope="connection",
    ),
    OptionSpec(
        key="eventhubs.auth.clientSecret",
        type="text",
        doc="Secret of the application, for `clientSecret`.",
        secret=True,
        scope="connection",
    ),
    OptionSpec(
        key="eventhubs.auth.sasToken",
        type="text",
        doc=(
            "Shared access signature that was made elsewhere, for `sas`. It cannot be renewed: the query fails when it "
            "expires."
        ),
        secret=True,
        scope="connection",
    ),
    OptionSpec(
        key="eventhubs.transport",
        type="amqp|amqpWebSockets",
        default="amqp",
        doc="`amqp` (port 5671), or `amqpWebSockets` (port 443) where only HTTPS gets out.",
        scope="connection",
    ),
    OptionSpec(
        key="eventhubs.customEndpoint",
        type="text",
        doc=(
            "Host, with or without port, to open the connection to instead of the namespace, such as a gateway before "
            "a private endpoint. The namespace stays what certificates and tokens are checked for."
        ),
        scope="connection",
    ),
    OptionSpec(
        key="eventhubs.operationTimeout",
        type="duration",
        default="PT1M",
        doc=(
            "Longest wait for one operation of the service, its retries included. When it is left out and "
            "`receiverTimeout` is longer, that one holds."
        ),
        scope="connection",
    ),
    OptionSpec(
        key="eventhubs.retry.maxRetries",
        type="int",
        default="3",
        minimum=0,
        maximum=100,
        doc="Times that a failed operation is tried again within its timeout, with growing pauses.",
        scope="connection",
    ),
    OptionSpec(
        key="eventhubs.ignoreUnknownOptions",
        type="boolean",
        default="false",
        doc=(
            "Whether options under `eventhubs.` that the connector does not know, or no longer supports, are warned of "
            "instead of refused."
        ),
        scope="connection",
    ),
    OptionSpec(
        key="eventhubs.useV1Source",
        aliases=("useV1Source",),
        type="boolean",
        default="false",
        doc="Whether a stream is read through Spark's V1 source interface instead of V2.",
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.consumerGroup",
        type="text",
        default="$Default",
        doc="Consumer group that reads.",
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.startingPosition",
        type="position",
        doc=(
            "Where every partition is read from: `earliest`, `latest`, a sequence number, a time with its zone such as "
            "`2024-01-31T12:00:00Z`, or the legacy connector's JSON. A streaming query takes it at its first start "
            "only; later ones go on from the checkpoint. Default: `latest` for streams, `earliest` for batch reads."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.startingPositions",
        type="positions",
        doc=(
            "Where single partitions are read from, before `startingPosition`: JSON such as "
            '`{"0":123,"1":"latest"}`, or the legacy connector\'s, whose keys name hub and partition. Default: '
            "`startingPosition` for all."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.endingPosition",
        type="position",
        default="latest",
        doc="Where a batch read ends in every partition. Streams pass over it.",
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.endingPositions",
        type="positions",
        doc=(
            "Where a batch read ends in single partitions, before `endingPosition`; written like `startingPositions`. "
            "Default: `endingPosition` for all."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.partitions",
        type="partitions",
        doc="Ids of the partitions to read, such as `0,2` or `0-3`. Default: all, those added later included.",
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.maxEventsPerTrigger",
        aliases=("maxEventsPerTrigger",),
        type="long",
        minimum=1,
        doc="Most events of one micro-batch over all partitions, divided by their backlog. Default: unlimited.",
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.maxBytesPerTrigger",
        aliases=("maxBytesPerTrigger",),
        type="bytes",
        minimum=1,
        doc=(
            "Roughly the most bytes of bodies of one micro-batch over all partitions, by the mean size of the events "
            "read before; until that is known every event counts 1 MiB. Default: unlimited."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.minEventsPerTrigger",
        aliases=("minEventsPerTrigger",),
        type="long",
        minimum=1,
        doc=(
            "Fewest events of one micro-batch: a smaller backlog waits for more, until `maxTriggerDelay` has passed "
            "since the last batch. Trigger.AvailableNow and Trigger.Once do not wait. Default: 1."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.maxTriggerDelay",
        aliases=("maxTriggerDelay",),
        type="duration",
        default="PT15M",
        doc="How long `minEventsPerTrigger` may hold events back.",
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.failOnDataLoss",
        aliases=("failOnDataLoss",),
        type="boolean",
        default="true",
        doc=(
            "Whether a query stops when events that it should read no longer exist. If not, it goes on at the oldest "
            "that do, and counts the lost ones."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.prefetchCount",
        type="int",
        minimum=1,
        maximum=8000,
        doc=(
            "Events that a receiver keeps ahead of the task that reads them. Default: as many as fit into "
            "`receiverBufferBytes`."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.receiverBufferBytes",
        type="bytes",
        default="16m",
        minimum=65536,
        doc=(
            "Bytes that a receiver may keep ahead of the task that reads them, when `prefetchCount` is not set. "
            "Between micro-batches all receivers of an executor together keep what `maxConnections` of them may."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.receiverTimeout",
        type="duration",
        default="PT1M",
        doc=(
            "How long a receiver may be silent, though events are known to be there, before it is opened anew. When it "
            "is left out and `operationTimeout` is shorter, that one holds."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.receiverIdleTimeout",
        type="duration",
        default="PT5M",
        doc="How long a receiver that no task uses stays open for the next batch.",
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.useExclusiveReceiver",
        type="boolean",
        doc=(
            "Whether receivers are exclusive: another one of the same consumer group and partition disconnects this "
            "one, unless its `ownerLevel` is lower. Not together with `minPartitions` or `maxEventsPerTask`, whose "
            "tasks would disconnect each other. Default: `true` when `ownerLevel` is set, else `false`."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.ownerLevel",
        type="long",
        minimum=0,
        doc=(
            "Rank (epoch) of exclusive receivers; the highest reads. Not together with `minPartitions` or "
            "`maxEventsPerTask`. Default: 0 when `useExclusiveReceiver` is `true`."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.maxConnections",
        type="int",
        minimum=1,
        doc=(
            "AMQP connections of one executor for receivers; beyond it receivers share them. Default: twice the "
            "executor's cores."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.minPartitions",
        aliases=("minPartitions",),
        type="int",
        minimum=1,
        doc=(
            "Fewest Spark tasks of a batch: long ranges are split, into at most 5 per hub partition. Default: one task "
            "per hub partition."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.maxEventsPerTask",
        type="long",
        minimum=1,
        doc=(
            "Most events of one Spark task: longer ranges are split, into at most 5 per hub partition. Default: "
            "unlimited."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.maxPartitions",
        type="int",
        minimum=1,
        doc=(
            "Most Spark tasks of a batch: hub partitions share a task, neighbours together, always the same ones. For "
            "hubs with many partitions and few events in each batch; two tasks per core are enough to keep all cores "
            "busy. Not together with `minPartitions` or `maxEventsPerTask`. Default: one task per hub partition."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.partitionPreferredLocationStrategy",
        aliases=("partitionPreferredLocationStrategy",),
        type="Hash|BalancedHash|Stable",
        default="Stable",
        doc=(
            "How partitions are placed on executors. `Stable` spreads them evenly and moves few when an executor comes "
            "or goes; `BalancedHash` gives consecutive partitions to consecutive executors and moves most; `Hash` "
            "scatters them."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.replayCacheBytes",
        type="bytes",
        default="0g",
        minimum=0,
        doc=(
            "Memory in which an executor keeps the events that it has read, for a second pass over the same batch: "
            "several actions or writers in `foreachBatch`, or a batch read used twice. `0` keeps none, which is best "
            "for the usual single pass."
        ),
        scope="read",
    ),
    OptionSpec(
        key="eventhubs.partitionId",
        type="int",
        minimum=0,
        doc="Partition that all rows go to; overrules columns that name a partition or key. Default: any.",
        scope="write",
    ),
    OptionSpec(
        key="eventhubs.partitionKey",
        type="text",
        doc="Partition key of all rows; overrules columns that name a partition or key. Default: none.",
        scope="write",
    ),
    OptionSpec(
        key="eventhubs.maxBatchBytes",
        type="bytes",
        minimum=1024,
        maximum=2147483647,
        doc="Largest AMQP batch that is sent. Default: the service's limit, 1 MB in most tiers.",
        scope="write",
    ),
    OptionSpec(
        key="eventhubs.maxInFlightBytes",
        type="bytes",
        default="8m",
        minimum=1048576,
        doc="Bytes that one task may have sent while the service has not accepted them.",
        scope="write",
    ),
    OptionSpec(
        key="eventhubs.sendTimeout",
        type="duration",
        default="PT1M",
        doc=(
            "How long one batch may take until the service has accepted it, retries included, before the task fails. A "
            "service that is busy is waited for ten times as long, and longer while it accepts other batches of the "
            "executor."
        ),
        scope="write",
    ),
    OptionSpec(
        key="eventhubs.oversizedEvents",
        type="fail|drop",
        default="fail",
        doc=(
            "What happens to an event that is larger than a batch can be: `fail` stops the query, `drop` leaves it out "
            "and counts it."
        ),
        scope="write",
    ),
    OptionSpec(
        key="eventhubs.useV1Sink",
        aliases=("useV1Sink",),
        type="boolean",
        default="false",
        doc="Whether a stream is written through Spark's V1 sink interface instead of V2.",
        scope="write",
    ),
    OptionSpec(
        key="eventhubs.deliveryGuarantee",
        type="at-least-once|exactly-once",
        default="at-least-once",
        doc=(
            "Whether what fails and is done again may leave events twice in the hub. `exactly-once` stamps each event, "
            "and looks into the hub before anything is sent a second time, so the credential needs the right to listen "
            "too. A stream needs a checkpoint location; a batch write `writeId`, `writeVersion` and "
            "`writeLogLocation`. See docs/delivery-semantics.md."
        ),
        scope="write",
    ),
    OptionSpec(
        key="eventhubs.writeId",
        type="text",
        doc=(
            "Names a sequence of batch writes, the same each time they are tried again: for a write in `foreachBatch`, "
            "a name of your choice that no other write uses. Default: none."
        ),
        scope="write",
    ),
    OptionSpec(
        key="eventhubs.writeVersion",
        type="long",
        minimum=0,
        doc=(
            "Number of this write within `writeId`, growing from write to write: in `foreachBatch`, the batch id. "
            "Default: none."
        ),
        scope="write",
    ),
    OptionSpec(
        key="eventhubs.writeLogLocation",
        type="text",
        doc=(
            "Folder in which batch writes with a `writeId` record where they began and that they are done. Streams use "
            "their checkpoint. Default: none."
        ),
        scope="write",
    ),
    OptionSpec(
        key="eventhubs.settleDelay",
        type="duration",
        default="PT5S",
        doc=(
            "How long `exactly-once` waits, after a failure only, before it looks for what is already in the hub: what "
            "a process that was killed had sent may still be on its way."
        ),
        scope="write",
    ),
    OptionSpec(
        key="eventhubs.stampEvents",
        type="boolean",
        default="false",
        doc=(
            "Whether events written at least once carry an id by which readers can drop duplicates "
            "(`drop_duplicate_events`). Takes a task about 48 bytes of memory per row."
        ),
        scope="write",
    ),
)

# Of the legacy connector: the connector warns of them, or says what to use instead.
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
