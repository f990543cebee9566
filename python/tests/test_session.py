from __future__ import annotations

from typing import TYPE_CHECKING

import pyspark
import pytest
from pyspark.sql import SparkSession

from spark_eventhubs import configure, session

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def connector(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    jar = tmp_path / "connector.jar"
    jar.touch()
    monkeypatch.setattr(session, "packaged_jar", lambda _name: jar)
    return str(jar)


def jars(builder: SparkSession.Builder) -> str:
    return str(builder._options["spark.jars"])  # noqa: SLF001 - Spark shows it nowhere else


def test_the_packaged_jar_is_put_on_the_session(connector: str) -> None:
    assert jars(configure(SparkSession.builder)) == connector


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


def test_jars_of_the_user_stay(connector: str) -> None:
    assert jars(configure(SparkSession.builder.config("spark.jars", "a.jar,b.jar"))) == f"a.jar,b.jar,{connector}"


def test_a_session_on_a_connect_server_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    builder = SparkSession.Builder().remote("sc://localhost:15002")
    assert "spark.jars" not in configure(builder)._options  # noqa: SLF001 - Spark shows it nowhere else

    monkeypatch.setenv("SPARK_REMOTE", "sc://localhost:15002")
    assert "spark.jars" not in configure(SparkSession.Builder())._options  # noqa: SLF001 - as above


def test_configuring_twice_adds_it_once(connector: str) -> None:
    assert jars(configure(configure(SparkSession.builder))) == connector


def test_an_unknown_packaged_jar_says_how_to_get_it() -> None:
    with pytest.raises(FileNotFoundError, match=r"none\.jar is not there; install the spark-eventhubs wheel"):
        session.packaged_jar("none.jar")
