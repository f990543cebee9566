"""Streams that copy hubs into two others, one per delivery guarantee, while something goes wrong again and again.

Their driver is killed with kill -9; the queries are stopped and started again in one application while their tasks are
busy; a proxy holds what one connection sends for longer than an attempt to send may take. `DRIVER_KILLS=30` runs the
long form, with half as many restarts and stalls. `DRIVER_KILLS_SEED` repeats the moments of a run, as far as process
scheduling allows.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.request import urlopen

import pytest

from events import numbers_in_hub, once, spread
from hub_service import PATIENCE
from processes import QUICK_START, wait_until
from stalling_proxy import StallingProxy

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Mapping

    from spark_eventhubs import LocalEventHub, LocalHub

KILLS = int(os.environ.get("DRIVER_KILLS", "2"))
EVENTS_PER_KILL = 4000
SECONDS_PER_KILL = 120
# Restarts and stalls take longer than kills.
DISTURBANCES = max(1, KILLS // 2)
PROGRAM = Path(__file__).with_name("killed_driver.py")
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
                env={**QUICK_START, "OPERATION_TIMEOUT": f"{8 * PATIENCE}s"},
                text=True,
                start_new_session=True,
            )

    def command(self, word: str) -> None:
        """Waits until the driver is ready, and sends it its first command."""
        assert self._process.stdout is not None
        assert self._process.stdout.readline().strip() == "ready", "the driver did not start; see its log"
        self.say(word)

    def say(self, word: str) -> None:
        """Sends a further command."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{word}\n")
        self._process.stdin.flush()

    def finish(self) -> None:
        """Says that there is no further command."""
        assert self._process.stdin is not None
        self._process.stdin.close()

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

    def __init__(
        self,
        local_hub: LocalHub,
        folder: Path,
        name: str,
        *,
        sources: int = 1,
        proxies: Mapping[str, StallingProxy] | None = None,
    ) -> None:
        """Fills the source hubs, which one query reads, and creates the copies, each perhaps behind its proxy."""
        self._proxies = proxies or {}
        self._hubs_url = f"{local_hub.http_url}/hubs"
        self._log = folder / "drivers.log"
        self._sources = [local_hub.create_hub(f"{name}-{each}", partitions=4 // sources) for each in range(sources)]
        self.events = 0
        self._fill((KILLS + 2) * EVENTS_PER_KILL)
        self._sinks = {kind: local_hub.create_hub(f"{name}-{kind}", partitions=4) for kind in GUARANTEES}
        names = ",".join(source.name for source in self._sources)
        self._arguments = [str(folder / "checkpoints"), self._sources[0].connection_string, names]
        for kind, sink in self._sinks.items():
            direct = sink.connection_string
            proxy = self._proxies.get(kind)
            hub_port = f":{local_hub.amqp_port}"
            self._arguments += [kind, direct if proxy is None else direct.replace(hub_port, f":{proxy.port}")]

    def run(self) -> None:
        """Kills one driver after the other. The last one copies the remaining events."""
        moments = random.Random(int(os.environ.get("DRIVER_KILLS_SEED", "1")))  # noqa: S311 - no secret
        driver = self._start()
        try:
            for kill in range(KILLS):
                watched = self._sinks[GUARANTEES[kill % 2]]
                before = self._events_in(watched)
                # The copy with duplicates may be far ahead of the other one, and must not run out of events.
                self._fill(before + 2 * EVENTS_PER_KILL)
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

    def run_restarting(self) -> None:
        """Stops and starts the queries of one driver. The last run copies the remaining events."""
        self._run_one("busy", lambda driver, _: driver.say("restart"))

    def run_stalling(self) -> None:
        """Stalls a connection of one copy after the other, until its events arrive over another one."""

        def stall(driver: Driver, sink: LocalEventHub) -> None:
            kind = next(kind for kind, hub in self._sinks.items() if hub is sink)
            gate = self._proxies[kind].stall()
            try:
                # The attempt has 2 seconds. At most 10 seconds later its bytes must have arrived.
                time.sleep(5)
            finally:
                gate.set()
            self._wait_for(driver, sink, self._events_in(sink) + 1)

        self._run_one("slow", stall)

    def _run_one(self, word: str, disturb: Callable[[Driver, LocalEventHub], None]) -> None:
        moments = random.Random(int(os.environ.get("DRIVER_KILLS_SEED", "1")))  # noqa: S311 - no secret
        driver = self._start()
        try:
            driver.command(word)
            for number in range(DISTURBANCES):
                watched = self._sinks[GUARANTEES[number % 2]]
                self._wait_for(driver, watched, self._events_in(watched) + moments.randint(1, 100))
                time.sleep(moments.uniform(0, 0.3))
                disturb(driver, watched)
            driver.say("drain")
            driver.finish()
            assert driver.wait(SECONDS_PER_KILL * 4) == 0, self._log.read_text()[-5000:]
        finally:
            driver.kill()

    def found(self, guarantee: str) -> Counter[int]:
        """The events of a copy, and how often each occurs."""
        return numbers_in_hub(self._sinks[guarantee])

    def _fill(self, least: int) -> None:
        """Sends events to the sources in turn until they have at least this many."""
        while self.events < least:
            source = self._sources[self.events // EVENTS_PER_KILL % len(self._sources)]
            spread(source, range(self.events, self.events + EVENTS_PER_KILL))
            self.events += EVENTS_PER_KILL

    def _start(self) -> Driver:
        return Driver(*self._arguments, log=self._log)

    def _wait_for_moment(self, driver: Driver, sink: LocalEventHub, before: int, moments: random.Random) -> None:
        """Waits until a random number of events has arrived, and a random moment longer."""
        self._wait_for(driver, sink, before + moments.randint(1, EVENTS_PER_KILL - 1))
        # A random moment within a trigger, which takes some tenths of a second.
        time.sleep(moments.uniform(0, 0.3))

    def _wait_for(self, driver: Driver, sink: LocalEventHub, wanted: int) -> None:
        def has_arrived() -> bool:
            assert driver.ended() is None, f"the driver ended without a kill: {self._log.read_text()[-5000:]}"
            return self._events_in(sink) >= wanted

        wait_until(f"{wanted} events are in {sink.name}", has_arrived, seconds=SECONDS_PER_KILL)

    def _events_in(self, hub: LocalEventHub) -> int:
        """The number of events in a hub, over HTTP. An SDK client needs a second and a core to connect."""
        with urlopen(f"{self._hubs_url}/{hub.name}", timeout=60) as answer:  # noqa: S310 - our own hub
            return sum(partition["events"] for partition in json.load(answer)["partitions"])


@pytest.fixture(scope="module")
def killed(local_hub: LocalHub, tmp_path_factory: pytest.TempPathFactory) -> Copies:
    """The copies after all kills. One driver runs both copies, so that each kill hits both."""
    made = Copies(local_hub, tmp_path_factory.mktemp("kills"), "kills", sources=2)
    made.run()
    return made


@pytest.fixture(scope="module")
def restarted(local_hub: LocalHub, tmp_path_factory: pytest.TempPathFactory) -> Copies:
    """The copies after the queries were stopped and started again in one application."""
    made = Copies(local_hub, tmp_path_factory.mktemp("restarts"), "restarts")
    made.run_restarting()
    return made


@pytest.fixture(scope="module")
def stalled(local_hub: LocalHub, tmp_path_factory: pytest.TempPathFactory) -> Copies:
    """The copies after their connections stalled."""
    with ExitStack() as stack:
        # One each, so that a stall hits the copy that is watched.
        proxies = {kind: stack.enter_context(StallingProxy(local_hub.amqp_port)) for kind in GUARANTEES}
        made = Copies(local_hub, tmp_path_factory.mktemp("stalls"), "stalls", proxies=proxies)
        made.run_stalling()
    return made


@pytest.mark.parametrize("guarantee", GUARANTEES)
@pytest.mark.parametrize("what", ["killed", "restarted", "stalled"])
def test_no_event_is_lost_and_only_at_least_once_leaves_duplicates(
    what: str, guarantee: str, request: pytest.FixtureRequest
) -> None:
    copies: Copies = request.getfixturevalue(what)

    found = copies.found(guarantee)

    sent = once(range(copies.events))
    duplicates = found - sent
    times = KILLS if what == "killed" else DISTURBANCES
    sys.stdout.write(f"{what}, {guarantee}: {times} times, {copies.events} events, {duplicates.total()} duplicates\n")
    assert not sent - found, "no event is lost"
    if guarantee == "exactly-once":
        assert not duplicates, "no event is duplicated"
