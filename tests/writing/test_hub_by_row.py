"""Rows that name their hubs, over the official SDK and over Spark. The suites of the connector inject faults."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from confs import conf_of
from events import numbered_rows, numbers_in_hub, once
from spark_eventhubs import EventHubsConf, WriteOnce, read_stream, write, write_stream
from spark_eventhubs.errors import EventHubsError
from streams import run_available

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from spark_eventhubs import LocalEventHub, LocalHub


@pytest.fixture
def namespace(local_hub: LocalHub) -> EventHubsConf:
    """Names no hub."""
    return EventHubsConf.of_namespace(local_hub.connection_string())


def alternating(spark: SparkSession, *hubs: LocalEventHub) -> DataFrame:
    names = ", ".join(f"'{hub.name}'" for hub in hubs)
    return numbered_rows(spark, 1000, f"element_at(array({names}), cast(id % {len(hubs)} + 1 as int)) as eventHub")


@pytest.mark.parametrize("guarantee", ["at-least-once", "exactly-once"])
def test_a_batch_write_sends_each_row_to_its_hub(
    *,
    spark: SparkSession,
    event_hub: LocalEventHub,
    another_hub: Callable[..., LocalEventHub],
    namespace: EventHubsConf,
    guarantee: str,
    tmp_path: Path,
) -> None:
    other = another_hub(partitions=1)
    twice = WriteOnce(write_id="rows", version=1, log_location=tmp_path) if guarantee == "exactly-once" else None

    for _ in range(2 if twice else 1):
        write(alternating(spark, event_hub, other), namespace, once=twice)

    assert numbers_in_hub(event_hub) == once(range(0, 1000, 2))
    assert numbers_in_hub(other) == once(range(1, 1000, 2))


def test_a_stream_sends_each_row_to_its_hub(
    spark: SparkSession,
    event_hub: LocalEventHub,
    another_hub: Callable[..., LocalEventHub],
    namespace: EventHubsConf,
    tmp_path: Path,
) -> None:
    (even, odd), source = (another_hub(), another_hub()), event_hub
    write(numbered_rows(spark, 500), conf_of(source))
    rows = read_stream(spark, conf_of(source).replace(starting_position="earliest")).selectExpr(
        "body", f"if(cast(cast(body as string) as int) % 2 = 0, '{even.name}', '{odd.name}') as eventHub"
    )

    run_available(write_stream(rows, namespace, checkpoint_location=tmp_path))

    assert numbers_in_hub(even) == once(range(0, 500, 2))
    assert numbers_in_hub(odd) == once(range(1, 500, 2))


def test_a_hub_in_the_options_wins_over_the_column(
    spark: SparkSession, event_hub: LocalEventHub, another_hub: Callable[..., LocalEventHub]
) -> None:
    other = another_hub()

    write(alternating(spark, other), conf_of(event_hub))

    assert numbers_in_hub(event_hub) == once(range(1000))
    assert not numbers_in_hub(other)


def test_a_missing_hub_and_a_row_without_one_are_named(
    spark: SparkSession, event_hub: LocalEventHub, namespace: EventHubsConf
) -> None:
    with pytest.raises(EventHubsError, match=r"EVENTHUBS_NOT_FOUND.*'absent'"):
        write(numbered_rows(spark, 10, f"if(id = 7, 'absent', '{event_hub.name}') as eventHub"), namespace)
    with pytest.raises(EventHubsError, match=r"EVENTHUBS_INVALID_EVENT.*'eventHub' is null"):
        write(numbered_rows(spark, 10, f"if(id = 7, null, '{event_hub.name}') as eventHub"), namespace)
    with pytest.raises(EventHubsError, match=r"EVENTHUBS_MISSING_OPTION.*column 'eventHub'"):
        write(numbered_rows(spark, 10), namespace)
