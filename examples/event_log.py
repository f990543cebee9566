"""Reads the extents and the events of a hub's partitions with the official Python SDK.

Each request opens a new connection, which takes the SDK half a second. So the partitions are read in parallel.
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from azure.eventhub import EventData, EventHubConsumerClient

if TYPE_CHECKING:
    from collections.abc import Mapping

    from azure.eventhub import PartitionContext

_SECONDS = 60


class Extent(NamedTuple):
    """The sequence numbers of a partition: `first` is inclusive, `until` is exclusive."""

    first: int
    until: int


def partition_extents(connection_string: str) -> dict[str, Extent]:
    """The extent of each partition."""
    with _client(connection_string) as client:
        ids = client.get_partition_ids()
    with ThreadPoolExecutor(len(ids)) as pool:
        return dict(zip(ids, pool.map(partial(_extent, connection_string), ids), strict=True))


def read_extents(connection_string: str, extents: Mapping[str, Extent]) -> dict[str, list[EventData]]:
    """The events of each partition within its extent. Raises a TimeoutError if they do not arrive."""
    with ThreadPoolExecutor(len(extents)) as pool:
        events = pool.map(partial(_events, connection_string), extents, extents.values())
        return dict(zip(extents, events, strict=True))


def _client(connection_string: str) -> EventHubConsumerClient:
    return EventHubConsumerClient.from_connection_string(connection_string, "$Default")


def _extent(connection_string: str, partition: str) -> Extent:
    with _client(connection_string) as client:
        found = client.get_partition_properties(partition)
    return Extent(first=max(0, found["beginning_sequence_number"]), until=found["last_enqueued_sequence_number"] + 1)


def _events(connection_string: str, partition: str, extent: Extent) -> list[EventData]:
    if extent.first >= extent.until:
        return []
    events: list[EventData] = []
    complete = threading.Event()

    def take(_: PartitionContext, batch: list[EventData]) -> None:
        events.extend(batch)
        if events and (events[-1].sequence_number or 0) >= extent.until - 1:
            complete.set()

    where = {"partition_id": partition, "starting_position": extent.first, "starting_position_inclusive": True}
    with _client(connection_string) as client:
        reader = threading.Thread(target=client.receive_batch, args=(take,), kwargs=where, daemon=True)
        reader.start()
        arrived = complete.wait(_SECONDS)
    reader.join(_SECONDS)
    if not arrived:
        wanted = extent.until - extent.first
        raise TimeoutError(f"partition {partition} delivered {len(events)} of {wanted} events in {_SECONDS} s")
    return [event for event in events if (event.sequence_number or 0) < extent.until]
