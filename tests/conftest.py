"""These tests use the project as its users do: the wheel in a pip-installed PySpark, and a real local hub."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import SparkSession

import spark_eventhubs
from spark_eventhubs import configure

if TYPE_CHECKING:
    from collections.abc import Iterator


def pytest_sessionstart() -> None:
    """Refuses to test a clone's sources where the wheel is meant."""
    if "site-packages" not in Path(spark_eventhubs.__file__).parts:
        pytest.exit(f"{spark_eventhubs.__file__} is not the wheel; see python/README.md, Development", returncode=2)


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """One session for all tests: starting it takes longer than most of them."""
    session = (
        configure(SparkSession.builder.master("local[2]").appName("end to end"))
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", 2)
        .config("spark.sql.streaming.stopTimeout", "30s")
        .config("spark.ui.enabled", "false")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
