"""Sends events that are known by a number, and finds the numbers again."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from azure.eventhub import EventData, EventHubProducerClient

from event_log import partition_extents, read_extents

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
    """Sends these events to a partition, by a key, or wherever the hub likes."""
    target = None if partition is None else str(partition)
    with EventHubProducerClient.from_connection_string(hub.connection_string) as producer:
        batch = producer.create_batch(partition_id=target, partition_key=key)
        for event in events:
            batch.add(event)
        producer.send_batch(batch)


def spread(hub: LocalEventHub, numbers: range) -> dict[int, list[int]]:
    """Sends the numbers in turn to each partition; gives the numbers of each, in order."""
    parts = {partition: list(numbers[partition :: hub.partitions]) for partition in range(hub.partitions)}
    # One client for each: it spends its time asleep while it connects.
    with ThreadPoolExecutor(hub.partitions) as pool:
        list(pool.map(lambda partition: send(hub, parts[partition], partition=partition), parts))
    return parts


def all_events(hub: LocalEventHub) -> dict[int, list[EventData]]:
    """What the official SDK finds in each partition, in order."""
    found = read_extents(hub.connection_string, partition_extents(hub.connection_string))
    return {int(partition): events for partition, events in found.items()}


def numbers_in_hub(hub: LocalEventHub) -> Counter[int]:
    """The numbers that stand in the hub, and how often."""
    return Counter(int(event.body_as_str()) for events in all_events(hub).values() for event in events)


def numbers_of(df: DataFrame) -> Counter[int]:
    """The numbers in the bodies of a DataFrame, and how often."""
    return Counter(int(row["body"]) for row in df.selectExpr("cast(body as string) as body").collect())


def numbers_in_files(spark: SparkSession, folder: Path) -> Counter[int]:
    """The numbers that a streaming query has committed to a folder of Parquet files."""
    return numbers_of(spark.read.parquet(str(folder)))


def once(numbers: Iterable[int]) -> Counter[int]:
    """Each number once: nothing lost, nothing twice."""
    return Counter(numbers)
