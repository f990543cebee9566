from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest

from confs import conf_of, from_earliest
from events import numbers_of, once, send, spread
from spark_eventhubs import EventPosition, read, read_stream
from streams import Target, read_available, running

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import SparkSession

    from spark_eventhubs import LocalEventHub


@pytest.fixture
def target(tmp_path: Path) -> Target:
    return Target(tmp_path)


def test_a_stream_from_earliest_reads_every_event_once(
    spark: SparkSession, event_hub: LocalEventHub, target: Target
) -> None:
    spread(event_hub, range(1000))

    with running(spark, from_earliest(event_hub), target) as query:
        query.processAllAvailable()
        spread(event_hub, range(1000, 1500))
        query.processAllAvailable()

    assert target.numbers(spark) == once(range(1500))


def test_a_stream_starts_at_the_latest_event_by_default(
    spark: SparkSession, event_hub: LocalEventHub, target: Target
) -> None:
    spread(event_hub, range(100))

    with running(spark, conf_of(event_hub), target) as query:
        query.processAllAvailable()
        spread(event_hub, range(100, 200))
        query.processAllAvailable()

    assert target.numbers(spark) == once(range(100, 200))


def test_a_stream_starts_at_a_sequence_number_of_each_partition(
    spark: SparkSession, event_hub: LocalEventHub, target: Target
) -> None:
    sent = spread(event_hub, range(400))
    positions = {0: EventPosition.sequence_number(0), 1: EventPosition.sequence_number(40), 2: EventPosition.latest()}
    conf = from_earliest(event_hub).replace(starting_positions=positions)

    with running(spark, conf, target) as query:
        query.processAllAvailable()

    assert target.numbers(spark) == once(sent[0] + sent[1][40:] + sent[3])


@pytest.mark.event_hub(partitions=1)
def test_a_stream_starts_at_an_enqueued_time(spark: SparkSession, event_hub: LocalEventHub, target: Target) -> None:
    for start in range(0, 100, 10):
        send(event_hub, range(start, start + 10), partition=0)
    rows = read(spark, from_earliest(event_hub)).selectExpr("int(cast(body as string))", "unix_millis(enqueuedTime)")
    times = {row[0]: row[1] for row in rows.collect()}
    assert times[49] < times[50], "the two batches have different enqueued times"
    moment = datetime.fromtimestamp(0, timezone.utc) + timedelta(milliseconds=times[50])
    conf = conf_of(event_hub).replace(starting_position=EventPosition.enqueued_time(moment))

    with running(spark, conf, target) as query:
        query.processAllAvailable()

    assert target.numbers(spark) == once(number for number, millis in times.items() if millis >= times[50])


def test_max_events_per_trigger_limits_every_batch_without_loss(
    spark: SparkSession, event_hub: LocalEventHub, target: Target
) -> None:
    spread(event_hub, range(1000))
    conf = from_earliest(event_hub).replace(max_events_per_trigger=300)

    with running(spark, conf, target) as query:
        query.processAllAvailable()
        sizes = [progress["numInputRows"] for progress in query.recentProgress if progress["numInputRows"] > 0]

    assert max(sizes) <= 300
    assert sum(sizes) == 1000
    assert target.numbers(spark) == once(range(1000))


def test_available_now_reads_all_events_in_limited_batches_and_ends(
    spark: SparkSession, event_hub: LocalEventHub, target: Target
) -> None:
    spread(event_hub, range(1000))

    query = read_available(spark, from_earliest(event_hub).replace(max_events_per_trigger=400), target)

    assert len([progress for progress in query.recentProgress if progress["numInputRows"] > 0]) >= 3
    assert target.numbers(spark) == once(range(1000))


def test_a_restarted_query_continues_after_the_last_committed_event(
    spark: SparkSession, event_hub: LocalEventHub, target: Target
) -> None:
    spread(event_hub, range(200))
    read_available(spark, from_earliest(event_hub), target)
    spread(event_hub, range(200, 500))

    read_available(spark, from_earliest(event_hub), target)
    read_available(spark, from_earliest(event_hub), target)

    assert target.numbers(spark) == once(range(500))


def test_a_query_without_events_keeps_its_starting_position_after_a_restart(
    spark: SparkSession, event_hub: LocalEventHub, target: Target
) -> None:
    send(event_hub, range(10), partition=0)
    read_available(spark, conf_of(event_hub), target)
    spread(event_hub, range(10, 50))

    read_available(spark, conf_of(event_hub), target)

    assert target.numbers(spark) == once(range(10, 50))


def test_one_query_reads_two_hubs(
    spark: SparkSession, event_hub: LocalEventHub, another_hub: Callable[..., LocalEventHub], target: Target
) -> None:
    other = another_hub()
    spread(event_hub, range(300))
    spread(other, range(300, 500))
    both = read_stream(spark, from_earliest(event_hub)).union(read_stream(spark, from_earliest(other)))

    query = target.writer(both).start()
    try:
        query.processAllAvailable()
        spread(other, range(500, 600))
        spread(event_hub, range(600, 700))
        query.processAllAvailable()
    finally:
        query.stop()

    assert target.numbers(spark) == once(range(700))


def test_a_stream_reads_only_the_chosen_partitions(
    spark: SparkSession, event_hub: LocalEventHub, target: Target
) -> None:
    sent = spread(event_hub, range(400))

    read_available(spark, from_earliest(event_hub).replace(partitions=[1, 3]), target)

    assert target.numbers(spark) == once(sent[1] + sent[3])


@pytest.mark.event_hub(partitions=1, consumer_groups=["dashboards", "audit"])
def test_consumer_groups_read_independently(spark: SparkSession, event_hub: LocalEventHub, tmp_path: Path) -> None:
    send(event_hub, range(100), partition=0)

    for group in ("dashboards", "audit"):
        target = Target(tmp_path / group)
        read_available(spark, from_earliest(event_hub).replace(consumer_group=group), target)
        assert target.numbers(spark) == once(range(100))


def test_min_partitions_splits_a_long_range_into_tasks_without_loss(
    spark: SparkSession, event_hub: LocalEventHub, target: Target
) -> None:
    send(event_hub, range(2000), partition=2)
    conf = from_earliest(event_hub).replace(min_partitions=4)

    read_available(spark, conf, target)

    assert target.numbers(spark) == once(range(2000))
    assert read(spark, conf).rdd.getNumPartitions() >= 4
    assert numbers_of(read(spark, conf)) == once(range(2000))
