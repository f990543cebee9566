"""The local hub's JVM: started, waited for, and ended with the Python that started it."""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from spark_eventhubs._java import find_java
from spark_eventhubs.session import LOCALHUB_JAR, packaged_jar

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import timedelta

_POLL_SECONDS: Final = 0.02
_STOP_SECONDS: Final = 10
_SHOWN_CHARACTERS: Final = 4000


@dataclass(frozen=True, kw_only=True)
class Ports:
    """Where a hub that is up listens."""

    amqp: int
    http: int
    tls: int | None = None


def hub_command(arguments: Sequence[str]) -> list[str]:
    """The command line that runs the packaged hub."""
    return [find_java(), "-jar", str(packaged_jar(LOCALHUB_JAR)), *arguments]


class HubProcess:
    """One JVM. It reads a pipe of ours to its end, so it goes when this process goes, however that happens."""

    def __init__(self, arguments: Sequence[str], *, start_timeout: timedelta) -> None:
        """Starts the JVM and returns when it listens; otherwise nothing is left and the error has its output."""
        # The JVM may still be writing into the folder when it is removed.
        self._folder = tempfile.TemporaryDirectory(prefix="spark-eventhubs-", ignore_cleanup_errors=True)
        ready = Path(self._folder.name) / "ready.json"
        self._output = Path(self._folder.name) / "output.txt"
        command = hub_command([*arguments, "--ready-file", str(ready), "--exit-with-stdin"])
        with self._output.open("wb") as output:
            # A session of its own: Ctrl-C is for this process, which closes the hub when it is done with it.
            self._jvm = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
            )
        try:
            self.ports = self._await(ready, start_timeout)
        except BaseException:
            self.close()
            raise

    @property
    def pid(self) -> int:
        """Process id of the JVM."""
        return self._jvm.pid

    def close(self) -> None:
        """Ends the JVM, by force when it does not end by itself; doing it twice is fine."""
        if self._jvm.stdin is not None:
            self._jvm.stdin.close()
        try:
            self._jvm.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._jvm.kill()
            self._jvm.wait()
        self._folder.cleanup()

    def _await(self, ready: Path, timeout: timedelta) -> Ports:
        deadline = time.monotonic() + timeout.total_seconds()
        while not ready.exists():
            code = self._jvm.poll()
            if code is not None:
                raise RuntimeError(f"the local hub ended with code {code} while it started{self._said()}")
            if time.monotonic() > deadline:
                seconds = timeout.total_seconds()
                raise TimeoutError(
                    f"the local hub was not up after {seconds:g} s; give it a longer start_timeout{self._said()}"
                )
            time.sleep(_POLL_SECONDS)
        content = json.loads(ready.read_text(encoding="utf-8"))
        return Ports(amqp=content["amqpPort"], http=content["httpPort"], tls=content.get("tlsPort"))

    def _said(self) -> str:
        text = self._output.read_text(encoding="utf-8", errors="replace").strip()
        return f". It said:\n{text[-_SHOWN_CHARACTERS:]}" if text else ", without a word"
