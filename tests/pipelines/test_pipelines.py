"""The pipeline of the page on declarative pipelines, with `spark-pipelines run`, and flows that fail and run again.

On the Spark of `make test` one test runs, and TESTS=all runs the others. `make compat` runs all of them.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pyspark
import pytest

from events import numbers_in_files, numbers_in_hub, once, spread
from pages import DOCS, blocks
from processes import SPARK_ENVIRONMENT, SPARK_HOME, output_of
from pure_versions import HAS_STREAMS
from spark_eventhubs._session import connector_jar

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import SparkSession

    from spark_eventhubs import LocalEventHub

HAS_PIPELINES = (SPARK_HOME / "bin" / "spark-pipelines").is_file()
IS_SHORT = pyspark.__version__.startswith("4.2.") and os.environ.get("TESTS") != "all"
LONG = pytest.mark.skipif(IS_SHORT, reason="long; TESTS=all runs it")
ONLY_SHORT = pytest.mark.skipif(not IS_SHORT, reason="another test has it, and more")
NEEDS_STREAMS = pytest.mark.skipif(not HAS_STREAMS, reason="streams of this engine need Spark 4.2")
pytestmark = [
    pytest.mark.timeout(1200),
    pytest.mark.skipif(not HAS_PIPELINES, reason="pipelines need Spark 4.1"),
    pytest.mark.event_hub(partitions=2),
]

# What the engine in Python has on each Spark 4: a batch from a hub, and a sink.
WITHOUT_STREAMS = """
from spark_eventhubs import read
from spark_eventhubs.pure import register

register(spark)
dp.create_sink("alerts", "eventhubs_python", alerts.to_options())


@dp.materialized_view
def readings():
    return read(spark, telemetry, engine="python").selectExpr("cast(body AS string) AS body")


@dp.append_flow(target="alerts", name="hot_readings")
def hot_readings():
    return spark.readStream.schema("body STRING").text(os.environ["LINES"])
"""


@dataclass
class Pipeline:
    """A project in a folder, and the hubs that it reads and writes."""

    folder: Path
    telemetry: LocalEventHub
    alerts: LocalEventHub
    arguments: list[str]
    environment: dict[str, str] = field(default_factory=dict)

    def run(self) -> str:
        """Runs it to its successful end. Returns what it printed."""
        hubs = {"TELEMETRY": self.telemetry.connection_string, "ALERTS": self.alerts.connection_string}
        # A run lasts for its session, and the tables for longer.
        settings = ["spark.ui.enabled=false", "spark.sql.catalogImplementation=hive"]
        confs = [part for setting in settings for part in ("--conf", setting)]
        command = [str(SPARK_HOME / "bin/spark-pipelines"), "--remote", "local[2]", *self.arguments, *confs, "run"]
        # With SPARK_TESTING the server of a run has a free port, and not 15002.
        local = {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_TESTING": "1"}
        env = {**SPARK_ENVIRONMENT, **local, **hubs, **self.environment}
        return output_of(command, cwd=self.folder, env=env, seconds=900)

    def table(self, spark: SparkSession) -> Counter[int]:
        """The numbers in the table."""
        return numbers_in_files(spark, self.folder / "spark-warehouse/readings")


@pytest.fixture
def pipeline(
    event_hub: LocalEventHub, another_hub: Callable[..., LocalEventHub], tmp_path: Path
) -> Callable[[str], Pipeline]:
    def create(engine: str, definitions: str | None = None) -> Pipeline:
        page = blocks(DOCS / "guides" / "pipelines.md")
        (specification,) = (block.text for block in page if block.language == "yaml")
        (example,) = (block.text for block in page if block.mark == "tested: pipelines" and block.language == "python")
        if engine == "python":
            (without_jar,) = (block.text for block in page if block.mark == "tested: pipelines_python")
            start, end = example.index("dp.create_sink"), example.index("@dp.append_flow")
            example = example[:start] + (definitions or f"{without_jar}\n\n{example[end:]}")
        project = tmp_path / "project"
        (project / "transformations").mkdir(parents=True)
        storage = specification.replace("file:///tmp/alerts", f"file://{tmp_path}/storage")
        (project / "spark-pipeline.yml").write_text(storage, encoding="utf-8")
        (project / "transformations" / "alerts.py").write_text(example, encoding="utf-8")
        jars = ["--jars", str(connector_jar())] if engine == "jar" else []
        return Pipeline(project, event_hub, another_hub(), jars)

    return create


@ONLY_SHORT
def test_the_pipeline_of_the_page_fills_a_table_and_a_hub(
    pipeline: Callable[[str], Pipeline], spark: SparkSession
) -> None:
    alerts = pipeline("python")
    spread(alerts.telemetry, range(100))

    alerts.run()

    assert alerts.table(spark) == once(range(100))
    assert numbers_in_hub(alerts.alerts) == once(range(90, 100))


@LONG
@pytest.mark.parametrize("engine", ["jar", pytest.param("python", marks=NEEDS_STREAMS)])
def test_flows_that_failed_run_again_and_the_next_run_continues(
    engine: str, pipeline: Callable[[str], Pipeline], spark: SparkSession
) -> None:
    alerts = pipeline(engine)
    spread(alerts.telemetry, range(200))
    refused = "amqp:unauthorized-access"

    # One of two tasks cannot read, and later the answer to a send is lost: the hub has the events.
    with (
        alerts.telemetry.faults.inject("detach", on="attach", partition=0, count=1, condition=refused),
        alerts.alerts.faults.inject("detach", on="stored", count=1, condition=refused),
    ):
        output = alerts.run()
        assert alerts.telemetry.faults.active() + alerts.alerts.faults.active() == []

    assert output.count("has FAILED") == 2, output
    assert alerts.table(spark) == once(range(200))
    written = numbers_in_hub(alerts.alerts)
    assert set(written) == set(range(90, 200))
    assert max(written.values()) == 2

    spread(alerts.telemetry, range(200, 220))
    alerts.run()

    assert alerts.table(spark) == once(range(220))
    assert numbers_in_hub(alerts.alerts) == written + once(range(200, 220))


@LONG
def test_the_engine_in_python_reads_a_batch_and_writes_a_stream_in_a_pipeline(
    pipeline: Callable[..., Pipeline], spark: SparkSession, tmp_path: Path
) -> None:
    alerts = pipeline("python", WITHOUT_STREAMS)
    lines = tmp_path / "lines"
    lines.mkdir()
    (lines / "numbers.txt").write_text("\n".join(map(str, range(30))), encoding="utf-8")
    alerts.environment["LINES"] = str(lines)
    spread(alerts.telemetry, range(100))

    alerts.run()

    assert alerts.table(spark) == once(range(100))
    assert numbers_in_hub(alerts.alerts) == once(range(30))
