"""A Spark Connect server of PySpark's jars, in a process of its own."""

from __future__ import annotations

import re
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from processes import SPARK_ENVIRONMENT, SPARK_HOME, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_SERVER: Final = "org.apache.spark.sql.connect.service.SparkConnectServer"
_STARTED: Final = re.compile(r"Spark Connect server started at: \S+:(\d+)")


@contextmanager
def running_server(folder: Path, *arguments: str) -> Iterator[str]:
    """The address of a Spark Connect server with more arguments of spark-submit."""
    log = folder / "server.log"
    command = [
        str(SPARK_HOME / "bin" / "spark-submit"),
        *("--master", "local[2]", "--class", _SERVER, *arguments),
        *("--conf", "spark.connect.grpc.binding.port=0", "--conf", "spark.ui.enabled=false"),
        *("--conf", "spark.connect.progress.reportInterval=50ms"),
        *("--conf", f"spark.sql.warehouse.dir={folder / 'warehouse'}"),
        "spark-internal",
    ]
    environment = {**SPARK_ENVIRONMENT, "SPARK_LOCAL_IP": "127.0.0.1"}
    with log.open("wb") as out:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=out, stderr=subprocess.STDOUT)
    try:

        def has_started() -> bool:
            assert process.poll() is None, log.read_text()[-3000:]
            return _STARTED.search(log.read_text()) is not None

        wait_until("the Spark Connect server listens", has_started, seconds=300)
        found = _STARTED.search(log.read_text())
        assert found
        yield f"sc://127.0.0.1:{found.group(1)}"
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
