"""Flags with which a JVM that lives for seconds takes a third of the CPU time.

`python tests/shared/quick_jvm.py` writes the archive of Spark's classes for its own PySpark. That takes 20 seconds of
CPU time, and saves 3 to 5 in each JVM of Spark. Without an archive, or with one that does not fit, a JVM starts slower.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

# There is no time to benefit from code that is compiled well.
QUICK_JVM: Final = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

_ARCHIVE: Final = Path(sys.prefix) / "spark-classes.jsa"
# A JVM would say on standard output that an archive does not fit: its class path, or that of another Java.
_QUIET: Final = "-Xlog:disable"

# For the JVMs of Spark: sessions, and the processes of a cluster.
QUICK_SPARK: Final = f"{QUICK_JVM} -XX:SharedArchiveFile={_ARCHIVE} {_QUIET}" if _ARCHIVE.is_file() else QUICK_JVM


def write_archive() -> None:
    """Runs a session whose JVM writes the classes that it has loaded when it ends."""
    from pyspark import SparkContext  # noqa: PLC0415 - tests import this module before they choose their Java
    from pyspark.sql import SparkSession  # noqa: PLC0415 - as above

    new = _ARCHIVE.with_suffix(".new")
    new.unlink(missing_ok=True)
    os.environ["SPARK_SUBMIT_OPTS"] = f"{QUICK_JVM} -XX:ArchiveClassesAtExit={new} {_QUIET}"
    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    spark.range(100).groupBy("id").count().collect()
    gateway = SparkContext._gateway  # noqa: SLF001 - Spark has no public way to wait for its JVM
    spark.stop()
    assert gateway is not None
    gateway.shutdown()
    gateway.proc.stdin.close()
    gateway.proc.wait()
    new.replace(_ARCHIVE)


if __name__ == "__main__":
    write_archive()
