"""Which jars a session has that `configure` was asked for, beside what Spark's own ways of giving jars bring."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pyspark
import pytest

from spark_eventhubs.session import connector_jar

# Each starts a Spark of its own, on what may be two slow cores.
pytestmark = pytest.mark.timeout(600)

SPARK_HOME = Path(pyspark.__path__[0])
POM = """<project><modelVersion>4.0.0</modelVersion>
<groupId>local.test</groupId><artifactId>packaged</artifactId><version>1</version></project>"""
# An executor fetches what listJars names; the driver has what require_connector finds.
JOB = """
from pyspark.sql import SparkSession
from spark_eventhubs import configure
from spark_eventhubs.session import require_connector

for _ in range({sessions}):
    builder = SparkSession.builder.config("spark.ui.enabled", "false")
    spark = configure({builder}).master("local[1]").getOrCreate()
    require_connector(spark)
    urls = spark.sparkContext._jsc.sc().listJars().mkString(" ").split()
    print("jars", *sorted(url.rsplit("/", 1)[1] for url in urls))
    spark.stop()
"""


def jar(folder: Path, name: str) -> Path:
    """A jar with nothing in it."""
    with zipfile.ZipFile(folder / name, "w") as empty:
        empty.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n\n")
    return folder / name


def jars_of(
    folder: Path, command: list[str], *, builder: str = "builder", sessions: int = 1, **environment: str
) -> list[str]:
    """The jars of each session of a process of its own."""
    job = folder / "job.py"
    job.write_text(JOB.format(builder=builder, sessions=sessions), encoding="utf-8")
    inherited = {key: value for key, value in os.environ.items() if key != "PYSPARK_SUBMIT_ARGS"}
    done = subprocess.run(
        [*command, str(job)],
        cwd=folder,
        env={**inherited, "SPARK_HOME": str(SPARK_HOME), "PYSPARK_PYTHON": sys.executable, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return [line.removeprefix("jars ") for line in done.stdout.splitlines() if line.startswith("jars ")]


@pytest.fixture
def defaults(tmp_path: Path) -> str:
    """A SPARK_CONF_DIR that gives every session a jar."""
    given = jar(tmp_path, "defaults.jar")
    (tmp_path / "spark-defaults.conf").write_text(f"# ours\nspark.jars   {given}\n", encoding="utf-8")
    return str(tmp_path)


def test_the_jars_of_spark_defaults_stay_in_each_session_of_a_process(tmp_path: Path, defaults: str) -> None:
    found = jars_of(tmp_path, [sys.executable], sessions=2, SPARK_CONF_DIR=defaults)

    assert found == [f"defaults.jar {connector_jar().name}"] * 2


def test_jars_of_the_builder_the_environment_and_a_package_stay(tmp_path: Path, defaults: str) -> None:
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
    # Without those of spark-defaults.conf, over which Spark takes any others.
    assert found == [f"arguments.jar builder.jar local.test_packaged-1.jar {ours}"]


def test_the_jars_of_spark_submit_stay(tmp_path: Path) -> None:
    submit = [str(SPARK_HOME / "bin" / "spark-submit"), "--jars", f"{jar(tmp_path, 'udfs.jar')},{connector_jar()}"]

    assert jars_of(tmp_path, submit) == [f"{connector_jar().name} udfs.jar"]
