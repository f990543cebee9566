"""kill -9 of the driver, again and again, while its streams copy a hub into one of each delivery guarantee.

`DRIVER_KILLS=30` is the long form; `DRIVER_KILLS_SEED` repeats a run's moments as far as processes let it.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.request import urlopen

import pytest

from cluster import wait_until
from events import numbers_in_hub, once, spread
from short_jvm import QUICK_START

if TYPE_CHECKING:
    from collections import Counter

    from spark_eventhubs import LocalEventHub, LocalHub

KILLS = int(os.environ.get("DRIVER_KILLS", "4"))
EVENTS_PER_KILL = 4000
# More than are copied until the last kill, however long a driver lives after its moment.
EVENTS = (KILLS + 2) * EVENTS_PER_KILL
SECONDS_PER_KILL = 120
PROGRAM = Path(__file__).parent / "killed_driver.py"
GUARANTEES: Final = ("exactly-once", "at-least-once")

pytestmark = pytest.mark.timeout(600 + 2 * SECONDS_PER_KILL * KILLS)


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
                env=QUICK_START,
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


class Copies:
    """A hub full of events, and what drivers that are killed make of it."""

    def __init__(self, local_hub: LocalHub, folder: Path) -> None:
        """Fills the source."""
        self._hubs_url = f"{local_hub.http_url}/hubs"
        self._log = folder / "drivers.log"
        source = local_hub.create_hub("kills", partitions=4)
        for first in range(0, EVENTS, EVENTS_PER_KILL):
            spread(source, range(first, first + EVENTS_PER_KILL))
        self._sinks = {name: local_hub.create_hub(f"kills-{name}", partitions=4) for name in GUARANTEES}
        self._arguments = [str(folder / "checkpoints"), source.connection_string]
        for name, sink in self._sinks.items():
            self._arguments += [name, sink.connection_string]

    def run(self) -> None:
        """Kills driver after driver, and lets the last one copy what is left."""
        moments = random.Random(int(os.environ.get("DRIVER_KILLS_SEED", "1")))  # noqa: S311 - no secret
        driver = self._start()
        try:
            for kill in range(KILLS):
                watched = self._sinks[GUARANTEES[kill % 2]]
                before = self._events_in(watched)
                driver.say("go")
                running, driver = driver, self._start()
                try:
                    self._wait_for_moment(running, watched, before, moments)
                finally:
                    running.kill()
            driver.say("drain")
            assert driver.wait(SECONDS_PER_KILL * 4) == 0, self._log.read_text()[-5000:]
        finally:
            driver.kill()

    def found(self, guarantee: str) -> Counter[int]:
        """The events of a copy, and how often each is there."""
        return numbers_in_hub(self._sinks[guarantee])

    def _start(self) -> Driver:
        return Driver(*self._arguments, log=self._log)

    def _wait_for_moment(self, driver: Driver, sink: LocalEventHub, before: int, moments: random.Random) -> None:
        """Until so many events have arrived, and a little longer."""
        wanted = before + moments.randint(1, EVENTS_PER_KILL - 1)

        def has_arrived() -> bool:
            assert driver.ended() is None, f"the driver ended by itself: {self._log.read_text()[-5000:]}"
            return self._events_in(sink) >= wanted

        wait_until(f"{wanted} events are in {sink.name}", has_arrived, seconds=SECONDS_PER_KILL)
        # A moment within a trigger: all is done within some tenths of a second.
        time.sleep(moments.uniform(0, 0.3))

    def _events_in(self, hub: LocalEventHub) -> int:
        """How many have arrived, as the hub tells over HTTP: an SDK would take a second, and a core, to connect."""
        with urlopen(f"{self._hubs_url}/{hub.name}", timeout=60) as answer:  # noqa: S310 - our own hub
            return sum(partition["events"] for partition in json.load(answer)["partitions"])


@pytest.fixture(scope="module")
def copies(local_hub: LocalHub, tmp_path_factory: pytest.TempPathFactory) -> Copies:
    """What is there after all kills. One driver runs both copies, so that each kill meets both."""
    made = Copies(local_hub, tmp_path_factory.mktemp("kills"))
    made.run()
    return made


@pytest.mark.parametrize("guarantee", GUARANTEES)
def test_a_driver_that_is_killed_again_and_again(copies: Copies, guarantee: str) -> None:
    found = copies.found(guarantee)

    duplicates = found - once(range(EVENTS))
    sys.stdout.write(f"{guarantee}: {KILLS} kills, {EVENTS} events, {duplicates.total()} duplicates\n")
    assert not once(range(EVENTS)) - found, "no event is lost"
    if guarantee == "exactly-once":
        assert not duplicates, "no event is there twice"
