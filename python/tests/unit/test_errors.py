from __future__ import annotations

import pickle
import re
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import AnalysisException, PySparkException, SparkRuntimeException, StreamingQueryException

import spark_eventhubs
from spark_eventhubs import errors
from spark_eventhubs._pyspark import conversion
from spark_eventhubs.errors import _conditions as conditions
from spark_eventhubs.errors import _streams
from spark_eventhubs.errors._conditions import catalogue, class_of, error_of, quoted_in

DOCS = Path(__file__).parents[3] / "docs" / "errors.md"
REFUSED = (
    "[EVENTHUBS_AUTHENTICATION] Event hub 'telemetry' in 'contoso', while asking: the service rejected the credential "
    "(no claim). Check the policy's name, key and claims (Listen to read, Send to write), or the identity's secret and "
    "its role on the event hub."
)


def test_every_condition_of_the_connector_has_a_class() -> None:
    assert [name for name in catalogue() if class_of(name) is errors.EventHubsError] == []


def test_every_condition_with_a_class_is_one_of_the_connector() -> None:
    known = set(catalogue()) | {name.split(".", maxsplit=1)[0] for name in catalogue()}
    assert set(conditions.CLASSES) <= known


def test_the_guide_has_every_class() -> None:
    guide = DOCS.read_text(encoding="utf-8")
    assert [name for name in errors.__all__ if f"`{name}`" not in guide] == []


def test_the_guide_names_the_class_of_every_condition() -> None:
    page = DOCS.read_text(encoding="utf-8")
    sections = {
        title.lower(): re.findall(r"^\| (?:<a id=[^>]+></a>)?`(EVENTHUBS_\w+)", text, re.MULTILINE)
        for title, text in parts(page)
    }
    named: dict[str, set[str]] = {}
    for kind, listed in re.findall(r"^\| `(\w+Error)` \| ([^|]+) \|", page.split("## In Scala")[0], re.MULTILINE):
        linked = [name for section in re.findall(r"\(#(\w+)\)", listed) for name in sections[section]]
        for condition in (*re.findall(r"`(EVENTHUBS_[\w.]+)`", listed), *linked):
            named.setdefault(condition, set()).add(kind)
    expected = {name: kind.__name__ for name, kind in conditions.CLASSES.items()}
    assert set(named) == set(expected)
    assert [name for name, kind in expected.items() if kind not in named[name]] == []


def parts(page: str) -> list[tuple[str, str]]:
    """Title and text of each section."""
    return re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)


def test_an_unknown_condition_of_a_later_connector_is_an_eventhubs_error() -> None:
    assert type(error_of("EVENTHUBS_OF_TOMORROW", "text")) is errors.EventHubsError


def test_a_missing_consumer_group_has_a_class_of_its_own() -> None:
    text = "The messaging entity 'contoso:eventhub:telemetry~32766|nobody' could not be found."
    assert class_of("EVENTHUBS_NOT_FOUND", text) is errors.ConsumerGroupNotFoundError
    assert class_of("EVENTHUBS_NOT_FOUND", "'sb://contoso/telemetry'") is errors.HubNotFoundError


@pytest.mark.parametrize(
    "text",
    [
        REFUSED,
        f"[STREAM_FAILED] Query [id = 1] terminated with exception: {REFUSED} SQLSTATE: XXKST\n=== Streaming Query ===",
        f"Lost: org.apache.spark.eventhubs.EventHubsException: {REFUSED}\n\tat a.B.c(B.scala:1)\nDriver stacktrace:",
        f"Traceback (most recent call last):\nspark_eventhubs.errors.AuthenticationError: {REFUSED}\n SQLSTATE: 39000",
    ],
    ids=["alone", "stream", "task", "foreachBatch"],
)
def test_the_message_is_found_in_a_text_of_spark_and_its_parameters_in_the_message(text: str) -> None:
    found = quoted_in(text)

    assert found == ("EVENTHUBS_AUTHENTICATION", REFUSED)
    error = error_of(*found)
    assert error.parameters == {"hub": "telemetry", "namespace": "contoso", "doing": "asking", "said": "no claim"}


def test_a_text_that_only_mentions_a_condition_is_not_an_error_of_the_connector() -> None:
    assert quoted_in("column `[EVENTHUBS_NOT_FOUND]` cannot be resolved") is None


def test_an_analysis_exception_that_quotes_the_users_sql_stays_one() -> None:
    text = "[UNRESOLVED_COLUMN] `error: [EVENTHUBS_NOT_FOUND] x` cannot be resolved"
    assert quoted_in(text) is not None

    quoted = conversion._quoted  # noqa: SLF001 - Spark's own path needs a session
    assert quoted(text, AnalysisException(text), streaming=False) is None
    assert isinstance(quoted(text, SparkRuntimeException(text), streaming=False), errors.HubNotFoundError)


def test_an_error_has_the_methods_of_pyspark_in_every_version() -> None:
    error = error_of("EVENTHUBS_AUTHENTICATION", REFUSED)

    assert isinstance(error, PySparkException)
    assert error.getCondition() == error.getErrorClass() == "EVENTHUBS_AUTHENTICATION"
    assert error.getMessageParameters()["said"] == "no claim"
    assert error.getSqlState() == "28000"
    assert error.getMessage() == str(error) == REFUSED
    assert error.getQueryContext() == []


@pytest.mark.parametrize("streaming", [False, True])
def test_a_pickled_error_keeps_its_class_and_facts(streaming: bool) -> None:  # noqa: FBT001 - a parameter of pytest
    error = error_of("EVENTHUBS_AUTHENTICATION", REFUSED, streaming=streaming, spark_error=RuntimeError("of Spark"))

    copied = pickle.loads(pickle.dumps(error))  # noqa: S301 - the test's own bytes

    assert type(copied) is type(error)
    assert (str(copied), copied.condition, copied.parameters) == (REFUSED, error.condition, error.parameters)
    assert repr(copied) == f"AuthenticationError({REFUSED!r})"


def test_existing_except_clauses_catch_the_errors() -> None:
    of_stream = type(error_of("EVENTHUBS_NOT_FOUND", "text", streaming=True)).__mro__
    assert {StreamingQueryException, errors.HubNotFoundError} <= set(of_stream)
    assert StreamingQueryException not in errors.HubNotFoundError.__mro__
    assert issubclass(errors.HubNotFoundError, SparkRuntimeException)
    assert isinstance(error_of("EVENTHUBS_UNKNOWN_OPTION", "text"), ValueError)
    assert isinstance(errors.SessionError("text"), RuntimeError)


@pytest.mark.parametrize("order", ["spark_eventhubs, pyspark.sql", "pyspark.sql, spark_eventhubs"])
def test_the_order_of_imports_does_not_matter(order: str) -> None:
    program = (
        f"import {order}; from pyspark.errors.exceptions import captured, connect; "
        "from pyspark.sql.connect.client import core; "
        "from pyspark.sql.streaming.query import StreamingQuery as classic; "
        "from pyspark.sql.connect.streaming.query import StreamingQuery as remote; "
        "found = [captured.convert_exception, connect.convert_exception, core.convert_exception, "
        "classic.exception, remote.exception]; print([hasattr(one, '_spark_eventhubs') for one in found])"
    )
    assert output_of(program) == "[True, True, True, True, True]"


def test_a_reloaded_module_of_pyspark_is_converted_too() -> None:
    program = (
        "import copy, importlib, pyspark.errors.exceptions.captured as captured, spark_eventhubs; "
        "importlib.reload(captured); print(hasattr(captured.convert_exception, '_spark_eventhubs'), "
        "copy.copy(captured.__loader__).name)"
    )
    assert output_of(program) == "True pyspark.errors.exceptions.captured"


def test_a_pyspark_without_what_is_converted_is_still_imported() -> None:
    program = (
        "import sys, types; name = 'pyspark.sql.streaming.query'; sys.modules[name] = types.ModuleType(name); "
        "import spark_eventhubs; print('imported')"
    )
    assert output_of(program) == "imported"


def test_threads_that_fail_at_the_same_time_have_one_class(monkeypatch: pytest.MonkeyPatch) -> None:
    both, was_read = threading.Barrier(2), threading.Event()

    class Racing(dict[Any, Any]):
        def __contains__(self, key: object) -> bool:
            found = super().__contains__(key)
            both.wait(30)
            return found

        def __getitem__(self, key: Any) -> Any:  # noqa: ANN401
            found = super().__getitem__(key)
            was_read.set()
            return found

        def __setitem__(self, key: Any, value: Any) -> None:  # noqa: ANN401
            if super().__contains__(key):
                was_read.wait(30)
            super().__setitem__(key, value)

    monkeypatch.setattr(_streams, "OF_STREAMS", Racing())
    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(_streams.of_stream, [errors.DataLossError] * 2)
    assert first is second


def test_the_import_of_the_package_does_not_import_pyspark() -> None:
    assert output_of("import spark_eventhubs, sys; print('pyspark' in sys.modules)") == "False"


def test_a_hidden_pyspark_leaves_plain_exceptions() -> None:
    program = (
        "import sys; sys.modules['pyspark'] = None; from spark_eventhubs.errors import OptionError; "
        "print(repr(OptionError('no', 'EVENTHUBS_INVALID_OPTION')))"
    )
    assert output_of(program) == "OptionError('no')"


def test_the_errors_are_an_attribute_of_the_package() -> None:
    assert spark_eventhubs.errors is errors
    with pytest.raises(AttributeError, match=re.escape("no attribute 'eror'")):
        _ = spark_eventhubs.eror


def output_of(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.strip()
