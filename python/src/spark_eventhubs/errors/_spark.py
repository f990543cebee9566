"""PySpark's base classes, or plain exceptions where PySpark is not installed or too old."""

from __future__ import annotations

try:
    from pyspark.errors import SparkRuntimeException, StreamingQueryException
except ImportError:

    class SparkRuntimeException(Exception):  # type: ignore[no-redef]  # noqa: N818 - Spark's name
        """Without PySpark."""

        def __init__(self, message: str) -> None:
            super().__init__(message)

    class StreamingQueryException(Exception):  # type: ignore[no-redef]  # noqa: N818 - Spark's name
        """Without PySpark."""


__all__ = ["SparkRuntimeException", "StreamingQueryException"]
