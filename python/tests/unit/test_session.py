from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

import pyspark
import pytest
from pyspark.sql import SparkSession

from spark_eventhubs import _session as session
from spark_eventhubs import configure_spark_with_eventhubs
from spark_eventhubs.errors import SessionError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def connector(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    jar = tmp_path / "spark-eventhubs_2.13.jar"
    jar.touch()
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "pyspark-shell")
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    monkeypatch.setattr(session, "packaged_jar", lambda _name: jar)
    return str(jar)


def arguments() -> list[str]:
    return shlex.split(os.environ["PYSPARK_SUBMIT_ARGS"])


def test_configure_adds_the_packaged_jar(connector: str) -> None:
    configure_spark_with_eventhubs(SparkSession.builder)

    assert arguments() == ["--jars", connector, "pyspark-shell"]


@pytest.mark.parametrize(
    ("spark", "jar"), [("3.5.8", "spark-eventhubs_2.12.jar"), ("4.2.0", "spark-eventhubs_2.13.jar")]
)
def test_each_spark_version_has_the_jar_of_its_scala_version(
    spark: str, jar: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pyspark, "__version__", spark)
    monkeypatch.setattr(session, "packaged_jar", lambda name: name)
    assert str(session.connector_jar()) == jar


def test_the_error_for_an_old_pyspark_names_the_supported_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pyspark, "__version__", "3.4.4")
    with pytest.raises(RuntimeError, match=r"PySpark is 3\.4\.4; spark-eventhubs needs PySpark 3\.5 or 4"):
        configure_spark_with_eventhubs(SparkSession.builder)


def test_configure_keeps_the_jars_of_the_user(connector: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given = "--master local[2] --jars=a.jar,b.jar --conf spark.jars=c.jar --name 'two words' pyspark-shell"
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", given)
    builder = configure_spark_with_eventhubs(SparkSession.builder.config("spark.jars", "b.jar, d.jar"))

    others = ["--master", "local[2]", "--conf", "spark.jars=c.jar", "--name", "two words", "pyspark-shell"]
    assert arguments() == ["--jars", f"a.jar,b.jar,c.jar,d.jar,{connector}", *others]
    assert "spark.jars" not in builder._options  # noqa: SLF001 - it would overwrite the jars of packages


@pytest.mark.usefixtures("connector")
def test_configure_keeps_the_extensions_of_the_user_and_adds_its_own_once() -> None:
    builder = SparkSession.builder.config("spark.sql.extensions", "a.Delta, b.Iceberg")
    for _ in range(2):
        configure_spark_with_eventhubs(builder)

    expected = "a.Delta,b.Iceberg,org.apache.spark.sql.eventhubs.EventHubsExtensions"
    assert builder._options["spark.sql.extensions"] == expected  # noqa: SLF001 - as above


@pytest.mark.parametrize(
    "line", ["spark.jars a.jar,b.jar", "  spark.jars=a.jar,\\\n  b.jar  ", "spark.jars : a.jar,b.jar"]
)
@pytest.mark.parametrize("file", ["spark-defaults.conf", "other.conf"])
def test_configure_keeps_the_jars_of_the_properties_file(
    connector: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, file: str
) -> None:
    (tmp_path / "spark-defaults.conf").write_text("spark.jars x.jar\n")
    (tmp_path / file).write_text(f"# spark.jars none.jar\nspark.jars.packages a:b:1\n{line}\nspark.jarsX y.jar\n")
    if file == "other.conf":
        monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", f"--properties-file {tmp_path / file} pyspark-shell")
    configure_spark_with_eventhubs(SparkSession.builder)

    assert arguments()[:2] == ["--jars", f"a.jar,b.jar,{connector}"]


@pytest.mark.usefixtures("connector")
def test_configure_changes_nothing_in_a_job_of_spark_submit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "12345")
    builder = configure_spark_with_eventhubs(SparkSession.builder.config("spark.jars", "a.jar"))

    assert builder._options["spark.jars"] == "a.jar"  # noqa: SLF001 - Spark has no public API for it
    assert arguments() == ["pyspark-shell"]


def test_configure_replaces_the_connector_jar_of_a_parent_process(
    connector: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--jars /elsewhere/spark-eventhubs_2.12.jar,a.jar pyspark-shell")
    configure_spark_with_eventhubs(SparkSession.builder)

    assert arguments() == ["--jars", f"a.jar,{connector}", "pyspark-shell"]


@pytest.mark.usefixtures("connector")
def test_configure_changes_nothing_for_a_spark_connect_server(monkeypatch: pytest.MonkeyPatch) -> None:
    configure_spark_with_eventhubs(SparkSession.Builder().remote("sc://localhost:15002"))
    assert arguments() == ["pyspark-shell"]

    monkeypatch.setenv("SPARK_REMOTE", "sc://localhost:15002")
    configure_spark_with_eventhubs(SparkSession.Builder())
    assert arguments() == ["pyspark-shell"]


def test_configure_called_twice_adds_the_jar_once(connector: str) -> None:
    configure_spark_with_eventhubs(configure_spark_with_eventhubs(SparkSession.builder))

    assert arguments() == ["--jars", connector, "pyspark-shell"]


def test_the_error_for_a_missing_jar_says_how_to_get_it() -> None:
    expected = (
        r"none\.jar is not installed: .*, not in spark-eventhubs-core; run `pip install spark-eventhubs`.*make build"
    )
    with pytest.raises(SessionError, match=expected):
        session.packaged_jar("none.jar")
