"""Adds the connector's jar to a session and keeps the jars that Spark adds from other places.

PySpark's first session starts spark-submit. It reads `spark.jars` from one place only and adds the jars of packages.
Then the builder's own `spark.jars` overwrites the result. So this module passes all jars to spark-submit as `--jars`.
"""

from __future__ import annotations

import os
import re
import shlex
from argparse import ArgumentParser
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import MutableMapping

# A parent process may have left the jar of another Spark version or another installation in the environment.
_OURS: Final = re.compile(r"(?:^|[/\\])spark-eventhubs_2\.1[23]\.jar$")
_ARGUMENTS: Final = "PYSPARK_SUBMIT_ARGS"
_KEY: Final = "spark.jars"
_IN_FILE: Final = re.compile(r"^[ \t]*spark\.jars[ \t]*[=: \t][ \t]*(\S.*?)[ \t]*$", re.MULTILINE)


def add_jar(options: MutableMapping[str, Any], jar: str) -> None:
    """Adds `jar` to the session that a builder with these options starts."""
    from pyspark import SparkConf, SparkContext  # noqa: PLC0415 - PySpark is optional, as in session.py

    chosen = _entries(options.get(_KEY))
    if SparkContext._gateway is not None:  # noqa: SLF001 - Spark has no public API to see whether the JVM runs
        options[_KEY] = _joined([*_entries(SparkConf().get(_KEY, "")), *chosen], jar)
        return
    options.pop(_KEY, None)
    os.environ[_ARGUMENTS] = submit_arguments(os.environ.get(_ARGUMENTS, "pyspark-shell"), chosen, jar)


def submit_arguments(given: str, chosen: list[str], jar: str) -> str:
    """The arguments of spark-submit with `jar` added to the given and chosen jars, or to the jars of its file."""
    parser = ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--jars")
    known, others = parser.parse_known_args(shlex.split(given))
    in_conf = [other.removeprefix(f"{_KEY}=") for other in others if other.startswith(f"{_KEY}=")]
    named = [entry for text in (known.jars, *in_conf) for entry in _entries(text)]
    return shlex.join(["--jars", _joined([*named, *chosen] or _jars_of_file(others), jar), *others])


def _jars_of_file(arguments: list[str]) -> list[str]:
    """The jars of spark-defaults.conf, or of the file that replaces it."""
    folder = Path(os.environ.get("SPARK_CONF_DIR") or _spark_home() / "conf")
    file = folder / "spark-defaults.conf"
    if "--properties-file" in arguments[:-1]:
        file = Path(arguments[arguments.index("--properties-file") + 1])
    if not file.is_file():
        return []
    lines = re.sub(r"\\\r?\n[ \t]*", "", file.read_text(encoding="utf-8"))
    return _entries((_IN_FILE.findall(lines) or [""])[-1])


def _spark_home() -> Path:
    from pyspark import __file__ as package  # noqa: PLC0415 - as above

    return Path(os.environ.get("SPARK_HOME") or Path(package).parent)


def _entries(text: str | None) -> list[str]:
    return [entry.strip() for entry in (text or "").split(",") if entry.strip()]


def _joined(entries: list[str], jar: str) -> str:
    others = [entry for entry in entries if not _OURS.search(entry)]
    return ",".join(dict.fromkeys([*others, jar]))
