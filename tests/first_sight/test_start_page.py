"""The three lines on the start page of the documentation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pages import DOCS, blocks
from spark_eventhubs import EventHubsConf, EventPosition, read_stream, write_stream

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import SparkSession

    from spark_eventhubs import LocalEventHub


def test_the_lines_of_the_start_page_copy_the_events_of_a_key(
    spark: SparkSession,
    event_hub: LocalEventHub,
    another_hub: Callable[..., LocalEventHub],
    tmp_path: Path,
) -> None:
    event_hub.send("warm", key="warm")
    event_hub.send("hot", key="hot")
    alerts = another_hub()
    (lines,) = (block.text for block in blocks(DOCS / "index.md") if block.mark == "tested: start_page")
    telemetry = EventHubsConf.from_connection_string(event_hub.connection_string)
    names = {
        "spark": spark,
        "telemetry": telemetry.replace(starting_position=EventPosition.earliest()),
        "alerts": EventHubsConf.from_connection_string(alerts.connection_string),
        "read_stream": read_stream,
        "write_stream": write_stream,
        "watch": lambda _: alerts.wait_for_events(1),
    }

    try:
        exec(lines.replace("checkpoints/hot", str(tmp_path / "hot")), names)  # noqa: S102 - our own page
    finally:
        for query in spark.streams.active:
            query.stop()

    assert [event.body for event in alerts.events()] == [b"hot"]
