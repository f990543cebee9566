from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from processes import SPARK_ENVIRONMENT, SPARK_HOME, output_of, wait_until
from spark_eventhubs.session import connector_jar

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spark_eventhubs import LocalHub

# A server, a client and Python workers start, perhaps on two slow cores.
pytestmark = pytest.mark.timeout(900)

SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"
STARTED = re.compile(r"Spark Connect server started at: \S+:(\d+)")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """The address of a Spark Connect server with the connector's jar."""
    log = tmp_path / "server.log"
    command = [
        str(SPARK_HOME / "bin" / "spark-submit"),
        *("--master", "local[2]", "--class", SERVER, "--jars", str(connector_jar())),
        *("--conf", "spark.connect.grpc.binding.port=0", "--conf", "spark.ui.enabled=false"),
        *("--conf", f"spark.sql.warehouse.dir={tmp_path / 'warehouse'}"),
        "spark-internal",
    ]
    environment = {**SPARK_ENVIRONMENT, "SPARK_LOCAL_IP": "127.0.0.1"}
    with log.open("wb") as out:
        process = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=out, stderr=subprocess.STDOUT)
    try:

        def has_started() -> bool:
            assert process.poll() is None, log.read_text()[-3000:]
            return STARTED.search(log.read_text()) is not None

        wait_until("the Spark Connect server listens", has_started, seconds=300)
        found = STARTED.search(log.read_text())
        assert found
        yield f"sc://127.0.0.1:{found.group(1)}"
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def test_the_package_works_on_a_spark_connect_server_without_java_on_the_client(
    server: str, local_hub: LocalHub, tmp_path: Path
) -> None:
    hubs = [local_hub.create_hub(f"connect-{name}", partitions=4).connection_string for name in ("telemetry", "alerts")]
    program = Path(__file__).with_name("connect_client.py")
    environment = {
        **{name: value for name, value in os.environ.items() if name not in ("JAVA_HOME", "PYTHONPATH")},
        "SPARK_REMOTE": server,
        "PATH": str(tmp_path),  # a folder without java
    }
    output_of([sys.executable, str(program), str(tmp_path), *hubs], env=environment)

    assert json.loads((tmp_path / "steps.json").read_text(encoding="utf-8")) == {
        "session": "pyspark.sql.connect.session",
        "written": 1000,
        "ended": True,
        "alerts": 100,
        "distinct": 1000,
        "refused": "EVENTHUBS_NOT_FOUND",
    }
