"""A standalone Spark cluster from PySpark's own jars: a master and workers, processes of their own on this machine."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pyspark

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from typing_extensions import Self

_HOME: Final = Path(pyspark.__file__).parent
_START_SECONDS: Final = 120.0


def wait_until(what: str, condition: Callable[[], bool], seconds: float = _START_SECONDS) -> None:
    """Waits for a condition, which is looked at often."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"did not come true in {seconds:.0f} s: {what}"
        time.sleep(0.05)


class StandaloneCluster:
    """A master, and as many workers of one core as are added. Everything ends with the `with` block."""

    def __init__(self, folder: Path) -> None:
        """Keeps logs and work directories in the folder."""
        self._folder = folder
        self._processes: list[subprocess.Popen[bytes]] = []
        self.url = ""

    def __enter__(self) -> Self:
        """Starts the master."""
        self._folder.mkdir(parents=True)
        self._start("master", "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", "0")
        self.url = self._await("master", r"Starting Spark master at (spark://\S+)")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ends master, workers and their executors."""
        for process in self._processes:
            self.kill(process)

    def add_worker(self, host: str = "127.0.0.1") -> subprocess.Popen[bytes]:
        """Starts a worker, and returns when the master knows it. By another loopback address it is another machine."""
        name = f"worker-{len(self._processes)}"
        limits = ["--cores", "1", "--memory", "1g", "--work-dir", str(self._folder / f"{name}-work")]
        process = self._start(name, "org.apache.spark.deploy.worker.Worker", "--host", host, *limits, self.url)
        self._await(name, r"(Successfully registered with master)")
        return process

    def kill_executors(self, worker: subprocess.Popen[bytes]) -> None:
        """Kills the executors of a worker, as a machine's out-of-memory killer does; the worker starts others."""
        found = subprocess.run(["pgrep", "-P", str(worker.pid)], capture_output=True, check=True, text=True)
        for pid in found.stdout.split():
            os.kill(int(pid), signal.SIGKILL)

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        """Kills a worker with its executors, as when its machine is lost."""
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def _start(self, name: str, main: str, *arguments: str) -> subprocess.Popen[bytes]:
        environment = {**os.environ, "SPARK_HOME": str(_HOME), "SPARK_LOCAL_IP": "127.0.0.1"}
        command = [str(_HOME / "bin" / "spark-class"), main, "--webui-port", "0", *arguments]
        with self._log(name).open("wb") as log:
            process = subprocess.Popen(
                command,
                env={**environment, "SPARK_DAEMON_MEMORY": "256m"},
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._processes.append(process)
        return process

    def _await(self, name: str, pattern: str) -> str:
        wait_until(
            f"{pattern} in {self._log(name)}", lambda: re.search(pattern, self._log(name).read_text()) is not None
        )
        found = re.search(pattern, self._log(name).read_text())
        assert found
        return found.group(1)

    def _log(self, name: str) -> Path:
        return self._folder / f"{name}.log"
