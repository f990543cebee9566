"""`progress` hides no failure of its block, also when the block stops the session."""

from __future__ import annotations

import subprocess
import sys

import pytest

from processes import SPARK_ENVIRONMENT

PROGRAM = """
import threading
from pyspark.sql import SparkSession
from spark_eventhubs import progress

spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
with progress(spark):
    spark.range(10).count()
    spark.stop()
    # The thread ends with the look at the session that finds it stopped, perhaps it already has.
    for each in threading.enumerate():
        if each.name == "spark-eventhubs-progress":
            each.join(60)
    {end}
"""


@pytest.mark.parametrize(
    ("end", "last"), [("raise ValueError('of the block')", "ValueError: of the block"), ("", None)]
)
def test_a_block_may_stop_the_session(end: str, last: str | None) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(end=end)],
        capture_output=True,
        text=True,
        env=SPARK_ENVIRONMENT,
        timeout=150,
        check=False,
    )

    assert "Exception in thread" not in done.stderr
    assert "AttributeError" not in done.stderr
    assert done.returncode == (0 if last is None else 1)
    assert last is None or done.stderr.splitlines()[-1] == last
