"""End-to-end tests: the wheel in a pip-installed PySpark, with a real local hub."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import SparkSession

import spark_eventhubs
from hub_service import adapted, started_hub
from quick_jvm import QUICK_JVM, QUICK_SPARK
from spark_eventhubs import configure_spark_with_eventhubs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spark_eventhubs import LocalEventHub, LocalHub


# spark-submit reads both variables, also for the programs that tests start.
os.environ.setdefault("SPARK_SUBMIT_OPTS", QUICK_SPARK)
os.environ.setdefault("SPARK_LAUNCHER_OPTS", QUICK_JVM)

# Workers need the same packages.
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)


def pytest_sessionstart() -> None:
    """Stops if the tests would use the sources of a clone instead of the wheel."""
    if "site-packages" not in Path(spark_eventhubs.__file__).parts:
        pytest.exit(
            f"{spark_eventhubs.__file__} is not the installed wheel; see python/README.md, Development", returncode=2
        )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Only on the strict profile."""
    adapted(items, float(config.getini("timeout")))


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """One session for all tests, because its start takes longer than most tests.

    With SPARK_REMOTE it is a session on that Spark Connect server.
    """
    if "SPARK_REMOTE" in os.environ:
        remote = SparkSession.builder.getOrCreate()
        yield remote
        remote.stop()
        return
    session = (
        configure_spark_with_eventhubs(SparkSession.builder.master("local[2]").appName("end to end"))
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", 2)
        .config("spark.sql.streaming.stopTimeout", "30s")
        .config("spark.ui.enabled", "false")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def local_hub() -> Iterator[LocalHub]:
    """The hub that all tests share."""
    with pytest.MonkeyPatch.context() as only_here:
        # A JVM says on standard error that it has read the variable. The hub keeps that for itself.
        only_here.setenv("JAVA_TOOL_OPTIONS", QUICK_JVM)
        hub = started_hub()
    with hub:
        yield hub


@pytest.fixture
def another_hub(local_hub: LocalHub, event_hub: LocalEventHub) -> Iterator[Callable[..., LocalEventHub]]:
    """Creates further hubs for a test; `partitions` is 2 unless given. They are deleted after the test."""
    created: list[LocalEventHub] = []

    def create(*, partitions: int = 2) -> LocalEventHub:
        hub = local_hub.create_hub(f"{event_hub.name}-{len(created) + 2}", partitions=partitions)
        created.append(hub)
        return hub

    yield create
    for hub in created:
        local_hub.delete_hub(hub.name)
