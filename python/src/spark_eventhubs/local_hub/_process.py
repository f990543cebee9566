"""Starts the local hub's JVM, waits until it is ready, and ends it together with this process."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from spark_eventhubs._java import OLDEST_JAVA, find_java, java_version, session_error
from spark_eventhubs._session import LOCALHUB_JAR, packaged_jar

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import timedelta

_POLL_SECONDS: Final = 0.02
_STOP_SECONDS: Final = 10
# A JVM that has closed its ports ends soon.
_END_SECONDS: Final = 2
_MAX_OUTPUT_CHARACTERS: Final = 4000


@dataclass(frozen=True, kw_only=True)
class Ports:
    """The ports of a running hub."""

    amqp: int
    http: int
    tls: int | None = None


def hub_command(arguments: Sequence[str]) -> list[str]:
    """The command line of the packaged hub.

    Raises:
        SessionError: there is no Java, or an old one comes first.
    """
    java = find_java()
    version = java_version(java)
    if version is not None and version < OLDEST_JAVA:
        raise session_error(
            f"Java is {version} ({java}); the local hub needs Java {OLDEST_JAVA} or newer; "
            "install one and set JAVA_HOME to its folder"
        )
    return [java, "-jar", str(packaged_jar(LOCALHUB_JAR)), *arguments]


class HubProcess:
    """The hub's JVM. It reads a pipe from this process until the pipe ends, so it never outlives this process."""

    def __init__(self, arguments: Sequence[str], *, start_timeout: timedelta) -> None:
        """Starts the JVM and waits until it listens. On failure, ends it and raises an error with its output."""
        command = hub_command(arguments)
        # The JVM may still be writing into the folder when it is removed.
        self._folder = tempfile.TemporaryDirectory(prefix="spark-eventhubs-", ignore_cleanup_errors=True)
        ready = Path(self._folder.name) / "ready.json"
        self._output = Path(self._folder.name) / "output.txt"
        command += ["--ready-file", str(ready), "--exit-with-stdin"]
        with self._output.open("wb") as output:
            # A new session, because Ctrl-C is for this process, which closes the hub when it no longer needs it.
            self._jvm = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
            )
        _RUNNING.add(self)
        try:
            self.ports = self._wait_until_ready(ready, start_timeout)
        except BaseException:
            self.close()
            raise

    @property
    def pid(self) -> int:
        """Process id of the JVM."""
        return self._jvm.pid

    def close(self) -> None:
        """Ends the JVM, and kills it if it does not end in time. May be called more than once."""
        if self._jvm.stdin is not None:
            self._jvm.stdin.close()
        try:
            self._jvm.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._jvm.kill()
            self._jvm.wait()
        self._folder.cleanup()

    def why_ended(self) -> str | None:
        """Why the JVM has ended, with the end of its output; None if it runs."""
        if not self._output.exists():
            return "the local hub was closed"
        try:
            code = self._jvm.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            return None
        return f"the local hub ended with code {code}{self._output_text()}"

    def leave_to_parent(self) -> None:
        """In a forked child: closes its copy of the pipe, which would keep the JVM alive after the parent's end."""
        if self._jvm.stdin is not None:
            self._jvm.stdin.close()

    def _wait_until_ready(self, ready: Path, timeout: timedelta) -> Ports:
        deadline = time.monotonic() + timeout.total_seconds()
        while not ready.exists():
            code = self._jvm.poll()
            if code is not None:
                raise RuntimeError(f"the local hub ended with code {code} during its start{self._output_text()}")
            if time.monotonic() > deadline:
                seconds = timeout.total_seconds()
                raise TimeoutError(
                    f"the local hub was not ready after {seconds:g} s; set a longer start_timeout{self._output_text()}"
                )
            time.sleep(_POLL_SECONDS)
        content = json.loads(ready.read_text(encoding="utf-8"))
        return Ports(amqp=content["amqpPort"], http=content["httpPort"], tls=content.get("tlsPort"))

    def _output_text(self) -> str:
        text = self._output.read_text(encoding="utf-8", errors="replace").strip()
        return f". Its output:\n{text[-_MAX_OUTPUT_CHARACTERS:]}" if text else ". It printed nothing"


_RUNNING: Final[weakref.WeakSet[HubProcess]] = weakref.WeakSet()


def _leave_to_parent() -> None:
    for process in list(_RUNNING):
        process.leave_to_parent()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_leave_to_parent)
