"""The wheels: what they contain, and both in a new environment without any other package."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import venv
import zipfile
from email.parser import HeaderParser
from typing import TYPE_CHECKING

import pytest

from pages import ROOT
from spark_eventhubs import __version__

if TYPE_CHECKING:
    from email.message import Message
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
    """With the jars."""
    return ROOT / f"python/dist/spark_eventhubs-{__version__}-py3-none-any.whl"


@pytest.fixture(scope="module")
def core() -> Path:
    """The package without the jars."""
    return ROOT / f"python/dist/spark_eventhubs_core-{__version__}-py3-none-any.whl"


def test_the_wheels_have_the_version_of_the_build(wheel: Path, core: Path) -> None:
    assert f'version := "{__version__}"' in (ROOT / "version.sbt").read_text(encoding="utf-8")
    assert wheel.is_file()
    assert core.is_file()


def test_one_wheel_contains_the_jars_with_their_bills_and_the_other_one_the_package(wheel: Path, core: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        sizes = {name: archive.getinfo(name).file_size for name in archive.namelist()}
        boms = [name for name in sizes if ".dist-info/sboms/" in name]
        texts = [json.loads(archive.read(name)) for name in boms]
    with zipfile.ZipFile(core) as archive:
        package = set(archive.namelist())

    jars = {name: size for name, size in sizes.items() if name.endswith(".jar")}
    assert set(jars) == {
        "spark_eventhubs_jars/spark-eventhubs_2.12.jar",
        "spark_eventhubs_jars/spark-eventhubs_2.13.jar",
        "spark_eventhubs_jars/spark-eventhubs-localhub.jar",
    }
    assert all(size > 1_000_000 for size in jars.values())
    assert {name.rsplit("/", 1)[1].removesuffix(".cdx.json") for name in boms} == {
        name.rsplit("/", 1)[1].removesuffix(".jar") for name in jars
    }
    assert all(text["components"] for text in texts)
    assert "spark_eventhubs/py.typed" in package
    assert [name for name in package if name.endswith(".jar")] == []


def test_the_wheels_are_small(wheel: Path, core: Path) -> None:
    assert wheel.stat().st_size < 50_000_000
    assert core.stat().st_size < 500_000


def test_the_wheel_with_the_jars_has_the_extras_of_the_package(wheel: Path, core: Path) -> None:
    jars, package = (metadata_of(each) for each in (wheel, core))

    extras = package.get_all("Provides-Extra")
    assert jars.get_all("Provides-Extra") == extras
    of_package = [f"spark-eventhubs-core[{extra}]; extra == '{extra}'" for extra in extras or []]
    assert jars.get_all("Requires-Dist") == [f"spark-eventhubs-core=={__version__}", *of_package]


def metadata_of(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return HeaderParser().parsestr(archive.read(name).decode())


def test_the_sdists_build_and_install(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", str(tmp_path)]
    folder = tmp_path / "installed"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    for source, name in (("python", "spark_eventhubs_core"), ("python/jars", "spark_eventhubs")):
        subprocess.run([*build, str(ROOT / source)], check=True, capture_output=True, timeout=300)
        sdist = tmp_path / f"{name}-{__version__}.tar.gz"
        subprocess.run([*install, "--target", folder, sdist], check=True, timeout=300)

    assert len(list(folder.glob("spark_eventhubs_jars/*.jar"))) == 3
    assert os.access(folder / "spark_eventhubs/java_home/bin/java", os.X_OK)


def test_the_jar_for_spark_35_runs_on_java_11(wheel: Path) -> None:
    """Some platforms run Spark 3.5 on Java 11 only, which needs class files of version 55."""
    with zipfile.ZipFile(wheel) as archive:
        jar = zipfile.ZipFile(io.BytesIO(archive.read("spark_eventhubs_jars/spark-eventhubs_2.12.jar")))
    versions = {name: jar.read(name)[7] for name in jar.namelist() if name.endswith(".class")}

    assert "org/apache/spark/sql/eventhubs/EventHubsSource.class" in versions
    assert [name for name, version in versions.items() if version > 55] == []


@pytest.fixture(scope="module")
def bare(wheel: Path, core: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a new environment with the wheels."""
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder, with_pip=True)
    python = folder / "bin/python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", core, wheel], check=True, timeout=300)
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
