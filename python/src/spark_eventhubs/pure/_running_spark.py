"""The PySpark that runs this source.

On serverless Databricks it is the package `_engine_pyspark`, and `pyspark` is an older client: both have the classes of
types and of streams, and neither takes those of the other for its own.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql.types import StructType

if TYPE_CHECKING:
    from types import ModuleType

_ENGINE: Final = "_engine_pyspark"


def _streaming() -> ModuleType | None:
    """Where limits of streams are defined. None before Spark 4.2."""
    for package in (_ENGINE, "pyspark"):
        # Only the workers of a platform that has it have loaded it.
        if package in sys.modules:
            try:
                return import_module(f"{package}.sql.streaming.datasource")
            except ImportError:
                pass
    return None


_STREAMING: Final = _streaming()
PLANS_FROM_START: Final = hasattr(_STREAMING, "SupportsTriggerAvailableNow")
"""Whether Spark tells a stream what was read, and asks for all that is available in several batches."""
AVAILABLE_NOW: Final[type] = getattr(_STREAMING, "SupportsTriggerAvailableNow", object)
"""The class that says so. Without it a trigger of available events would end after one batch."""


def read_limit(most: int | None) -> Any:  # noqa: ANN401 - of Spark
    """At most so many events in a batch."""
    streaming: Any = _STREAMING
    return streaming.ReadAllAvailable() if most is None else streaming.ReadMaxRows(most)


def own_schema(schema: Any) -> StructType:  # noqa: ANN401 - of another PySpark
    """A schema in the classes of `pyspark`, which this package compares with."""
    return schema if isinstance(schema, StructType) else StructType.fromJson(schema.jsonValue())


def drop_empty_profiles() -> None:
    """Keeps the process from sending an empty profile.

    Since Spark 4.2 each process that plans for a source in Python sends one. `spark-pipelines` does not expect it, and
    ends with an error after all flows have completed.
    """
    try:
        from pyspark.accumulators import SpecialAccumulatorIds, _accumulatorRegistry  # noqa: PLC0415 - Spark's own
    except ImportError:
        return
    for name in ("SQL_UDF_PROFIER", "SQL_UDF_PROFIER_V2"):
        _accumulatorRegistry.pop(getattr(SpecialAccumulatorIds, name, 0), None)
