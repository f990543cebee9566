"""The wheel in a new environment, without any other package."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import venv
import zipfile
from typing import TYPE_CHECKING

import pytest

from pages import ROOT
from spark_eventhubs import __version__

if TYPE_CHECKING:
    from pathlib import Path

# pip, a hub and Spark start, perhaps on two slow cores, and pip uses a package index.
pytestmark = pytest.mark.timeout(600)

HUB_PROGRAM = """
from spark_eventhubs import LocalHub
with LocalHub(hubs={"telemetry": 4}) as hub:
    print(hub.connection_string("telemetry"))
"""


@pytest.fixture(scope="module")
def wheel() -> Path:
    return ROOT / f"python/dist/spark_eventhubs-{__version__}-py3-none-any.whl"


def test_the_wheel_has_the_version_of_the_build(wheel: Path) -> None:
    assert f'version := "{__version__}"' in (ROOT / "version.sbt").read_text(encoding="utf-8")
    assert wheel.is_file()


def test_the_wheel_contains_the_jars_their_bills_of_materials_and_the_type_marker(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        jars = {name: archive.getinfo(name).file_size for name in names if name.endswith(".jar")}
        boms = [name for name in names if ".dist-info/sboms/" in name]
        texts = [json.loads(archive.read(name)) for name in boms]

    assert "spark_eventhubs/py.typed" in names
    assert set(jars) == {
        "spark_eventhubs/jars/spark-eventhubs_2.12.jar",
        "spark_eventhubs/jars/spark-eventhubs_2.13.jar",
        "spark_eventhubs/jars/spark-eventhubs-localhub.jar",
    }
    assert all(size > 1_000_000 for size in jars.values())
    assert {name.rsplit("/", 1)[1].removesuffix(".cdx.json") for name in boms} == {
        name.rsplit("/", 1)[1].removesuffix(".jar") for name in jars
    }
    assert all(text["components"] for text in texts)


def test_the_wheel_is_smaller_than_50_mb(wheel: Path) -> None:
    assert wheel.stat().st_size < 50_000_000


def test_the_sdist_builds_and_installs(tmp_path: Path) -> None:
    build = [
        sys.executable,
        "-m",
        "build",
        "--sdist",
        "--no-isolation",
        "--outdir",
        str(tmp_path),
        str(ROOT / "python"),
    ]
    subprocess.run(build, check=True, capture_output=True, timeout=300)
    (sdist,) = tmp_path.glob("*.tar.gz")
    assert sdist.name == f"spark_eventhubs-{__version__}.tar.gz"
    folder = tmp_path / "installed"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*install, "--target", folder, sdist], check=True, timeout=300)

    assert len(list(folder.glob("spark_eventhubs/jars/*.jar"))) == 3
    assert os.access(folder / "spark_eventhubs/java_home/bin/java", os.X_OK)


def test_the_jar_for_spark_35_runs_on_java_11(wheel: Path) -> None:
    """Some platforms run Spark 3.5 on Java 11 only, which needs class files of version 55."""
    with zipfile.ZipFile(wheel) as archive:
        jar = zipfile.ZipFile(io.BytesIO(archive.read("spark_eventhubs/jars/spark-eventhubs_2.12.jar")))
    versions = {name: jar.read(name)[7] for name in jar.namelist() if name.endswith(".class")}

    assert "org/apache/spark/sql/eventhubs/EventHubsSource.class" in versions
    assert [name for name, version in versions.items() if version > 55] == []


@pytest.fixture(scope="module")
def bare(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a new environment with the wheel."""
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder, with_pip=True)
    python = folder / "bin/python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", wheel], check=True, timeout=300)
    return python


def test_a_bare_install_runs_the_local_hub(bare: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    done = subprocess.run(
        [bare, "-c", HUB_PROGRAM], check=True, capture_output=True, text=True, timeout=120, env=environment, cwd="/"
    )

    assert "EntityPath=telemetry" in done.stdout


def test_the_console_script_prints_its_version(bare: Path) -> None:
    script = bare.parent / "spark-eventhubs"

    done = subprocess.run([script, "--version"], check=True, capture_output=True, text=True, timeout=60)

    assert __version__ in done.stdout


def test_the_error_for_a_session_without_the_connector_says_what_to_do() -> None:
    program = """
from pyspark.sql import SparkSession
from spark_eventhubs import EventHubsConf, read
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
conf = EventHubsConf.from_connection_string(
    "Endpoint=sb://localhost;SharedAccessKeyName=n;SharedAccessKey=s3cr3t;EntityPath=telemetry")
try:
    read(spark, conf)
except RuntimeError as missing:
    print(missing)
"""
    # `configure_spark_with_eventhubs` has put the jar into the environment of this process.
    bare = {key: value for key, value in os.environ.items() if key != "PYSPARK_SUBMIT_ARGS"}
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True, timeout=120, env=bare
    )

    assert "does not have the Event Hubs connector" in done.stdout
    assert "configure_spark_with_eventhubs(SparkSession.builder)" in done.stdout
