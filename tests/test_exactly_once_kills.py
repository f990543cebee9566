"""Repeated kill -9 of the driver, while its streams copy a hub into two others, one per delivery guarantee.

`DRIVER_KILLS=30` runs the long form. `DRIVER_KILLS_SEED` repeats the moments of a run, as far as process scheduling
allows.
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

from events import numbers_in_hub, once, spread
from processes import QUICK_START, wait_until

if TYPE_CHECKING:
    from collections import Counter

    from spark_eventhubs import LocalEventHub, LocalHub

KILLS = int(os.environ.get("DRIVER_KILLS", "4"))
EVENTS_PER_KILL = 4000
# More events than drivers can copy before the last kill.
EVENTS = (KILLS + 2) * EVENTS_PER_KILL
SECONDS_PER_KILL = 120
PROGRAM = Path(__file__).parent / "killed_driver.py"
GUARANTEES: Final = ("exactly-once", "at-least-once")

pytestmark = pytest.mark.timeout(600 + 2 * SECONDS_PER_KILL * KILLS)


class Driver:
    """One driver process with its JVM, in a process group of its own."""

    def __init__(self, *arguments: str, log: Path) -> None:
        """Starts the process. Spark starts in the background."""
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

    def command(self, word: str) -> None:
        """Waits until the driver is ready, and sends it a command."""
        assert self._process.stdout is not None
        assert self._process.stdin is not None
        assert self._process.stdout.readline().strip() == "ready", "the driver did not start; see its log"
        self._process.stdin.write(f"{word}\n")
        self._process.stdin.flush()

    def kill(self) -> None:
        """Kills Python and the JVM at once."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()

    def ended(self) -> int | None:
        """The exit code, or None while it runs."""
        return self._process.poll()

    def wait(self, seconds: float) -> int:
        """Waits for the end and returns the exit code."""
        return self._process.wait(seconds)


class Copies:
    """A hub full of events, and the copies that killed drivers write."""

    def __init__(self, local_hub: LocalHub, folder: Path) -> None:
        """Fills the source hub and creates the hubs of the copies."""
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
        """Kills one driver after the other. The last one copies the remaining events."""
        moments = random.Random(int(os.environ.get("DRIVER_KILLS_SEED", "1")))  # noqa: S311 - no secret
        driver = self._start()
        try:
            for kill in range(KILLS):
                watched = self._sinks[GUARANTEES[kill % 2]]
                before = self._events_in(watched)
                driver.command("go")
                running, driver = driver, self._start()
                try:
                    self._wait_for_moment(running, watched, before, moments)
                finally:
                    running.kill()
            driver.command("drain")
            assert driver.wait(SECONDS_PER_KILL * 4) == 0, self._log.read_text()[-5000:]
        finally:
            driver.kill()

    def found(self, guarantee: str) -> Counter[int]:
        """The events of a copy, and how often each occurs."""
        return numbers_in_hub(self._sinks[guarantee])

    def _start(self) -> Driver:
        return Driver(*self._arguments, log=self._log)

    def _wait_for_moment(self, driver: Driver, sink: LocalEventHub, before: int, moments: random.Random) -> None:
        """Waits until a random number of events has arrived, and a random moment longer."""
        wanted = before + moments.randint(1, EVENTS_PER_KILL - 1)

        def has_arrived() -> bool:
            assert driver.ended() is None, f"the driver ended without a kill: {self._log.read_text()[-5000:]}"
            return self._events_in(sink) >= wanted

        wait_until(f"{wanted} events are in {sink.name}", has_arrived, seconds=SECONDS_PER_KILL)
        # A random moment within a trigger, which takes some tenths of a second.
        time.sleep(moments.uniform(0, 0.3))

    def _events_in(self, hub: LocalEventHub) -> int:
        """The number of events in a hub, over HTTP. An SDK client needs a second and a core to connect."""
        with urlopen(f"{self._hubs_url}/{hub.name}", timeout=60) as answer:  # noqa: S310 - our own hub
            return sum(partition["events"] for partition in json.load(answer)["partitions"])


@pytest.fixture(scope="module")
def copies(local_hub: LocalHub, tmp_path_factory: pytest.TempPathFactory) -> Copies:
    """The copies after all kills. One driver runs both copies, so that each kill hits both."""
    made = Copies(local_hub, tmp_path_factory.mktemp("kills"))
    made.run()
    return made


@pytest.mark.parametrize("guarantee", GUARANTEES)
def test_killed_drivers_lose_no_event_and_leave_duplicates_only_at_least_once(copies: Copies, guarantee: str) -> None:
    found = copies.found(guarantee)

    duplicates = found - once(range(EVENTS))
    sys.stdout.write(f"{guarantee}: {KILLS} kills, {EVENTS} events, {duplicates.total()} duplicates\n")
    assert not once(range(EVENTS)) - found, "no event is lost"
    if guarantee == "exactly-once":
        assert not duplicates, "no event is duplicated"
