"""A stream that changes its engine at each restart, and whose driver is killed with kill -9 before each change.

`ENGINE_CHANGES` says how many changes there are, `ENGINE_CHANGES_SEED` repeats the steps at which drivers are killed.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from itertools import count
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Final

import pytest
from azure.eventhub import EventData, EventHubProducerClient

from confs import from_earliest
from events import once, spread
from processes import SPARK_ENVIRONMENT, wait_until
from pure_versions import HAS_STREAMS
from spark_eventhubs import read_stream
from spark_eventhubs.errors import DataLossError
from streams import Target, run_available

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

    from spark_eventhubs import LocalEventHub, LocalHub

CHANGES: Final = int(os.environ.get("ENGINE_CHANGES", "20"))
ENGINES: Final = ("jar", "python")
SECONDS_PER_TURN: Final = 180
EVENTS_AT_ONCE: Final = 10

pytestmark = [
    pytest.mark.skipif(not HAS_STREAMS, reason="streams of the engine in Python need Spark 4.2"),
    pytest.mark.skipif(os.environ.get("TESTS") != "all", reason="takes minutes; TESTS=all runs it"),
    pytest.mark.timeout(600 + SECONDS_PER_TURN * CHANGES),
]


class Writer:
    """Sends numbers from 0 on with the official SDK, some to each partition at a time, until it is closed."""

    def __init__(self, hub: LocalEventHub) -> None:
        self.sent = dict.fromkeys(range(hub.partitions), 0)
        self._hub = hub
        self._ended = Event()
        self._failure: Exception | None = None
        self._thread = Thread(target=self._run)
        self._thread.start()

    def close(self) -> None:
        """Ends it. Raises what it failed with."""
        self._ended.set()
        self._thread.join()
        if self._failure is not None:
            raise self._failure

    def _run(self) -> None:
        try:
            with EventHubProducerClient.from_connection_string(self._hub.connection_string) as producer:
                for turn in count():
                    partition = turn % self._hub.partitions
                    batch = producer.create_batch(partition_id=str(partition))
                    for number in range(turn * EVENTS_AT_ONCE, (turn + 1) * EVENTS_AT_ONCE):
                        batch.add(EventData(str(number)))
                    producer.send_batch(batch)
                    self.sent[partition] += EVENTS_AT_ONCE
                    if self._ended.wait(0.05):
                        return
        except Exception as failure:  # noqa: BLE001 - it is raised in the test's thread
            self._failure = failure


class Turn:
    """One driver process with its JVM and workers, in a process group of its own."""

    def __init__(self, engine: str, hub: LocalEventHub, folder: Path) -> None:
        """Starts the process. Spark starts in the background."""
        self.engine = engine
        self._log = folder / "turns.log"
        program = Path(__file__).with_name("engine_turn.py")
        with self._log.open("ab") as output:
            self._process = subprocess.Popen(
                [sys.executable, program, engine, hub.connection_string, folder],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=output,
                env=SPARK_ENVIRONMENT,
                text=True,
                start_new_session=True,
            )

    def begin(self, word: str) -> None:
        """Waits until the driver is ready, and sends its word."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stdout.readline().strip() == "ready", self._said()
        self._process.stdin.write(f"{word}\n")
        self._process.stdin.flush()

    def drain(self) -> dict[str, int]:
        """Reads all events. Returns what the driver says of the rows."""
        self.begin("drain")
        assert self._process.stdout is not None
        facts: dict[str, int] = json.loads(self._process.stdout.readline() or f'"{self._said()}"')
        return facts

    def require_alive(self) -> None:
        """Fails if the driver ended without a kill."""
        assert self._process.poll() is None, f"the turn of {self.engine} ended: {self._said()}"

    def kill(self) -> None:
        """Kills Python, the JVM and the workers at once."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()

    def _said(self) -> str:
        return self._log.read_text(encoding="utf-8")[-5000:]


class Folder:
    """The files of the query: a step of a micro-batch has been done when its file is there."""

    STEPS: Final = {"plan": "checkpoint/offsets", "rows": "rows/_spark_metadata", "commit": "checkpoint/commits"}

    def __init__(self, path: Path) -> None:
        self.path = path

    def last(self, step: str) -> int:
        """The last batch of which a step is done; -1 if there is none."""
        folder = self.path / self.STEPS[step]
        names = (each.name.partition(".")[0] for each in (folder.iterdir() if folder.is_dir() else ()))
        return max((int(name) for name in names if name.isdecimal()), default=-1)

    def state(self) -> str:
        """At which step of a batch the query is."""
        plan, rows, commit = map(self.last, self.STEPS)
        return "between batches" if plan <= commit else "rows written, not committed" if rows >= plan else "planned"

    def positions(self) -> dict[str, dict[str, int]]:
        """Where the last batch ends."""
        text = (self.path / "checkpoint/offsets" / str(self.last("plan"))).read_text(encoding="utf-8")
        found: dict[str, dict[str, int]] = json.loads(text.splitlines()[-1])
        return found


def test_each_event_is_read_once_whichever_engine_continues(event_hub: LocalEventHub, tmp_path: Path) -> None:
    chosen = random.Random(int(os.environ.get("ENGINE_CHANGES_SEED", "1")))  # noqa: S311 - no secret
    folder, writer = Folder(tmp_path), Writer(event_hub)
    states: Counter[tuple[str, str]] = Counter()
    turn = Turn(ENGINES[0], event_hub, tmp_path)
    try:
        for change in range(1, CHANGES + 1):
            running, turn = turn, Turn(ENGINES[change % 2], event_hub, tmp_path)
            try:
                step = list(Folder.STEPS)[change // 2 % len(Folder.STEPS)]
                wanted = folder.last(step) + chosen.randint(1, 3)
                running.begin("go")

                def is_reached(running: Turn = running, step: str = step, wanted: int = wanted) -> bool:
                    running.require_alive()
                    return folder.last(step) >= wanted

                _wait_closely(f"the {step} of batch {wanted}", is_reached)
                if chosen.random() < 0.5:
                    # A random moment within the batch, which takes some tenths of a second.
                    time.sleep(chosen.uniform(0, 0.4))
            finally:
                running.kill()
            states[running.engine, folder.state()] += 1
        writer.close()
        first = turn.drain()
        assert folder.positions() == _ends(event_hub, writer)
    finally:
        turn.kill()
        writer.close()
    other = Turn(ENGINES[(CHANGES + 1) % 2], event_hub, tmp_path)
    try:
        again = Writer(event_hub)
        wait_until("more events are sent", lambda: sum(again.sent.values()) >= 100)
        again.close()
        last = other.drain()
    finally:
        other.kill()

    sent = sum(writer.sent.values())
    sys.stdout.write(f"{CHANGES} changes, {folder.last('commit') + 1} batches, {sent} events, killed {dict(states)}\n")
    assert first == {"rows": sent, "numbers": sent, "least": 0, "most": sent - 1, "events": sent}
    total = sent + sum(again.sent.values())
    assert (last["rows"], last["events"]) == (total, total)
    assert folder.positions() == _ends(event_hub, writer, again)


def test_the_jar_reports_a_recreated_hub_that_the_engine_in_python_has_continued_to_read(
    both: SparkSession, event_hub: LocalEventHub, tmp_path: Path
) -> None:
    target, conf = Target(tmp_path), from_earliest(event_hub)
    spread(event_hub, range(400))
    run_available(target.writer(read_stream(both, conf)))
    event_hub.recreate()
    spread(event_hub, range(1000, 1800))

    # The new hub has more events than were read, and only the jar keeps its creation time.
    run_available(target.writer(read_stream(both, conf, engine="python")))
    assert target.numbers(both) == once([*range(400), *range(1400, 1800)])

    with pytest.raises(DataLossError) as lost:
        run_available(target.writer(read_stream(both, conf)))
    assert lost.value.condition == "EVENTHUBS_DATA_LOSS.RECREATED"
    run_available(target.writer(read_stream(both, conf.replace(fail_on_data_loss=False))))
    run_available(target.writer(read_stream(both, conf, engine="python")))
    run_available(target.writer(read_stream(both, conf)))
    read_twice = once(range(1400, 1800))
    assert target.numbers(both) == once(range(400)) + once(range(1000, 1800)) + read_twice


def test_the_jar_reports_a_promotion_that_the_engine_in_python_has_not_noticed(
    both: SparkSession, local_hub: LocalHub, tmp_path: Path
) -> None:
    event_hub = local_hub.create_hub("promoted", partitions=2, geo_replication=True)
    target, conf = Target(tmp_path), from_earliest(event_hub)
    spread(event_hub, range(100))
    run_available(target.writer(read_stream(both, conf)))
    event_hub.promote()
    spread(event_hub, range(100, 200))
    run_available(target.writer(read_stream(both, conf, engine="python")))
    assert target.numbers(both) == once(range(200))

    with pytest.raises(DataLossError) as lost:
        run_available(target.writer(read_stream(both, conf)))
    assert lost.value.condition == "EVENTHUBS_DATA_LOSS.FAILED_OVER"
    run_available(target.writer(read_stream(both, conf.replace(fail_on_data_loss=False))))
    spread(event_hub, range(200, 220))
    run_available(target.writer(read_stream(both, conf)))
    read_twice = once(range(100, 200))
    assert target.numbers(both) == once(range(220)) + read_twice


def _wait_closely(what: str, condition: Callable[[], bool]) -> None:
    """As `wait_until`, but a step lasts for milliseconds."""
    end = time.monotonic() + SECONDS_PER_TURN
    while not condition():
        assert time.monotonic() < end, f"waited {SECONDS_PER_TURN} s for {what}"
        time.sleep(0.002)


def _ends(hub: LocalEventHub, *writers: Writer) -> dict[str, dict[str, int]]:
    totals = {str(each): sum(writer.sent[each] for writer in writers) for each in range(hub.partitions)}
    return {hub.name: totals}
