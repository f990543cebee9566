"""The official event processor for Python and a stream take turns in one consumer group, and some owners are killed.

`OWNER_KILLS=10` runs the long form. `OWNER_KILLS_SEED` repeats the moments of a run, as far as scheduling allows.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from processes import QUICK_START, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from azure.storage.blob import ContainerClient

    from azurite_server import Azurite
    from spark_eventhubs import LocalEventHub, LocalHub

KILLS = int(os.environ.get("OWNER_KILLS", "2"))
EVENTS_PER_TURN = 150
PARTITIONS = 2
HERE = Path(__file__).parent
ENVIRONMENT = QUICK_START | {"PYTHONPATH": os.pathsep.join(sys.path)}

pytestmark = pytest.mark.timeout(300 + 90 * KILLS)


@dataclass
class Turn:
    """One owner's time: what it processed, and what stood in the store and in Spark's checkpoint when it started."""

    is_stream: bool
    log: Path
    checkpoints: dict[int, int]
    unfinished: set[int]
    process: subprocess.Popen[bytes] = field(repr=False)

    def events(self) -> list[tuple[int, int]]:
        """Partition and sequence number of each event that was processed, in order."""
        return [(int(words[0]), int(words[1])) for words in self._lines()]

    def batches(self) -> dict[tuple[int, int], int]:
        """The micro-batch of each event; empty for a processor."""
        return {(int(words[0]), int(words[1])): int(words[2]) for words in self._lines() if self.is_stream}

    def _lines(self) -> list[list[str]]:
        if not self.log.exists():
            return []
        # The last line of a killed owner may be incomplete.
        whole = self.log.read_text(encoding="utf-8").rpartition("\n")[0]
        return [line.split() for line in whole.splitlines()]

    def assert_running(self) -> None:
        """Fails with the end of its error output when it has ended."""
        assert self.process.poll() is None, self.log.with_suffix(".err").read_text()[-3000:]

    def stop(self) -> None:
        """Ends it as planned: it releases its partitions."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        assert self.process.wait(60) == 0, f"see {self.log}.err"

    def kill(self) -> None:
        """Kills it with all that it has started."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


class Relay:
    """A hub, a container and the owners that took turns."""

    def __init__(self, hub: LocalEventHub, azurite: Azurite, container: ContainerClient, folder: Path) -> None:
        """Starts no owner yet."""
        self._hub, self._azurite, self._container, self._folder = hub, azurite, container, folder
        self._checkpoint = folder / "checkpoint"
        self.turns: list[Turn] = []
        self.sent = 0

    def send(self, count: int) -> None:
        """Sends events to all partitions."""
        for partition in range(PARTITIONS):
            self._hub.send(*(str(n) for n in range(count)), partition=partition)
        self.sent += count

    def start(self, *, is_stream: bool) -> Turn:
        """Starts the next owner. The one before has ended."""
        log = self._folder / f"turn-{len(self.turns)}"
        program = HERE / ("owning_stream.py" if is_stream else "python_processor.py")
        arguments = [self._hub.connection_string, self._azurite.connection_string, self._container.container_name]
        more = [str(self._checkpoint)] if is_stream else []
        # Before it can change them.
        checkpoints, unfinished = self.checkpoints(), self._batches("offsets") - self._batches("commits")
        with log.with_suffix(".err").open("wb") as errors:
            process = subprocess.Popen(
                [sys.executable, str(program), *arguments, str(log), *more],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                env=ENVIRONMENT,
                start_new_session=True,
            )
        turn = Turn(is_stream, log, checkpoints, unfinished, process)
        self.turns.append(turn)
        return turn

    def _batches(self, log: str) -> set[int]:
        """The batches that Spark has planned (offsets) or committed (commits), each in a file named by its number."""
        folder = self._checkpoint / log
        # Drafts and checksums have other names.
        return {int(file.name) for file in folder.iterdir() if file.name.isdigit()} if folder.exists() else set()

    def checkpoints(self) -> dict[int, int]:
        """The last processed sequence number of each partition, as the store has it."""
        blobs = self._container.list_blobs(include=["metadata"])
        return {
            int(blob.name.rpartition("/")[2]): int(blob.metadata["sequencenumber"])
            for blob in blobs
            if "/checkpoint/" in blob.name
        }

    def owners(self) -> dict[int, str]:
        """The owner that each partition's blob names; empty text for released partitions."""
        blobs = self._container.list_blobs(include=["metadata"])
        return {
            int(blob.name.rpartition("/")[2]): blob.metadata["ownerid"] or ""
            for blob in blobs
            if "/ownership/" in blob.name
        }

    def wait_for(self, turn: Turn, count: int) -> None:
        """Waits until this owner has processed so many events."""

        def has_processed() -> bool:
            turn.assert_running()
            return len(turn.events()) >= count

        wait_until(f"turn {turn.log} has processed {count} events; see {turn.log}.err", has_processed, seconds=180)

    def wait_for_end(self) -> None:
        """Waits until the store says that all events are processed."""
        last = dict.fromkeys(range(PARTITIONS), self.sent - 1)
        turn = self.turns[-1]

        def has_ended() -> bool:
            turn.assert_running()
            return self.checkpoints() == last

        # A processor writes a checkpoint after each event, so it is slow with what killed owners have left.
        seconds = 90 + self.sent * PARTITIONS / 20
        wait_until(f"all events are processed; see {turn.log}.err", has_ended, seconds=seconds)

    def end(self) -> None:
        """Kills what still runs."""
        for turn in self.turns:
            turn.kill()


@pytest.fixture
def relay(local_hub: LocalHub, azurite: Azurite, container: ContainerClient, tmp_path: Path) -> Iterator[Relay]:
    """A relay with a hub of its own."""
    name = container.container_name
    made = Relay(local_hub.create_hub(name, partitions=PARTITIONS), azurite, container, tmp_path)
    yield made
    made.end()
    local_hub.delete_hub(name)


def test_owners_take_turns_and_some_are_killed(relay: Relay) -> None:
    moments = random.Random(int(os.environ.get("OWNER_KILLS_SEED", "1")))  # noqa: S311 - no secret
    relay.send(EVENTS_PER_TURN)
    # Killed owners, each followed by an owner of the other kind, which waits until the lease expires.
    for kill in range(KILLS):
        turn = relay.start(is_stream=kill % 2 == 1)
        relay.wait_for(turn, moments.randrange(1, EVENTS_PER_TURN))
        turn.kill()
        relay.send(EVENTS_PER_TURN)
    # Two owners that end as planned.
    for is_stream in (KILLS % 2 == 1, KILLS % 2 == 0):
        turn = relay.start(is_stream=is_stream)
        relay.wait_for_end()
        turn.stop()
        if is_stream:  # The SDK's stop does not wait for a claim that is on its way.
            assert relay.owners() == dict.fromkeys(range(PARTITIONS), "")
        relay.send(EVENTS_PER_TURN)
    last = relay.start(is_stream=False)
    relay.wait_for_end()
    last.stop()

    processed = {event for turn in relay.turns for event in turn.events()}
    assert processed == {(partition, n) for partition in range(PARTITIONS) for n in range(relay.sent)}, "nothing lost"
    again = 0
    for turn in relay.turns:
        # Spark repeats a batch only after a restart, and a processor continues at its checkpoint.
        assert [event for event, times in Counter(turn.events()).items() if times > 1] == [], f"twice in {turn}"
        batches = turn.batches()
        for event in turn.events():
            partition, seq_no = event
            if seq_no <= turn.checkpoints.get(partition, -1):
                # Spark repeats a batch that was planned and not committed when its driver was killed.
                assert batches.get(event) in turn.unfinished, f"{event} was in the store before {turn}"
                again += 1
    total = sum(len(turn.events()) for turn in relay.turns)
    repeated = total - len(processed)
    sys.stdout.write(f"{KILLS} kills, {total} events, {repeated} repeated, {again} of them by a repeated batch\n")
