"""The pytest fixtures of the package, in a test of a pipeline as users write it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql.functions import col, from_json

from spark_eventhubs import EventHubsConf, EventPosition, pytest_plugin, read_stream, write_stream
from streams import run_available

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from spark_eventhubs import LocalEventHub
    from spark_eventhubs.pytest_plugin import CreateEventHub


def run_pipeline(spark: SparkSession, source: str, sink: str, *, checkpoint: Path) -> None:
    """Copies the events with a high temperature to another hub."""
    conf = EventHubsConf.from_connection_string(source).replace(starting_position=EventPosition.earliest())
    reading = from_json(col("body").cast("string"), "device string, temperature double")
    alerts = read_stream(spark, conf).where(reading["temperature"] > 80).select("body")
    writer = write_stream(alerts, EventHubsConf.from_connection_string(sink), checkpoint_location=checkpoint)
    run_available(writer)


def test_the_example_in_the_documentation_of_the_fixtures_passes(
    spark: SparkSession, event_hub: LocalEventHub, create_event_hub: CreateEventHub, tmp_path: Path
) -> None:
    documentation = pytest_plugin.__doc__ or ""
    example = documentation.split("```python\n")[1].split("```")[0]
    names: dict[str, Any] = {"run_pipeline": run_pipeline}
    exec(example, names)  # noqa: S102 - our own documentation

    names["test_alerts_contain_only_high_temperatures"](spark, event_hub, create_event_hub, tmp_path)

    assert len(event_hub.events()) == 2
