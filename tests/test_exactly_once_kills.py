"""kill -9 of the driver, again and again, while a stream copies hub A into hub B.

`DRIVER_KILLS=30` is the long form; `DRIVER_KILLS_SEED` repeats a run's moments as far as processes let it.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from event_log import partition_extents
from events import numbers_in_hub, once, spread

if TYPE_CHECKING:
    from spark_eventhubs import LocalEventHub, LocalHub

KILLS = int(os.environ.get("DRIVER_KILLS", "4"))
EVENTS_PER_KILL = 4000
SECONDS_PER_KILL = 30
PROGRAM = Path(__file__).parent / "killed_driver.py"


class Driver:
    """One driver process with its JVM, in a process group of its own."""

    def __init__(self, *arguments: str, log: Path) -> None:
        """Starts it; Spark's start goes on in the background."""
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                [sys.executable, str(PROGRAM), *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=output,
                text=True,
                start_new_session=True,
            )

    def say(self, word: str) -> None:
        """Lets it begin, once it is ready."""
        assert self._process.stdout is not None
        assert self._process.stdin is not None
        assert self._process.stdout.readline().strip() == "ready", "the driver did not start; see its log"
        self._process.stdin.write(f"{word}\n")
        self._process.stdin.flush()

    def kill(self) -> None:
        """Ends Python and the JVM at once, wherever they are."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()

    def ended(self) -> int | None:
        """Its exit code, if it has ended."""
        return self._process.poll()

    def wait(self, seconds: float) -> int:
        """Its exit code."""
        return self._process.wait(seconds)


def events_in(hub: LocalEventHub) -> int:
    """How many events have arrived."""
    return sum(extent.until - extent.first for extent in partition_extents(hub.connection_string).values())


def copy_with_kills(source: LocalEventHub, sink: LocalEventHub, folder: Path, guarantee: str) -> int:
    """Copies while drivers are killed, and then what is left; gives the number of events."""
    moments = random.Random(int(os.environ.get("DRIVER_KILLS_SEED", "1")))  # noqa: S311 - no secret
    log = folder / "drivers.log"
    arguments = (source.connection_string, sink.connection_string, str(folder / "checkpoint"), guarantee)
    driver = Driver(*arguments, log=log)
    try:
        for kill in range(KILLS):
            spread(source, range(kill * EVENTS_PER_KILL, (kill + 1) * EVENTS_PER_KILL))
            before = events_in(sink)
            driver.say("go")
            running, driver = driver, Driver(*arguments, log=log)
            try:
                wait_for_moment(running, sink, before, moments)
            finally:
                running.kill()
        driver.say("drain")
        assert driver.wait(SECONDS_PER_KILL * 4) == 0, log.read_text()[-5000:]
    finally:
        driver.kill()
    return KILLS * EVENTS_PER_KILL


def wait_for_moment(driver: Driver, sink: LocalEventHub, before: int, moments: random.Random) -> None:
    """Until so many events have arrived, or so long after the first did."""
    wanted = before + moments.randint(1, EVENTS_PER_KILL - 1)
    deadline = time.monotonic() + SECONDS_PER_KILL
    while events_in(sink) < wanted and time.monotonic() < deadline:
        assert driver.ended() is None, "the driver ended by itself; see its log"
    # A moment within a trigger: all is done within some tenths of a second.
    time.sleep(moments.uniform(0, 0.3))


@pytest.mark.timeout(120 + 2 * SECONDS_PER_KILL * KILLS)
@pytest.mark.parametrize("guarantee", ["exactly-once", "at-least-once"])
def test_a_driver_that_is_killed_again_and_again(
    local_hub: LocalHub, event_hub: LocalEventHub, tmp_path: Path, guarantee: str
) -> None:
    copy = local_hub.create_hub(f"{event_hub.name}-{guarantee}", partitions=4)

    count = copy_with_kills(event_hub, copy, tmp_path, guarantee)

    found = numbers_in_hub(copy)
    duplicates = found - once(range(count))
    sys.stdout.write(f"{guarantee}: {KILLS} kills, {count} events, {duplicates.total()} duplicates\n")
    assert not once(range(count)) - found, "no event is lost"
    if guarantee == "exactly-once":
        assert not duplicates, "no event is there twice"
