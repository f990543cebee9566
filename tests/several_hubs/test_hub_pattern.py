"""One query that reads the event hubs which match a pattern, while hubs appear."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

import pytest

from events import once, spread
from processes import wait_until
from spark_eventhubs import EventHubsConf, read
from spark_eventhubs.errors import HubNotFoundError
from streams import Target, running

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from spark_eventhubs import LocalHub


def matching(hub: LocalHub, pattern: str) -> EventHubsConf:
    return EventHubsConf(
        connection_string=hub.connection_string(),
        name_pattern=pattern,
        name_pattern_interval="100ms",
        starting_position="earliest",
    )


def test_a_stream_reads_the_hubs_of_a_pattern_and_those_that_appear(
    spark: SparkSession, local_hub: LocalHub, tmp_path: Path
) -> None:
    prefix = f"pattern-{uuid.uuid4().hex[:8]}"
    first, other = (local_hub.create_hub(name, partitions=2) for name in (f"{prefix}-1", f"other-{prefix}"))
    target = Target(tmp_path)
    spread(first, range(20))
    spread(other, range(900, 910))

    with running(spark, matching(local_hub, f"{prefix}-.*"), target) as query:
        query.processAllAvailable()
        second = local_hub.create_hub(f"{prefix}-2", partitions=1)
        spread(second, range(20, 50))
        spread(first, range(50, 60))
        wait_until("events of the new hub", lambda: target.numbers(spark) == once(range(60)))
        assert query.isActive

    assert target.numbers(spark) == once(range(60))
    conf = matching(local_hub, f"{prefix}-.*").replace(include_event_hub=True)
    rows = read(spark, conf).groupBy("eventHub").count().collect()
    assert {row["eventHub"]: row["count"] for row in rows} == {first.name: 30, second.name: 30}


def test_a_pattern_without_a_match_is_named(spark: SparkSession, local_hub: LocalHub) -> None:
    with pytest.raises(HubNotFoundError, match="No event hub of 'localhost' matches"):
        read(spark, matching(local_hub, "no-such-hub-.*")).count()
