"""The lines of a Spark log that the connector or the Azure SDK wrote, without those of Spark itself."""

from __future__ import annotations

import re
import zipfile
from functools import cache
from typing import Final

from spark_eventhubs._session import connector_jar

# Spark's layout: the last part of the logger's name, which is that of a class.
_LINE: Final = re.compile(r"\d\d/\d\d/\d\d \d\d:\d\d:\d\d (?:WARN|ERROR) (\w+): ")
_CLASS: Final = re.compile(r"(?:.*/)?(?:eventhubs|azure|qpid|reactor)/(?:.*/)?(\w+)(?:\$.*)?\.class")

# Spark has a class of this name, and the other says that a query waits.
_OTHERS: Final = frozenset({"Utils", "OutageLog"})
_WARNING: Final = re.compile(r"/.*/spark_eventhubs/.*\.py:\d+: ")


def lines_of_ours(log: str) -> list[str]:
    """The warnings and errors whose loggers are classes of the connector's jar, and Python's about our modules.

    That a query waits for a hub which does not answer is not among them: it is no answer to a mistake.
    """
    found = ((line, _LINE.match(line)) for line in log.splitlines())
    return [line for line, match in found if (match and match[1] in _classes()) or _WARNING.match(line)]


@cache
def _classes() -> frozenset[str]:
    """The names of the jar's classes, without their packages."""
    with zipfile.ZipFile(connector_jar()) as jar:
        return frozenset(match[1] for match in map(_CLASS.fullmatch, jar.namelist()) if match) - _OTHERS
