"""A value for each option of `EventHubsConf`, as Python. Tests run and type-check them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spark_eventhubs import OptionSpec

EXAMPLES = {
    "eventhubs.connectionString": "text",
    "eventhubs.namespace": '"contoso.servicebus.windows.net"',
    "eventhubs.name": '"telemetry"',
    "eventhubs.customEndpoint": '"gateway.contoso.com:5671"',
    "eventhubs.tls.trustedCertificates": '"/etc/ssl/proxy.pem"',
    "eventhubs.proxy.address": '"proxy.contoso.com:3128"',
    "eventhubs.proxy.username": '"reader"',
    "eventhubs.proxy.password": "text",
    "eventhubs.retry.maxRetries": "5",
    "eventhubs.namePattern": '"orders-.*"',
    "eventhubs.consumerGroup": '"dashboards"',
    "eventhubs.startingPosition": '"earliest"',
    "eventhubs.startingPositions": '{0: 123, 1: "latest"}',
    "eventhubs.endingPosition": "datetime(2024, 1, 31, 12, tzinfo=timezone.utc)",
    "eventhubs.endingPositions": "{0: 456}",
    "eventhubs.partitions": "[0, 2]",
    "eventhubs.maxEventsPerTrigger": "100_000",
    "eventhubs.maxBytesPerTrigger": '"64m"',
    "eventhubs.minEventsPerTrigger": "10_000",
    "eventhubs.prefetchCount": "500",
    "eventhubs.receiverBufferBytes": '"32m"',
    "eventhubs.ownerLevel": "1",
    "eventhubs.maxConnections": "8",
    "eventhubs.minPartitions": "16",
    "eventhubs.maxEventsPerTask": "50_000",
    "eventhubs.maxPartitions": "8",
    "eventhubs.replayCacheBytes": '"256m"',
    "eventhubs.checkpointStore.container": '"https://contoso.blob.core.windows.net/checkpoints"',
    "eventhubs.checkpointStore.connectionString": "text",
    "eventhubs.checkpointStore.defaultPosition": '"latest"',
    "eventhubs.partitionId": "0",
    "eventhubs.partitionKey": '"blue"',
    "eventhubs.lingerMs": "5",
    "eventhubs.maxBatchBytes": '"256k"',
    "eventhubs.maxInFlightBytes": '"16m"',
    "eventhubs.writeId": '"alerts"',
    "eventhubs.writeVersion": "7",
    "eventhubs.writeLogLocation": '"abfss://logs@contoso.dfs.core.windows.net/writes"',
}


def example(spec: OptionSpec) -> str:
    """A value in Python."""
    if spec.key in EXAMPLES:
        return EXAMPLES[spec.key]
    if spec.type == "boolean":
        return str(spec.default != "true")
    if spec.type == "duration":
        return "timedelta(seconds=30)"
    return repr(spec.type.split("|")[-1])
