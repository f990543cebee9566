"""Everything that runs in a chaos run: the hub, proxies, a cluster and the driver, and what goes wrong with them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from chaos_schedule import BATCHES, LEAST, ONCE, SINKS, SOURCE
from cluster import StandaloneCluster
from processes import QUICK_START, wait_until
from quick_jvm import QUICK_JVM
from spark_eventhubs import LocalHub
from stalling_proxy import StallingProxy

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

    from spark_eventhubs import LocalEventHub

PROGRAM: Final = Path(__file__).with_name("chaos_driver.py")
_PARTITIONS: Final = 4
_MOST_PARTITIONS: Final = 8
_START_SECONDS: Final = 120
_SEED_PARTITIONS: Final = {SOURCE: _PARTITIONS, ONCE: 4, LEAST: 4, BATCHES: 2}


@dataclass
class Said:
    """What drivers have said."""

    ready: threading.Event = field(default_factory=threading.Event)
    drained: threading.Event = field(default_factory=threading.Event)
    failures: Counter[str] = field(default_factory=Counter)
    texts: dict[str, str] = field(default_factory=dict)


class Driver:
    """One driver process with its JVM, in a process group of its own."""

    def __init__(self, setting: dict[str, Any], said: Said, log: Path) -> None:
        """Starts the process, and returns when Spark runs."""
        self._said = said
        said.ready.clear()
        with log.open("ab") as errors:
            self._process = subprocess.Popen(
                [sys.executable, str(PROGRAM), json.dumps(setting)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env={**QUICK_START, "PYTHONPATH": os.pathsep.join(sys.path)},
                text=True,
                start_new_session=True,
            )
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    @property
    def pid(self) -> int:
        """Also of the process group."""
        return self._process.pid

    def tell(self, **command: object) -> None:
        """Gives it a command, which it obeys after those before."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(command) + "\n")
            self._process.stdin.flush()

    def has_ended(self) -> bool:
        """Whether the process has ended."""
        return self._process.poll() is not None

    def kill(self) -> None:
        """Kills Python and the JVM at once."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()
        self._listener.join()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with suppress(ValueError):
                self._note(json.loads(line))

    def _note(self, message: dict[str, Any]) -> None:
        if "failed" in message:
            self._said.failures[message["condition"]] += 1
            self._said.texts.setdefault(message["condition"], f"{message['failed']}: {message['text']}")
        elif "ready" in message:
            self._said.ready.set()
        else:
            self._said.drained.set()


class ChaosWorld:
    """The processes of one run. They end with the `with` block. A fault is a method of its name."""

    def __init__(self, folder: Path, *, cluster: bool) -> None:
        """Uses the folder for the hub's events, checkpoints, files and logs."""
        self._folder = folder
        self._has_cluster = cluster
        self._stack = ExitStack()
        self.said = Said()
        self._options: dict[str, Any] = {}
        self._partitions = dict(_SEED_PARTITIONS)

    def __enter__(self) -> Self:
        """Starts everything but the queries."""
        with ExitStack() as stack:
            self._hub = self._start_hub()
            stack.callback(lambda: self._hub.close())  # noqa: PLW0108 - the hub of that time
            for role, partitions in self._partitions.items():
                self._hub.create_hub(role, partitions=partitions)
            self._proxies = {role: stack.enter_context(StallingProxy(self._hub.amqp_port)) for role in SINKS}
            self._master = "local[2]"
            self._workers: list[subprocess.Popen[bytes]] = []
            if self._has_cluster:
                self._cluster = stack.enter_context(StandaloneCluster(self._folder / "cluster"))
                self._workers = [self._cluster.add_worker(), self._cluster.add_worker()]
                self._master = self._cluster.url
            self._driver = self._start_driver()
            stack.callback(lambda: self._driver.kill())  # noqa: PLW0108 - the driver of that time
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ends all processes."""
        self._stack.close()

    @property
    def files(self) -> Path:
        """Where a query writes Parquet files."""
        return self._folder / "files"

    def hub(self, role: str) -> LocalEventHub:
        """The event hub of a role."""
        return self._hub.event_hub(role)

    def run_queries(self, options: dict[str, Any]) -> None:
        """Starts the queries."""
        self._options = options
        self._driver.tell(do="run", options=options)

    def drain(self, seconds: float) -> bool:
        """Ends all faults, and lets the queries copy what is left. False when they are not done in time."""
        self._hub.faults.clear()
        self._driver.tell(do="drain")
        return self.said.drained.wait(seconds)

    def check_alive(self) -> None:
        """A driver ends only when it is killed."""
        assert not self._driver.has_ended(), f"the driver has ended by itself; see {self._folder / 'driver.log'}"

    # Faults

    def kill_driver(self, options: dict[str, Any]) -> None:
        """Kills the driver as the out-of-memory killer does, and starts another one."""
        self._driver.kill()
        self._driver = self._start_driver()
        self.run_queries(options)

    def restart_queries(self, options: dict[str, Any]) -> None:
        """Stops all queries and starts them again in the same application, with other options."""
        self.run_queries(options)

    def pause_driver(self, seconds: float) -> None:
        """Stops the processes of the driver for a while, as a machine that swaps or is migrated does."""
        os.killpg(self._driver.pid, signal.SIGSTOP)
        time.sleep(seconds)
        os.killpg(self._driver.pid, signal.SIGCONT)

    def kill_executor(self, worker: int) -> None:
        """Kills the executors of a worker, which starts new ones."""
        with suppress(subprocess.CalledProcessError, ProcessLookupError):
            self._cluster.kill_executors(self._workers[worker])

    def kill_hub(self, seconds: float) -> None:
        """Kills the hub, and starts it again with its events after a while."""
        ports = {"port": self._hub.amqp_port, "http_port": int(self._hub.http_url.rsplit(":", 1)[1])}
        os.kill(self._hub.pid, signal.SIGKILL)
        self._hub.close()
        time.sleep(seconds)
        self._hub = self._start_hub(**ports)

    def stall_connection(self, role: str, seconds: float) -> None:
        """Holds the bytes of the connection over which most was sent."""
        with suppress(ValueError):
            gate = self._proxies[role].stall()
            time.sleep(seconds)
            gate.set()

    def grow(self, role: str) -> None:
        """Adds a partition to a hub."""
        if self._partitions[role] < _MOST_PARTITIONS:
            self._partitions[role] += 1
            self._hub.create_hub(role, partitions=self._partitions[role])

    def inject(self, action: str, role: str, seconds: float | None = None, **arguments: Any) -> None:  # noqa: ANN401 - of a plan
        """Injects a fault into a hub. What happens now needs no occasion that is hit by chance."""
        if arguments.get("on") == "now":
            arguments = {key: value for key, value in arguments.items() if key not in ("skip", "count")}
        if "time" in arguments:
            arguments["time"] = timedelta(seconds=arguments["time"])
        duration = None if seconds is None else timedelta(seconds=seconds)
        self.hub(role).faults.inject(action, duration=duration, **arguments)  # type: ignore[arg-type] # from a plan

    def _start_hub(self, port: int = 0, http_port: int = 0) -> LocalHub:
        os.environ["JAVA_TOOL_OPTIONS"] = QUICK_JVM
        try:
            return LocalHub(data_dir=self._folder / "hub", port=port, http_port=http_port)
        finally:
            del os.environ["JAVA_TOOL_OPTIONS"]

    def _start_driver(self) -> Driver:
        direct = {role: self.hub(role).connection_string for role in (SOURCE, *SINKS)}
        port = f":{self._hub.amqp_port}"
        sinks = {role: direct[role].replace(port, f":{self._proxies[role].port}") for role in SINKS}
        setting = {
            "master": self._master,
            "folder": str(self._folder / "checkpoints"),
            "source": direct[SOURCE],
            "sinks": sinks,
            "files": str(self.files),
        }
        driver = Driver(setting, self.said, self._folder / "driver.log")
        try:
            wait_until(
                "the driver is ready", lambda: self.said.ready.is_set() or driver.has_ended(), seconds=_START_SECONDS
            )
            assert self.said.ready.is_set(), f"the driver did not start; see {self._folder / 'driver.log'}"
        except BaseException:
            driver.kill()
            raise
        return driver
