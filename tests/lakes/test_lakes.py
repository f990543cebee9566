"""The programs of the page on Delta and Iceberg. They fetch packages, so `make test-long` runs them.

Iceberg's package is for Spark 4.1, so `make compat SPARK=4.1.4` runs it.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pyspark
import pytest

from pages import DOCS, blocks
from processes import FEW_PARTITIONS, output_of

if TYPE_CHECKING:
    from pathlib import Path

    from spark_eventhubs import LocalEventHub

SPARK_OF = {"delta": "4.2", "iceberg": "4.1"}

LONG = pytest.mark.skipif(os.environ.get("TESTS") != "all", reason="fetches a package; TESTS=all runs it")


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("lake", [pytest.param("delta", marks=LONG), "iceberg"])
def test_a_stream_appends_and_merges(lake: str, event_hub: LocalEventHub, tmp_path: Path) -> None:
    if not pyspark.__version__.startswith(SPARK_OF[lake]):
        pytest.skip(f"the package is for Spark {SPARK_OF[lake]}")
    marks = (f"tested: {lake}", "tested: lakes")
    parts = [block.text for block in blocks(DOCS / "guides" / "delta-and-iceberg.md") if block.mark in marks]
    program = tmp_path / "page.py"
    program.write_text("\n".join(parts), encoding="utf-8")
    environment = {**FEW_PARTITIONS, "EVENTHUBS_CONNECTION_STRING": event_hub.connection_string}

    output = output_of([sys.executable, program], cwd=tmp_path, env=environment, seconds=900)

    assert output.splitlines()[-3:] == ["3 readings", "s1 25.0", "s2 31.0"]
