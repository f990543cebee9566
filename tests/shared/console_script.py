"""Runs the console script as its users do: as a process."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from processes import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def script(*arguments: str) -> list[str]:
    """The command line."""
    return [sys.executable, "-m", "spark_eventhubs", *arguments]


def ended(connection_string: str, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Runs a command to its end."""
    return subprocess.run(
        script(*arguments),
        env=_environment(connection_string),
        input=stdin,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def ended_into_head(connection_string: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs a command whose reader ends after one line. The exit code is the command's."""
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail; {shlex.join(script(*arguments))} | head -1"],
        env=_environment(connection_string),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@contextmanager
def started(connection_string: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A running command, with pipes."""
    with subprocess.Popen(
        script(*arguments),
        env=_environment(connection_string),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # In a background shell the tests and their child processes ignore Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509 -- no threads yet
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def signal_when(process: subprocess.Popen[str], condition: Callable[[], bool]) -> tuple[int, str]:
    """Sends Ctrl-C when the condition is true. Returns the exit code and what the command wrote to stderr."""
    wait_until("the command is ready for Ctrl-C", condition)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    return process.returncode, errors


def _environment(connection_string: str) -> dict[str, str]:
    return {**os.environ, "EVENTHUBS_CONNECTION_STRING": connection_string}
