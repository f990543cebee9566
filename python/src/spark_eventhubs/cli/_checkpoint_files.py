"""Opens the folder of a checkpoint that a command is for."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from spark_eventhubs._checkpoint.files import LocalFiles
from spark_eventhubs._install import install
from spark_eventhubs._java import provide_java_for_spark
from spark_eventhubs.cli._exit_codes import WrongUsage

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spark_eventhubs._checkpoint.files import Files

_Command = TypeVar("_Command", bound=Callable[..., Any])

# One letter is a drive of Windows.
_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
_DRIVE: Final = re.compile(r"[A-Za-z]:[/\\]")


def checkpoint_options(*, required: bool = True) -> Callable[[_Command], _Command]:
    """Adds the checkpoint's location."""
    conf = click.option(
        "--conf",
        "spark_conf",
        multiple=True,
        metavar="KEY=VALUE",
        help="For a checkpoint or backup with a URL: configuration of the Spark session for it. Repeatable.",
    )
    location = click.argument("checkpoint", metavar="CHECKPOINT", required=required)

    def add(command: _Command) -> _Command:
        return location(conf(command))

    return add


def open_files(location: str, spark_conf: Sequence[str] = ()) -> Files:
    """The files of a folder, or of a URL on a file system that Spark reaches."""
    if not location or "\0" in location:
        raise WrongUsage("CHECKPOINT is empty; expected the folder of a checkpoint, or its URL")
    if location.startswith("file:"):
        path = location.removeprefix("file:").lstrip("/")
        return LocalFiles(path if _DRIVE.match(path) else f"/{path}")
    if not is_url(location):
        return LocalFiles(location)
    return _remote(location, [_pair(entry) for entry in spark_conf])


def is_url(location: str) -> bool:
    """Whether a location is not a path of this machine."""
    return bool(_URL.match(location))


def _remote(location: str, conf: Sequence[tuple[str, str]]) -> Files:
    try:
        from pyspark.sql import SparkSession  # noqa: PLC0415 - PySpark is optional

        from spark_eventhubs._checkpoint.hadoop_files import HadoopFiles  # noqa: PLC0415 - as above
    except ImportError:
        raise click.ClickException(f"a checkpoint with a URL is read through Spark: {install('spark')}") from None
    provide_java_for_spark()
    builder = SparkSession.builder.master("local[1]").appName("spark-eventhubs checkpoint")
    builder = builder.config("spark.ui.enabled", "false")
    for key, value in conf:
        builder = builder.config(key, value)
    try:
        with _hidden_stderr():
            spark = builder.getOrCreate()
    except Exception as failure:  # noqa: BLE001 - what PySpark raises without a JVM depends on its version
        reason = java_message(failure) or str(failure).partition("\n")[0]
        raise click.ClickException(f"no Spark session starts: {reason}; try `spark-eventhubs doctor`") from None
    try:
        with _hidden_stderr():
            return HadoopFiles(spark, location)
    except Exception as failure:  # noqa: BLE001 - as above
        reason = java_message(failure) or str(failure).partition("\n")[0]
        raise click.ClickException(
            f"cannot open '{location}': {reason}; give the file system's jar and sign-in with --conf"
        ) from None


def java_message(failure: BaseException) -> str | None:
    """The first line of what Java says, which PySpark keeps in one of two attributes; None for a failure of Python."""
    java = getattr(failure, "java_exception", None) or getattr(failure, "_origin", None)
    return None if java is None else str(java.getMessage()).partition("\n")[0]


@contextmanager
def _hidden_stderr() -> Iterator[None]:
    """The JVM that starts in this block writes its log to nowhere: stderr is for the command's own lines."""
    sys.stderr.flush()
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _pair(entry: str) -> tuple[str, str]:
    key, equals, value = entry.partition("=")
    if not equals:
        raise WrongUsage(f"--conf {key}: expected KEY=VALUE")
    return key, value
