"""From hub to hub in Real-Time Mode, which Spark has since 4.1."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pyspark
import pytest

from confs import conf_of, from_earliest
from events import numbers_in_hub, once, send
from hub_service import PATIENCE
from spark_eventhubs import read_stream, write_stream

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import SparkSession

    from spark_eventhubs import LocalEventHub

pytestmark = pytest.mark.skipif(
    tuple(int(part) for part in pyspark.__version__.split(".")[:2]) < (4, 1), reason="Real-Time Mode needs Spark 4.1"
)

EVENTS = 8
SECONDS = 60


def test_each_event_of_a_trickle_arrives_while_the_batch_is_open(
    spark: SparkSession, another_hub: Callable[..., LocalEventHub], tmp_path: Path
) -> None:
    source, target = another_hub(partitions=2), another_hub(partitions=2)
    spark.conf.set("spark.sql.streaming.realTimeMode.allowlistCheck", "false")
    rows = read_stream(spark, from_earliest(source)).select("body")
    writer = write_stream(rows, conf_of(target), checkpoint_location=tmp_path).outputMode("update")
    # PySpark declares the keyword for Spark Connect only.
    query = writer.trigger(realTime="5 minutes").start()  # type: ignore[call-overload]
    try:
        for number in range(EVENTS):
            send(source, [number], partition=number % 2)
            deadline = time.monotonic() + SECONDS * PATIENCE
            while numbers_in_hub(target) != once(range(number + 1)):
                assert query.exception() is None
                assert time.monotonic() < deadline, f"event {number} is not in the target"
                time.sleep(0.1)
            assert query.lastProgress is None, "the batch is still open"
    finally:
        query.stop()
        spark.conf.unset("spark.sql.streaming.realTimeMode.allowlistCheck")
