"""The demo of the README, whole and killed in the middle; exit code 0 means that its own checks all passed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from short_jvm import QUICK_START

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DEMO = Path(__file__).resolve().parent.parent / "examples/flight_delays.py"
FLIGHTS = 30_000
SPARK = "org.apache.spark.deploy.SparkSubmit"
HUB = "spark-eventhubs-localhub.jar"


def command(data: Path, *more: str) -> list[str]:
    return [sys.executable, str(DEMO), "--data", str(data), "--limit", str(FLIGHTS), *more]


@contextmanager
def demo(data: Path, *more: str) -> Iterator[subprocess.Popen[bytes]]:
    """A demo that runs; it is gone at the end, whatever happens."""
    with (
        (data.parent / "output.txt").open("ab") as output,
        subprocess.Popen(command(data, *more), stdout=output, stderr=subprocess.STDOUT, env=QUICK_START) as process,
    ):
        try:
            yield process
        finally:
            process.kill()


def wait_until(condition: Callable[[], bool], process: subprocess.Popen[bytes], what: str) -> None:
    deadline = time.monotonic() + 240
    while not condition():
        assert process.poll() is None, f"the demo ended with {process.returncode} before {what}"
        assert time.monotonic() < deadline, f"waited 240 s until {what}"
        time.sleep(0.05)


def commits(data: Path) -> int:
    return len(list((data / "checkpoints/delays/commits").glob("[0-9]*")))


def children(parent: int, program: str) -> list[int]:
    """Processes that `parent` started and whose command line names `program`."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(FileNotFoundError, ProcessLookupError):  # it may end while it is looked at
            ppid = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if ppid == parent and program in (folder / "cmdline").read_text():
                found.append(int(folder.name))
    return found


def kill_in_the_middle(data: Path, program: str | None) -> None:
    """Starts the demo, lets it commit a batch, and kills it or a JVM of it in the next; all is gone afterwards."""
    before = commits(data)
    with demo(data, "--rate", "500") as process:
        wait_until(lambda: commits(data) >= before + 1, process, "one more batch was committed")
        started = children(process.pid, SPARK) + children(process.pid, HUB)
        assert len(started) == 2
        victims = [process.pid] if program is None else children(process.pid, program)
        for victim in victims:
            os.kill(victim, signal.SIGKILL)
        assert process.wait(90) != 0
    wait_until_gone(started)


def wait_until_gone(pids: list[int]) -> None:
    deadline = time.monotonic() + 60
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        assert time.monotonic() < deadline, "the JVMs of a killed demo were still there after 60 s"
        time.sleep(0.05)


@pytest.mark.timeout(1200)
def test_a_killed_demo_goes_on_where_it_was(tmp_path: Path) -> None:
    data = tmp_path / "demo"

    for program in (None, SPARK, HUB):
        kill_in_the_middle(data, program)

    assert_it_passes(data)
    assert_it_passes(data)  # with nothing left to do, it checks again


def assert_it_passes(data: Path) -> None:
    done = subprocess.run(command(data), capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert "FAILED" not in done.stdout
    assert f"flights counted in Parquet        │ {FLIGHTS:,}   │ {FLIGHTS:,} │ ok" in done.stdout
