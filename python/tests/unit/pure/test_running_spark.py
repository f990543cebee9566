"""Classes of Spark that exist twice in a process: `_engine_pyspark` runs the source, `pyspark` is an older client."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest

pytest.importorskip("pyspark.sql.streaming.datasource", reason="Spark 4.2 and newer")

PROGRAM = """
import json, pickle, sys
import pyspark.sql.datasource
import _engine_pyspark.sql.streaming.datasource as engine
from _engine_pyspark.sql.types import StringType, StructField, StructType
if sys.argv[1] == "older client":
    sys.modules["pyspark.sql.streaming.datasource"] = None
from pyspark.accumulators import Accumulator, SpecialAccumulatorIds, _accumulatorRegistry
from spark_eventhubs.pure._source import EventHubsPythonSource
sent = []
def in_a_process(call, *arguments):
    numbers = (SpecialAccumulatorIds.SQL_UDF_PROFIER, SpecialAccumulatorIds.SQL_UDF_PROFIER_V2, 7)
    _accumulatorRegistry.update({number: None for number in numbers})
    made = call(*arguments)
    sent.extend(_accumulatorRegistry)
    return made
source = in_a_process(EventHubsPythonSource, {
    "eventhubs.connectionString":
        "Endpoint=sb://a.servicebus.windows.net;SharedAccessKeyName=k;SharedAccessKey=a2V5;EntityPath=telemetry",
    "eventhubs.maxEventsPerTrigger": "100",
})
rows = StructType([StructField("other", StringType()), StructField("body", StringType())])
source = in_a_process(pickle.loads, pickle.dumps(source))
reader = source.streamReader(StructType())
print(json.dumps({
    "available now": isinstance(reader, engine.SupportsTriggerAvailableNow),
    "limit": isinstance(reader.getDefaultReadLimit(), engine.ReadMaxRows),
    "body": source.streamWriter(rows, False)._columns.body,
    "sent": sent,
}))
"""


@pytest.mark.parametrize("client", ["older client", "same client"])
def test_the_classes_of_the_spark_that_runs_the_source_are_used(client: str, tmp_path: Path) -> None:
    (tmp_path / "_engine_pyspark").symlink_to(Path(pyspark.__path__[0]))
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}

    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, client], env=env, capture_output=True, text=True, check=False, timeout=60
    )

    assert done.stderr == ""
    assert json.loads(done.stdout) == {"available now": True, "limit": True, "body": 1, "sent": [7, 7]}
