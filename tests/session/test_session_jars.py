"""The jars of a session after `configure_spark_with_eventhubs`, with jars that Spark adds from other places."""

from __future__ import annotations

import sys
import zipfile
from typing import TYPE_CHECKING

import pytest

from processes import SPARK_ENVIRONMENT, SPARK_HOME, output_of
from spark_eventhubs._session import connector_jar

if TYPE_CHECKING:
    from pathlib import Path

# Each test starts its own Spark, perhaps on two slow cores.
pytestmark = pytest.mark.timeout(600)

POM = """<project><modelVersion>4.0.0</modelVersion>
<groupId>local.test</groupId><artifactId>packaged</artifactId><version>1</version></project>"""
# listJars has the jars of executors, require_connector checks the driver.
JOB = """
from pyspark.sql import SparkSession
from spark_eventhubs import configure_spark_with_eventhubs
from spark_eventhubs._session import require_connector

for _ in range({sessions}):
    builder = SparkSession.builder.config("spark.ui.enabled", "false")
    spark = configure_spark_with_eventhubs({builder}).master("local[1]").getOrCreate()
    require_connector(spark)
    urls = spark.sparkContext._jsc.sc().listJars().mkString(" ").split()
    print("jars", *sorted(url.rsplit("/", 1)[1] for url in urls))
    spark.stop()
"""


def jar(folder: Path, name: str) -> Path:
    """An empty jar."""
    with zipfile.ZipFile(folder / name, "w") as empty:
        empty.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n\n")
    return folder / name


def jars_of(
    folder: Path, command: list[str], *, builder: str = "builder", sessions: int = 1, **environment: str
) -> list[str]:
    """The jars of each session of a new process."""
    job = folder / "job.py"
    job.write_text(JOB.format(builder=builder, sessions=sessions), encoding="utf-8")
    inherited = {key: value for key, value in SPARK_ENVIRONMENT.items() if key != "PYSPARK_SUBMIT_ARGS"}
    output = output_of([*command, str(job)], cwd=folder, env=inherited | environment)
    return [line.removeprefix("jars ") for line in output.splitlines() if line.startswith("jars ")]


@pytest.fixture
def defaults(tmp_path: Path) -> str:
    """A SPARK_CONF_DIR with a jar for every session."""
    added = jar(tmp_path, "defaults.jar")
    (tmp_path / "spark-defaults.conf").write_text(f"# ours\nspark.jars   {added}\n", encoding="utf-8")
    return str(tmp_path)


def test_each_session_of_a_process_keeps_the_jars_of_spark_defaults(tmp_path: Path, defaults: str) -> None:
    found = jars_of(tmp_path, [sys.executable], sessions=2, SPARK_CONF_DIR=defaults)

    assert found == [f"defaults.jar {connector_jar().name}"] * 2


def test_a_session_keeps_the_jars_of_the_builder_the_environment_and_a_package(tmp_path: Path, defaults: str) -> None:
    package = tmp_path / "maven" / "local" / "test" / "packaged" / "1"
    package.mkdir(parents=True)
    jar(package, "packaged-1.jar")
    (package / "packaged-1.pom").write_text(POM, encoding="utf-8")
    builder = (
        f"builder.config('spark.jars', '{jar(tmp_path, 'builder.jar')}')"
        f".config('spark.jars.packages', 'local.test:packaged:1').config('spark.jars.ivy', '{tmp_path / 'ivy'}')"
        f".config('spark.jars.repositories', '{(tmp_path / 'maven').as_uri()}')"
    )
    arguments = f"--jars {jar(tmp_path, 'arguments.jar')} --driver-memory 600m pyspark-shell"

    found = jars_of(tmp_path, [sys.executable], builder=builder, SPARK_CONF_DIR=defaults, PYSPARK_SUBMIT_ARGS=arguments)

    ours = connector_jar().name
    # Spark ignores the jars of spark-defaults.conf when there are others.
    assert found == [f"arguments.jar builder.jar local.test_packaged-1.jar {ours}"]


def test_a_session_keeps_the_jars_of_spark_submit(tmp_path: Path) -> None:
    submit = [str(SPARK_HOME / "bin" / "spark-submit"), "--jars", f"{jar(tmp_path, 'udfs.jar')},{connector_jar()}"]

    assert jars_of(tmp_path, submit) == [f"{connector_jar().name} udfs.jar"]
