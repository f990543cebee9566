"""Which options the engine in Python has, and why it lacks the others."""

from __future__ import annotations

from typing import Final

HAS: Final = frozenset(
    {
        "eventhubs.connectionString",
        "eventhubs.namespace",
        "eventhubs.name",
        "eventhubs.auth.type",
        "eventhubs.auth.tenantId",
        "eventhubs.auth.clientId",
        "eventhubs.auth.clientSecret",
        "eventhubs.auth.sasToken",
        "eventhubs.auth.certificatePath",
        "eventhubs.auth.certificatePassword",
        "eventhubs.auth.federatedTokenFile",
        "eventhubs.auth.authorityHost",
        "eventhubs.transport",
        "eventhubs.customEndpoint",
        "eventhubs.tls.trustedCertificates",
        "eventhubs.proxy.address",
        "eventhubs.proxy.username",
        "eventhubs.proxy.password",
        "eventhubs.operationTimeout",
        "eventhubs.ignoreUnknownOptions",
        "eventhubs.consumerGroup",
        "eventhubs.startingPosition",
        "eventhubs.startingPositions",
        "eventhubs.endingPosition",
        "eventhubs.endingPositions",
        "eventhubs.partitions",
        "eventhubs.maxEventsPerTrigger",
        "eventhubs.failOnDataLoss",
        "eventhubs.includeEventHub",
        "eventhubs.partitionId",
        "eventhubs.partitionKey",
    }
)
"""The options that have their full effect."""

ONLY_VALUE: Final = {
    "eventhubs.deliveryGuarantee": ("at-least-once", "only the jar writes exactly once"),
    "eventhubs.compacted": ("false", "only the jar reads compacted hubs"),
    "eventhubs.writeTombstones": ("false", "only the jar writes tombstones"),
    "eventhubs.oversizedEvents": ("fail", "only the jar drops events"),
    "eventhubs.proxy.authentication": ("basic", "the Azure SDK knows no other way"),
    "eventhubs.idempotentProducer": ("false", "only the jar has it"),
    "eventhubs.stampEvents": ("false", "only the jar stamps events"),
    "eventhubs.checkpointStore.ownership": ("off", "only the jar uses checkpoint stores"),
}
"""The options of which one value only is possible, and why."""

_CLASS: Final = "only the jar runs a class for the JVM"
_STORE: Final = "only the jar uses checkpoint stores"
_PACE: Final = "Spark's Python API has no such limit"
_TASKS: Final = "each partition of the hub is one task"
_LINKS: Final = "a link lives as long as its task"
_SENDING: Final = "the Azure SDK makes the batches"
_EXACTLY: Final = "only the jar writes exactly once"
_SIZE: Final = "the bytes that wait are bounded by the connection"
_NAMES: Final = "it reads one event hub"
_JVM: Final = "it has one interface to Spark"

LACKS: Final = {
    "eventhubs.auth.credentialProvider": _CLASS,
    "eventhubs.auth.tokenParameters": _CLASS,
    "eventhubs.retry.maxRetries": "'eventhubs.operationTimeout' alone ends its retries",
    "eventhubs.useV1Source": _JVM,
    "eventhubs.namePattern": _NAMES,
    "eventhubs.namePatternInterval": _NAMES,
    "eventhubs.maxBytesPerTrigger": _PACE,
    "eventhubs.minEventsPerTrigger": _PACE,
    "eventhubs.maxTriggerDelay": _PACE,
    "eventhubs.prefetchCount": _SIZE,
    "eventhubs.receiverBufferBytes": _SIZE,
    "eventhubs.receiverTimeout": "'eventhubs.operationTimeout' alone ends its waits",
    "eventhubs.receiverIdleTimeout": _LINKS,
    "eventhubs.useExclusiveReceiver": "its receivers are never exclusive",
    "eventhubs.ownerLevel": "its receivers are never exclusive",
    "eventhubs.maxConnections": "each task has one connection",
    "eventhubs.minPartitions": _TASKS,
    "eventhubs.maxEventsPerTask": _TASKS,
    "eventhubs.maxPartitions": _TASKS,
    "eventhubs.partitionPreferredLocationStrategy": "Spark's Python API has no preferred locations",
    "eventhubs.replayCacheBytes": "it keeps no events",
    "eventhubs.checkpointStore.container": _STORE,
    "eventhubs.checkpointStore.connectionString": _STORE,
    "eventhubs.checkpointStore.interval": _STORE,
    "eventhubs.checkpointStore.publish": _STORE,
    "eventhubs.checkpointStore.defaultPosition": _STORE,
    "eventhubs.checkpointStore.ownershipExpiration": _STORE,
    "eventhubs.maxBatchBytes": _SENDING,
    "eventhubs.maxInFlightBytes": _SENDING,
    "eventhubs.lingerMs": _SENDING,
    "eventhubs.sendTimeout": "'eventhubs.operationTimeout' limits its sends",
    "eventhubs.useV1Sink": _JVM,
    "eventhubs.writeId": _EXACTLY,
    "eventhubs.writeVersion": _EXACTLY,
    "eventhubs.writeLogLocation": _EXACTLY,
    "eventhubs.settleDelay": _EXACTLY,
    "eventhubs.settleDelayAfterTimeout": _EXACTLY,
}
"""The options that this engine lacks, and why."""
