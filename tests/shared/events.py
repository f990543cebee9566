"""Sends events whose bodies are numbers, and reads the numbers back."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from azure.eventhub import EventData, EventHubProducerClient

from event_log import Extent, read_extents

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from spark_eventhubs import LocalEventHub


def send(hub: LocalEventHub, numbers: Iterable[int], *, partition: int | None = None, key: str | None = None) -> None:
    """Sends one event for each number, with the number as its body."""
    send_events(hub, [EventData(str(number)) for number in numbers], partition=partition, key=key)


def send_events(
    hub: LocalEventHub, events: list[EventData], *, partition: int | None = None, key: str | None = None
) -> None:
    """Sends these events to a partition, with a key, or to a partition that the hub chooses."""
    target = None if partition is None else str(partition)
    with EventHubProducerClient.from_connection_string(hub.connection_string) as producer:
        batch = producer.create_batch(partition_id=target, partition_key=key)
        for event in events:
            batch.add(event)
        producer.send_batch(batch)


def spread(hub: LocalEventHub, numbers: range) -> dict[int, list[int]]:
    """Sends the numbers to the partitions in turn. Returns the numbers of each partition, in order."""
    parts = {partition: list(numbers[partition :: hub.partitions]) for partition in range(hub.partitions)}
    # One client per partition in parallel, because connecting is mostly waiting.
    with ThreadPoolExecutor(hub.partitions) as pool:
        list(pool.map(lambda partition: send(hub, parts[partition], partition=partition), parts))
    return parts


def numbered_rows(spark: SparkSession, count: int, *columns: str) -> DataFrame:
    """Rows to write, with the numbers from 0 as bodies. Further columns are expressions of `id`."""
    return spark.range(count).selectExpr("cast(id as string) as body", *columns)


def all_events(hub: LocalEventHub) -> dict[int, list[EventData]]:
    """All events of each partition in order, read with the official SDK.

    How many there are, the hub itself says. Its answer to the SDK may be old, or refused, as of the service.
    """
    extents = {str(partition): _extent(hub, partition) for partition in range(hub.partitions)}
    found = read_extents(hub.connection_string, extents)
    return {int(partition): events for partition, events in found.items()}


def _extent(hub: LocalEventHub, partition: int) -> Extent:
    numbers = [event.sequence_number for event in hub.events(partition=partition)]
    return Extent(first=numbers[0], until=numbers[-1] + 1) if numbers else Extent(first=0, until=0)


def numbers_in_hub(hub: LocalEventHub) -> Counter[int]:
    """The numbers in the hub, and how often each occurs."""
    return Counter(int(event.body_as_str()) for events in all_events(hub).values() for event in events)


def numbers_of(df: DataFrame) -> Counter[int]:
    """The numbers in the bodies of a DataFrame, and how often each occurs."""
    return Counter(int(row["body"]) for row in df.selectExpr("cast(body as string) as body").collect())


def numbers_in_files(spark: SparkSession, folder: Path) -> Counter[int]:
    """The numbers in a folder of Parquet files that a streaming query wrote."""
    return numbers_of(spark.read.parquet(str(folder)))


def once(numbers: Iterable[int]) -> Counter[int]:
    """Each of these numbers once: no loss and no duplicates."""
    return Counter(numbers)
