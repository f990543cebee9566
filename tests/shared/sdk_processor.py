"""The Event Hubs SDK's own processor with its checkpoint store."""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING

from azure.eventhub import EventHubConsumerClient
from azure.eventhub.extensions.checkpointstoreblob import BlobCheckpointStore

if TYPE_CHECKING:
    from azure.eventhub import EventData, PartitionContext
    from azure.storage.blob import ContainerClient

    from azurite_server import Azurite
    from spark_eventhubs import LocalEventHub


def processor(event_hub: LocalEventHub, azurite: Azurite, container: ContainerClient) -> EventHubConsumerClient:
    """The SDK's processor with its checkpoint store."""
    return connected(event_hub.connection_string, azurite.connection_string, container.container_name)


def connected(
    event_hub: str, storage: str, container: str, *, renew_every: float = 1, expiration: float | None = None
) -> EventHubConsumerClient:
    """The same, by connection strings. Times are in seconds; the ownership expires as the SDK has it by default.

    It names blobs after the endpoint. A namespace in Azure has no port there, and so has none here.
    """
    found = re.search(r":(\d+)(?=/?;)", event_hub)
    assert found
    return EventHubConsumerClient.from_connection_string(
        event_hub.replace(found[0], "", 1),
        "$Default",
        checkpoint_store=BlobCheckpointStore.from_connection_string(storage, container),
        custom_endpoint_address=f"sb://localhost:{found[1]}",
        load_balancing_interval=renew_every,
        partition_ownership_expiration_interval=expiration,
    )


def receive(client: EventHubConsumerClient, count: int) -> list[str]:
    """Bodies of the next events; each is checkpointed. It starts at the store's checkpoints, else at the beginning."""
    # A slow machine lets an ownership expire, and then events come twice.
    bodies: dict[tuple[str, int | None], str] = {}
    ended = threading.Event()

    def on_event(partition: PartitionContext, event: EventData) -> None:
        # First, because the last event of all, in another thread, ends the processor.
        partition.update_checkpoint(event)
        bodies[partition.partition_id, event.sequence_number] = event.body_as_str()
        if len(bodies) >= count:
            ended.set()

    with client:
        thread = threading.Thread(target=client.receive, args=(on_event,), kwargs={"starting_position": "-1"})
        thread.start()
        assert ended.wait(60), f"{len(bodies)} of {count} events came"
        client.close()
        thread.join(30)
    return list(bodies.values())


def checkpoints(container: ContainerClient) -> dict[str, dict[str, str]]:
    """The metadata of the checkpoints, by blob."""
    blobs = container.list_blobs(include=["metadata"])
    return {blob.name: blob.metadata for blob in blobs if "/checkpoint/" in blob.name}
