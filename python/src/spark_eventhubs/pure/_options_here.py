"""Which options the engine in Python has, and why it lacks the others."""

from __future__ import annotations

from typing import Final

HAS: Final = frozenset(
    {
        "eventhubs.connectionString",
        "eventhubs.name",
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
    "eventhubs.transport": ("amqp", "only the jar uses WebSockets"),
    "eventhubs.idempotentProducer": ("false", "only the jar has it"),
    "eventhubs.stampEvents": ("false", "only the jar stamps events"),
    "eventhubs.checkpointStore.ownership": ("off", "only the jar uses checkpoint stores"),
}
"""The options of which one value only is possible, and why."""

_SIGN_IN: Final = "it signs in with a connection string only"
_PROXY: Final = "it connects without a proxy"
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
    "eventhubs.namespace": _SIGN_IN,
    "eventhubs.auth.type": _SIGN_IN,
    "eventhubs.auth.tenantId": _SIGN_IN,
    "eventhubs.auth.clientId": _SIGN_IN,
    "eventhubs.auth.clientSecret": _SIGN_IN,
    "eventhubs.auth.sasToken": _SIGN_IN,
    "eventhubs.auth.certificatePath": _SIGN_IN,
    "eventhubs.auth.certificatePassword": _SIGN_IN,
    "eventhubs.auth.federatedTokenFile": _SIGN_IN,
    "eventhubs.auth.authorityHost": _SIGN_IN,
    "eventhubs.auth.credentialProvider": _SIGN_IN,
    "eventhubs.auth.tokenParameters": _SIGN_IN,
    "eventhubs.customEndpoint": "it connects to the namespace only",
    "eventhubs.tls.trustedCertificates": "it trusts the authorities of the package certifi",
    "eventhubs.proxy.address": _PROXY,
    "eventhubs.proxy.username": _PROXY,
    "eventhubs.proxy.password": _PROXY,
    "eventhubs.proxy.authentication": _PROXY,
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
