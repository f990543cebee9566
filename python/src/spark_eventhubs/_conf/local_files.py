"""Files that options name by their paths, which may be relative."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path


def local_file(path: str) -> str:
    """The path of a file of this machine, as the connector finds it.

    A relative path is a file of the working directory, where YARN puts `--files`, or one that Spark has distributed.
    """
    written = Path(path)
    if written.is_absolute() or written.is_file():
        return path
    files = getattr(sys.modules.get("pyspark"), "SparkFiles", None)
    # A process without a Spark context, such as a client of Spark Connect, has no such folder.
    with suppress(AssertionError, AttributeError):
        sent = Path(files.getRootDirectory(), path) if files is not None else written
        return str(sent) if sent.is_file() else path
    return path
