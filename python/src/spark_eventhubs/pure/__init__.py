"""Reads and writes event hubs in Python alone, where no jar may go: the format `eventhubs_python` of Spark 4.

It needs `pip install 'spark-eventhubs[python]'` on the driver and every executor. docs/guides/without-a-jar.md says
what it lacks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from weakref import WeakSet

from spark_eventhubs._install import install

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["register"]

# Spark logs a warning when a source is registered again.
_sessions: Final[WeakSet[SparkSession]] = WeakSet()


def register(spark: SparkSession) -> None:
    """Makes the format `eventhubs_python` known to a session, classic or Spark Connect.

    Raises:
        SessionError: Spark is older than 4.0, or the Azure SDK or PyArrow is not installed.
    """
    from spark_eventhubs.errors import SessionError  # noqa: PLC0415 - needs PySpark

    if spark in _sessions:
        return
    try:
        from spark_eventhubs.pure._source import EventHubsPythonSource  # noqa: PLC0415 - optional dependencies
    except ImportError as missing:
        raise SessionError(
            f"the engine in Python needs PySpark 4, the Azure SDK and PyArrow ({missing}); on the driver and every "
            f"executor, install them with {install('python')} 'pyspark>=4,<5'"
        ) from None
    spark.dataSource.register(EventHubsPythonSource)
    _sessions.add(spark)
