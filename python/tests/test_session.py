from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

import pyspark
import pytest
from pyspark.sql import SparkSession

from spark_eventhubs import configure, session

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


def test_the_packaged_jar_is_put_on_the_session(connector: str) -> None:
    configure(SparkSession.builder)

    assert arguments() == ["--jars", connector, "pyspark-shell"]


@pytest.mark.parametrize(
    ("spark", "jar"), [("3.5.8", "spark-eventhubs_2.12.jar"), ("4.2.0", "spark-eventhubs_2.13.jar")]
)
def test_each_spark_gets_the_jar_of_its_scala(spark: str, jar: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pyspark, "__version__", spark)
    monkeypatch.setattr(session, "packaged_jar", lambda name: name)
    assert str(session.connector_jar()) == jar


def test_a_pyspark_that_is_too_old_is_refused_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pyspark, "__version__", "3.4.4")
    with pytest.raises(RuntimeError, match=r"this is PySpark 3\.4\.4; spark-eventhubs is for 3\.5 and 4"):
        configure(SparkSession.builder)


def test_jars_of_the_user_stay(connector: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given = "--master local[2] --jars=a.jar,b.jar --conf spark.jars=c.jar --name 'two words' pyspark-shell"
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", given)
    builder = configure(SparkSession.builder.config("spark.jars", "b.jar, d.jar"))

    others = ["--master", "local[2]", "--conf", "spark.jars=c.jar", "--name", "two words", "pyspark-shell"]
    assert arguments() == ["--jars", f"a.jar,b.jar,c.jar,d.jar,{connector}", *others]
    assert "spark.jars" not in builder._options  # noqa: SLF001 - it would overwrite what packages bring


@pytest.mark.parametrize(
    "line", ["spark.jars a.jar,b.jar", "  spark.jars=a.jar,\\\n  b.jar  ", "spark.jars : a.jar,b.jar"]
)
@pytest.mark.parametrize("file", ["spark-defaults.conf", "other.conf"])
def test_jars_of_sparks_file_stay(
    connector: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, file: str
) -> None:
    (tmp_path / "spark-defaults.conf").write_text("spark.jars x.jar\n")
    (tmp_path / file).write_text(f"# spark.jars none.jar\nspark.jars.packages a:b:1\n{line}\nspark.jarsX y.jar\n")
    if file == "other.conf":
        monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", f"--properties-file {tmp_path / file} pyspark-shell")
    configure(SparkSession.builder)

    assert arguments()[:2] == ["--jars", f"a.jar,b.jar,{connector}"]


@pytest.mark.usefixtures("connector")
def test_a_job_of_spark_submit_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "12345")
    builder = configure(SparkSession.builder.config("spark.jars", "a.jar"))

    assert builder._options["spark.jars"] == "a.jar"  # noqa: SLF001 - Spark shows it nowhere else
    assert arguments() == ["pyspark-shell"]


def test_the_jar_that_a_parent_process_left_is_replaced(connector: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--jars /elsewhere/spark-eventhubs_2.12.jar,a.jar pyspark-shell")
    configure(SparkSession.builder)

    assert arguments() == ["--jars", f"a.jar,{connector}", "pyspark-shell"]


@pytest.mark.usefixtures("connector")
def test_a_session_on_a_connect_server_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    configure(SparkSession.Builder().remote("sc://localhost:15002"))
    assert arguments() == ["pyspark-shell"]

    monkeypatch.setenv("SPARK_REMOTE", "sc://localhost:15002")
    configure(SparkSession.Builder())
    assert arguments() == ["pyspark-shell"]


def test_configuring_twice_adds_it_once(connector: str) -> None:
    configure(configure(SparkSession.builder))

    assert arguments() == ["--jars", connector, "pyspark-shell"]


def test_an_unknown_packaged_jar_says_how_to_get_it() -> None:
    with pytest.raises(
        FileNotFoundError, match=r"none\.jar is not there; install the spark-eventhubs wheel.*make build"
    ):
        session.packaged_jar("none.jar")
