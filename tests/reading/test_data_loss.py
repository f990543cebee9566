from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pyspark.errors import StreamingQueryException

from confs import from_earliest
from events import once, spread
from streams import Target, read_available

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from spark_eventhubs import LocalEventHub, LocalHub


def recreate(local_hub: LocalHub, hub: LocalEventHub) -> None:
    local_hub.delete_hub(hub.name)
    local_hub.create_hub(hub.name, partitions=hub.partitions)


def test_a_recreated_hub_with_fewer_events_stops_the_query(
    spark: SparkSession, event_hub: LocalEventHub, local_hub: LocalHub, tmp_path: Path
) -> None:
    target = Target(tmp_path)
    spread(event_hub, range(400))
    read_available(spark, from_earliest(event_hub), target)
    recreate(local_hub, event_hub)
    spread(event_hub, range(1000, 1040))

    with pytest.raises(StreamingQueryException) as lost:
        read_available(spark, from_earliest(event_hub), target)

    assert "EVENTHUBS_DATA_LOSS" in str(lost.value)
    assert event_hub.name in str(lost.value)
    assert "failOnDataLoss" in str(lost.value)
    assert "SAS_KEY_VALUE" not in str(lost.value)
    assert target.numbers(spark) == once(range(400))


def test_without_fail_on_data_loss_the_query_reads_all_of_the_recreated_hub(
    spark: SparkSession, event_hub: LocalEventHub, local_hub: LocalHub, tmp_path: Path
) -> None:
    target = Target(tmp_path)
    conf = from_earliest(event_hub).replace(fail_on_data_loss=False)
    spread(event_hub, range(400))
    read_available(spark, conf, target)
    recreate(local_hub, event_hub)
    spread(event_hub, range(1000, 1040))

    read_available(spark, conf, target)
    spread(event_hub, range(1040, 1100))
    read_available(spark, conf, target)

    assert target.numbers(spark) == once([*range(400), *range(1000, 1100)])
