"""What a refusal writes to the log: a sentence, and not the stack traces and frames of the layers below."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pyspark

from log_lines import lines_of_ours
from processes import QUICK_START
from spark_eventhubs import LocalHub
from spark_eventhubs.local_hub import LocalAuthority

if TYPE_CHECKING:
    from pathlib import Path

    from spark_eventhubs import LocalEventHub

NOISE = ("errorContext", "LINK_CREDIT", "d3Jvbmc=")
TRACES = ("\tat ", "Caused by")
# Spark 3.5 adds the trace of its own driver to the failure of a task, as a write has one.
OURS = ("\tat org.apache.spark.eventhubs", "\tat org.apache.spark.sql.eventhubs", "\tat com.azure")
TRACES_OF_WRITE = OURS if pyspark.__version__.startswith("3.") else TRACES

PROGRAM = """
import sys
from pyspark.sql import SparkSession
from spark_eventhubs import EventHubsConf, configure_spark_with_eventhubs, read, read_stream, write_stream

spark = configure_spark_with_eventhubs(SparkSession.builder.master("local[1]")).getOrCreate()
conf = EventHubsConf.from_connection_string(sys.argv[1])
failures = []
try:
    read(spark, conf).collect()
except Exception as refused:
    failures.append(refused)
try:
    stream = read_stream(spark, conf).writeStream.format("noop").option("checkpointLocation", sys.argv[2])
    stream.start().awaitTermination()
except Exception as refused:
    failures.append(refused)
print("now the write", file=sys.stderr, flush=True)
try:
    rows = spark.readStream.format("rate").load().selectExpr("cast(null as string) as body")
    right = EventHubsConf.from_connection_string(sys.argv[3])
    write_stream(rows, right, checkpoint_location=sys.argv[2] + "-of-write").start().awaitTermination()
except Exception as refused:
    failures.append(refused)
print(*(type(failure).__name__ for failure in failures))
"""


def test_refused_reads_and_a_refused_write_log_sentences_and_no_traces(
    event_hub: LocalEventHub, tmp_path: Path
) -> None:
    wrong = event_hub.connection_string.replace("SAS_KEY_VALUE", "d3Jvbmc=")

    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, wrong, str(tmp_path / "checkpoint"), event_hub.connection_string],
        env=QUICK_START,
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )

    assert done.stdout.split() == ["AuthenticationError"] * 2 + ["InvalidEventError"]
    assert done.stderr.count("EVENTHUBS_UNAUTHORIZED") <= 2, done.stderr
    reads, write = done.stderr.split("now the write")
    for log, traces in ((reads, TRACES), (write, TRACES_OF_WRITE)):
        for noise in (*traces, *NOISE):
            assert noise not in log, log


SIGN_INS = """
import json, sys
from pyspark.sql import SparkSession
from spark_eventhubs import EventHubsConf, configure_spark_with_eventhubs, read

spark = configure_spark_with_eventhubs(SparkSession.builder.master("local[1]")).getOrCreate()
options = json.loads(sys.argv[1])
print("now the sign-ins", file=sys.stderr, flush=True)
for authority in sys.argv[2:]:
    try:
        read(spark, EventHubsConf.from_options(options | {"eventhubs.auth.authorityHost": authority})).collect()
    except Exception as refused:
        print(type(refused).__name__)
"""


def test_a_sign_in_that_fails_logs_nothing_of_the_sdk_s_attempts() -> None:
    with LocalHub(hubs={"telemetry": 1}, tls_port=0) as hub, LocalAuthority(hub, tenant_id="contoso") as authority:
        authority.register("reader", client_id="reader", roles=["Data Owner"])
        options = {
            "eventhubs.namespace": "localhost",
            "eventhubs.name": "telemetry",
            "eventhubs.customEndpoint": f"localhost:{hub.tls_port}",
            "eventhubs.tls.trustedCertificates": str(authority.ca_file),
            "eventhubs.operationTimeout": "10s",
            "eventhubs.auth.type": "clientSecret",
            "eventhubs.auth.tenantId": "contoso",
            "eventhubs.auth.clientId": "reader",
            "eventhubs.auth.clientSecret": "wr0ng",
        }

        done = subprocess.run(
            [sys.executable, "-c", SIGN_INS, json.dumps(options), authority.url, "https://localhost:1"],
            env=QUICK_START,
            capture_output=True,
            text=True,
            timeout=300,
            check=True,
        )

    assert done.stdout.split() == ["AuthenticationError", "UnreachableError"]
    log = done.stderr.split("now the sign-ins")[1]
    assert lines_of_ours(log) == []
    assert [line for line in log.splitlines() if "ERROR" in line or "Exception" in line or "\tat " in line] == []
