"""Reads and writes event hubs in Python alone, where no jar may go: the format `eventhubs_python` of Spark 4.

It needs `pip install 'spark-eventhubs-core[python]'` on the driver and every executor. docs/guides/without-a-jar.md
says what it lacks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from spark_eventhubs._install import install

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.datasource import DataSource

__all__ = ["register"]

# Whether the session has a jar. Spark logs a warning when a source is registered again.
_sessions: Final[WeakKeyDictionary[SparkSession, bool]] = WeakKeyDictionary()


def register(spark: SparkSession) -> None:
    """Makes the format `eventhubs_python` known to a session, classic or Spark Connect.

    A session without a jar knows it as `eventhubs` too, so that code with that name runs there unchanged.

    Raises:
        SessionError: Spark is older than 4.0, or the Azure SDK or PyArrow is not installed.
    """
    from spark_eventhubs.errors import SessionError  # noqa: PLC0415 - needs PySpark

    if spark in _sessions:
        return
    try:
        from spark_eventhubs.pure._source import (  # noqa: PLC0415 - optional dependencies
            EventHubsPythonSource,
            EventHubsSource,
        )
    except ImportError as missing:
        raise SessionError(
            f"the engine in Python needs PySpark 4, the Azure SDK and PyArrow ({missing}); on the driver and every "
            f"executor, install them with {install('python')} 'pyspark>=4,<5'"
        ) from None
    spark.dataSource.register(EventHubsPythonSource)
    _sessions[spark] = not _registered(spark, EventHubsSource)


def has_jar(spark: SparkSession) -> bool:
    """False for a session in which `register` gave the jar's name to this engine."""
    return spark not in _sessions or _sessions[spark]


def _registered(spark: SparkSession, source: type[DataSource]) -> bool:
    """Registers a source unless a jar has its name, which Spark refuses."""
    from pyspark.errors import AnalysisException  # noqa: PLC0415 - PySpark is optional

    try:
        spark.dataSource.register(source)
    except AnalysisException as refused:
        if refused.getCondition() != "DATA_SOURCE_ALREADY_EXISTS":
            raise
        return False
    return True
