"""The lines of a Spark log that the connector or the Azure SDK wrote, without those of Spark itself."""

from __future__ import annotations

import re
import zipfile
from functools import cache
from typing import Final

from spark_eventhubs._session import connector_jar

# Spark's layout: the last part of the logger's name, which is that of a class.
_LINE: Final = re.compile(r"\d\d/\d\d/\d\d \d\d:\d\d:\d\d (?:WARN|ERROR|INFO) (\w+): ")
_CLASS: Final = re.compile(r"(?:.*/)?(?:eventhubs|azure|qpid|reactor)/(?:.*/)?(\w+)(?:\$.*)?\.class")

_OF_SPARK_TOO: Final = frozenset({"Utils"})


def lines_of_ours(log: str) -> list[str]:
    """The lines whose loggers are classes of the connector's jar, and what Python writes about our modules."""
    found = ((line, _LINE.match(line)) for line in log.splitlines())
    return [line for line, match in found if (match and match[1] in _classes()) or "spark_eventhubs" in line]


@cache
def _classes() -> frozenset[str]:
    """The names of the jar's classes, without their packages and without a class of Spark."""
    with zipfile.ZipFile(connector_jar()) as jar:
        return frozenset(match[1] for match in map(_CLASS.fullmatch, jar.namelist()) if match) - _OF_SPARK_TOO
