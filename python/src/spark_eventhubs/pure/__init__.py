"""Reads and writes event hubs in Python alone, where no jar may go: the format `eventhubs_python` of Spark 4.

It needs `pip install 'spark-eventhubs-core[python]'` on the driver and every executor. docs/guides/without-a-jar.md
says what it lacks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from spark_eventhubs._formats import FORMAT, PYTHON_FORMAT
from spark_eventhubs._install import install

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.datasource import DataSource

__all__ = ["register"]

# Whether a session has a jar, by its id, where the session itself does not say which sources it knows.
_sessions: Final[dict[str, bool]] = {}


def register(spark: SparkSession) -> None:
    """Makes the format `eventhubs_python` known to a session, classic or Spark Connect.

    A session without a jar knows it as `eventhubs` too, so that code with that name runs there unchanged.

    Raises:
        SessionError: Spark is older than 4.0, or the Azure SDK or PyArrow is not installed.
    """
    from spark_eventhubs.errors import SessionError  # noqa: PLC0415 - needs PySpark

    # Spark logs a warning when a source is registered again, and `foreachBatch` has another object for it.
    if _id(spark) in _sessions or _knows(spark, PYTHON_FORMAT):
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
    is_named = _registered(spark, EventHubsSource)
    if _knows(spark, PYTHON_FORMAT) is None:
        _sessions[_id(spark)] = not is_named


def has_jar(spark: SparkSession) -> bool:
    """False for a session in which `register` gave the jar's name to this engine."""
    named = _knows(spark, FORMAT)
    return _sessions.get(_id(spark), True) if named is None else not named


def _knows(spark: SparkSession, name: str) -> bool | None:
    """Whether a session knows a source in Python by this name. None for one of Spark Connect, which does not say."""
    try:
        return bool(spark._jsparkSession.sessionState().dataSourceManager().dataSourceExists(name))  # noqa: SLF001
    except Exception:  # noqa: BLE001 - some platforms refuse such calls, with several classes
        return None


def _id(spark: SparkSession) -> str:
    return str(getattr(spark, "session_id", id(spark)))


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
