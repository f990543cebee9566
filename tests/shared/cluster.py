"""A standalone Spark cluster of PySpark's jars: a master and workers, each in a process on this machine."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from typing import TYPE_CHECKING

from processes import SPARK_ENVIRONMENT, SPARK_HOME, wait_until
from quick_jvm import QUICK_SPARK

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from typing_extensions import Self


class StandaloneCluster:
    """A master and workers with one core each. All processes end with the `with` block."""

    def __init__(self, folder: Path) -> None:
        """Uses the folder for logs and work directories."""
        self._folder = folder
        self._processes: list[subprocess.Popen[bytes]] = []
        self.url = ""

    def __enter__(self) -> Self:
        """Starts the master."""
        self._folder.mkdir(parents=True)
        self._start("master", "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", "0")
        self.url = self._wait_for_log("master", r"Starting Spark master at (spark://\S+)")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ends master, workers and their executors."""
        for process in self._processes:
            self.kill(process)

    def add_worker(self, host: str = "127.0.0.1") -> subprocess.Popen[bytes]:
        """Starts a worker and waits until the master knows it. For Spark, each loopback address is another machine."""
        name = f"worker-{len(self._processes)}"
        limits = ["--cores", "1", "--memory", "1g", "--work-dir", str(self._folder / f"{name}-work")]
        process = self._start(name, "org.apache.spark.deploy.worker.Worker", "--host", host, *limits, self.url)
        self._wait_for_log(name, r"(Successfully registered with master)")
        return process

    def kill_executors(self, worker: subprocess.Popen[bytes]) -> None:
        """Kills the executors of a worker, as the out-of-memory killer does. The worker starts new ones."""
        found = subprocess.run(["pgrep", "-P", str(worker.pid)], capture_output=True, check=True, text=True)
        for pid in found.stdout.split():
            os.kill(int(pid), signal.SIGKILL)

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        """Kills a worker with its executors, as if its machine were lost."""
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def _start(self, name: str, main: str, *arguments: str) -> subprocess.Popen[bytes]:
        command = [str(SPARK_HOME / "bin" / "spark-class"), main, "--webui-port", "0", *arguments]
        with self._log(name).open("wb") as log:
            process = subprocess.Popen(
                command,
                env={
                    **SPARK_ENVIRONMENT,
                    "SPARK_LOCAL_IP": "127.0.0.1",
                    "SPARK_DAEMON_MEMORY": "256m",
                    "SPARK_DAEMON_JAVA_OPTS": QUICK_SPARK,
                },
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._processes.append(process)
        return process

    def _wait_for_log(self, name: str, pattern: str) -> str:
        wait_until(
            f"'{pattern}' is in {self._log(name)}", lambda: re.search(pattern, self._log(name).read_text()) is not None
        )
        found = re.search(pattern, self._log(name).read_text())
        assert found
        return found.group(1)

    def _log(self, name: str) -> Path:
        return self._folder / f"{name}.log"
