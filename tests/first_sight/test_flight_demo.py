"""The demo of the README, also when it is killed. Exit code 0 means that all checks of the demo passed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pages import ROOT
from processes import QUICK_START, output_of, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

DEMO = ROOT / "examples/flight_delays.py"
FLIGHTS = 30_000
SPARK = "org.apache.spark.deploy.SparkSubmit"
HUB = "spark-eventhubs-localhub.jar"


def command(data: Path, *options: str) -> list[str]:
    return [sys.executable, str(DEMO), "--data", str(data), "--limit", str(FLIGHTS), *options]


@contextmanager
def running_demo(data: Path, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    """A demo that runs until the end of the block."""
    with (
        (data.parent / "output.txt").open("ab") as output,
        subprocess.Popen(command(data, *options), stdout=output, stderr=subprocess.STDOUT, env=QUICK_START) as process,
    ):
        try:
            yield process
        finally:
            process.kill()


def commits(data: Path) -> int:
    return len(list((data / "checkpoints/delays/commits").glob("[0-9]*")))


def children(parent: int, program: str) -> list[int]:
    """Child processes of `parent` with `program` in their command line."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(FileNotFoundError, ProcessLookupError):  # the process may have ended
            ppid = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if ppid == parent and program in (folder / "cmdline").read_text():
                found.append(int(folder.name))
    return found


def kill_in_the_middle(data: Path, program: str | None) -> None:
    """Starts the demo, waits for a committed batch, and kills the demo or one of its JVMs in the next batch."""
    before = commits(data)
    with running_demo(data, "--rate", "500") as process:

        def has_committed() -> bool:
            assert process.poll() is None, f"the demo ended with {process.returncode} before it committed a batch"
            return commits(data) > before

        wait_until("one more batch is committed", has_committed, seconds=240)
        started = children(process.pid, SPARK) + children(process.pid, HUB)
        assert len(started) == 2
        victims = [process.pid] if program is None else children(process.pid, program)
        for victim in victims:
            os.kill(victim, signal.SIGKILL)
        assert process.wait(90) != 0
    wait_until("the JVMs have ended", lambda: not any(Path(f"/proc/{pid}").exists() for pid in started), seconds=60)


@pytest.mark.timeout(1200)
def test_a_killed_demo_continues_where_it_stopped(tmp_path: Path) -> None:
    data = tmp_path / "demo"

    is_long = os.environ.get("TESTS") == "all"
    for program in (None, SPARK, HUB) if is_long else (HUB,):
        kill_in_the_middle(data, program)

    assert_it_passes(data)
    if is_long:
        assert_it_passes(data)  # nothing is left to do: it only checks again


def assert_it_passes(data: Path) -> None:
    output = output_of(command(data), env=os.environ)
    assert "FAILED" not in output
    assert f"flights counted in Parquet        │ {FLIGHTS:,}   │ {FLIGHTS:,} │ ok" in output
