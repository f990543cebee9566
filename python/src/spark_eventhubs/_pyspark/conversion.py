"""Makes PySpark raise the classes of `spark_eventhubs.errors` for failures of the connector, and only for those."""

from __future__ import annotations

import re
from functools import wraps
from typing import TYPE_CHECKING, Any, Final

from spark_eventhubs._pyspark.after_import import after_import

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

    from spark_eventhubs.errors.kinds import EventHubsError

_OURS: Final = "org.apache.spark.eventhubs.EventHubsException"
_STREAM: Final = "org.apache.spark.sql.streaming.StreamingQueryException"
# A chain of causes is short. The bound is for one that never ends.
_LONGEST_CHAIN: Final = 30
_NOT_FOUND: Final = re.compile(r"DATA_SOURCE_NOT_FOUND\].*: (?i:eventhubs)\.")
# What a connector for another Scala version, or a second connector, lacks.
_LINKED: Final = re.compile(r"scala|eventhubs")
_OF_PYTHON: Final = re.compile(r"^\[?PYTHON_DATA_SOURCE_ERROR\b")
_MARK: Final = "_spark_eventhubs"


def install() -> None:
    """Adds the conversion to the modules of PySpark that are imported, and to the others once they are imported."""
    after_import("pyspark.errors.exceptions.captured", _convert_in(_from_java))
    after_import("pyspark.errors.exceptions.connect", _convert_in(_from_connect))
    # It has a name of its own for the function.
    after_import("pyspark.sql.connect.client.core", _convert_in(_from_connect))
    after_import("pyspark.sql.streaming.query", _exception_of_queries)
    after_import("pyspark.sql.connect.streaming.query", _exception_of_queries)


def _convert_in(convert: Callable[..., EventHubsError | None]) -> Callable[[ModuleType], None]:
    def patch(module: ModuleType) -> None:
        original = getattr(module, "convert_exception", None)
        if original is None or hasattr(original, _MARK):
            return

        @wraps(original)
        def convert_exception(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - PySpark's own, which vary by version
            converted = original(*args, **kwargs)
            return _unless_it_fails(lambda: convert(converted, *args, **kwargs)) or converted

        setattr(convert_exception, _MARK, True)
        module.convert_exception = convert_exception  # type: ignore[attr-defined]

    return patch


def _exception_of_queries(module: ModuleType) -> None:
    query = getattr(module, "StreamingQuery", None)
    original = getattr(query, "exception", None)
    # A PySpark of another version may lack it, and must still be imported.
    if query is None or original is None or hasattr(original, _MARK):
        return

    @wraps(original)
    def exception(self: Any) -> Any:  # noqa: ANN401 - as above
        converted = original(self)
        if converted is None:
            return None
        return _unless_it_fails(lambda: _from_query(converted)) or converted

    setattr(exception, _MARK, True)
    query.exception = exception


def _unless_it_fails(convert: Callable[[], EventHubsError | None]) -> EventHubsError | None:
    """A failure to convert an exception must not hide the exception."""
    try:
        return convert()
    except Exception:  # noqa: BLE001 - PySpark's internals and Java, in any version
        return None


def _from_java(converted: BaseException, thrown: Any, *_: Any) -> EventHubsError | None:  # noqa: ANN401 - of py4j
    if thrown is None:
        return None
    from spark_eventhubs.errors._conditions import error_of  # noqa: PLC0415 - needs PySpark

    chain = list(_chain(thrown))
    names = [java.getClass().getName() for java in chain]
    streaming = _STREAM in names
    for java, name in zip(chain, names, strict=True):
        if name == _OURS:
            parameters = dict(java.getMessageParameters())
            return error_of(
                java.getErrorClass(), java.getMessage(), parameters, streaming=streaming, spark_error=converted
            )
    return _quoted(str(thrown.getMessage()), converted, streaming=streaming) or _of_session(chain, names, converted)


def _of_session(chain: list[Any], names: list[str], converted: BaseException) -> EventHubsError | None:
    """Spark does not find the format `eventhubs`, or cannot link the classes of the jars that it has."""
    from pyspark import SparkContext  # noqa: PLC0415 - PySpark is optional

    from spark_eventhubs._pyspark.class_path import problem_of  # noqa: PLC0415 - only after a failure
    from spark_eventhubs._session import jar_name  # noqa: PLC0415 - it imports this package
    from spark_eventhubs.errors import SessionError  # noqa: PLC0415 - needs PySpark

    texts = [str(java.getMessage()) for java in chain]
    if not any(_is_link_failure(*of) or _NOT_FOUND.search(of[1]) for of in zip(names, texts, strict=True)):
        return None
    jvm: Any = SparkContext._jvm  # noqa: SLF001 - Spark has no public API for it
    problem = problem_of(jvm.java.lang.Thread.currentThread().getContextClassLoader(), jvm, jar_name())
    if problem is None:
        return None
    error = SessionError(problem)
    error.spark_error = converted
    return error


def _is_link_failure(name: str, text: str) -> bool:
    return (name.startswith("java.lang.") and name.endswith("Error") and bool(_LINKED.search(text))) or (
        name == "java.util.ServiceConfigurationError" and "eventhubs" in text
    )


def _chain(thrown: Any) -> Iterator[Any]:  # noqa: ANN401 - of py4j
    for _ in range(_LONGEST_CHAIN):
        if thrown is None:
            return
        yield thrown
        thrown = thrown.getCause()


def _from_connect(converted: BaseException, info: Any, *args: Any, **_: Any) -> EventHubsError | None:  # noqa: ANN401
    from spark_eventhubs.errors._conditions import error_of  # noqa: PLC0415 - needs PySpark

    details = next((arg for arg in args if hasattr(arg, "root_error_idx")), None)
    errors = list(details.errors) if details is not None else []
    streaming = _STREAM in info.metadata.get("classes", "") or any(
        _STREAM in error.error_type_hierarchy for error in errors
    )
    for error in errors:
        thrown = getattr(error, "spark_throwable", None)
        if _OURS in error.error_type_hierarchy and thrown is not None and thrown.error_class:
            parameters = dict(thrown.message_parameters)
            return error_of(thrown.error_class, error.message, parameters, streaming=streaming, spark_error=converted)
    return _quoted(str(converted), converted, streaming=streaming) or _of_server(converted)


def _of_server(converted: BaseException) -> EventHubsError | None:
    from spark_eventhubs._pyspark.class_path import ON_SERVER  # noqa: PLC0415 - only after a failure
    from spark_eventhubs.errors import SessionError  # noqa: PLC0415 - needs PySpark

    if not _NOT_FOUND.search(str(converted)):
        return None
    error = SessionError(ON_SERVER)
    error.spark_error = converted
    return error


def _from_query(converted: BaseException) -> EventHubsError | None:
    from spark_eventhubs.errors._conditions import error_of  # noqa: PLC0415 - needs PySpark
    from spark_eventhubs.errors.kinds import EventHubsError  # noqa: PLC0415 - as above

    # PySpark converted the cause already.
    cause = getattr(converted, "_cause", None)
    if isinstance(cause, EventHubsError) and cause.condition:
        facts = (cause.condition, cause.getMessage(), cause.parameters)
        return error_of(*facts, streaming=True, spark_error=converted)
    return _quoted(str(converted), converted, streaming=True)


def _quoted(text: str, converted: BaseException, *, streaming: bool) -> EventHubsError | None:
    from pyspark.errors import AnalysisException  # noqa: PLC0415 - PySpark is optional

    from spark_eventhubs.errors._conditions import error_of, quoted_in  # noqa: PLC0415 - needs PySpark

    # Spark's analysis quotes the user's SQL and names, and none of our errors. But a source in Python fails in it too.
    of_sql = isinstance(converted, AnalysisException) and not _OF_PYTHON.search(text)
    found = None if of_sql else quoted_in(text)
    if found is None:
        return None
    return error_of(*found, streaming=streaming, spark_error=converted)
