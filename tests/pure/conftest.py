"""The format `eventhubs_python` in the session of the other tests, which has the jar too: both read the same hubs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spark_eventhubs.pure import register

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def both(spark: SparkSession) -> SparkSession:
    """A session that has both engines."""
    register(spark)
    return spark
