"""Runs the latency benchmark of this connector and says what ran while its slow events were stored.

Meanwhile it reads from /proc how long the threads of all JVMs ran, and waited for a core (Linux only). That takes some
of the cores too. Argument: a folder for the times.
"""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_ROOT: Final = Path(__file__).resolve().parent.parent
_CLIENT: Final = "spark-eventhubs"
_STEP_MILLIS: Final = 50
_SLOW_MILLIS: Final = 20
# Of both cores' time within three steps.
_COLLECTION_NANOS: Final = 15_000_000
_COMPILER_NANOS: Final = 25_000_000

_Step = int
RunTimes = dict[_Step, Counter[str]]
"""For each step, the nanoseconds that each kind of thread ran, and that the program's waited for a core."""


class Arrival(NamedTuple):
    """When an event was stored in the source, became a row and was stored in the target: milliseconds."""

    source: int
    row: int
    target: int

    @property
    def delay(self) -> int:
        """From hub to hub."""
        return self.target - self.source


class ThreadTimes(threading.Thread):
    """Samples the run times of all threads of Java programs until `ended` is set."""

    def __init__(self) -> None:
        """For one run."""
        super().__init__(daemon=True)
        self.ended = threading.Event()
        self.times: RunTimes = defaultdict(Counter)
        self._last: dict[str, tuple[int, int]] = {}

    def run(self) -> None:
        """Ends within a step of `ended`."""
        while not self.ended.wait(_STEP_MILLIS / 1000):
            step = int(time.time() * 1000) // _STEP_MILLIS
            for process in _java_processes():
                for task in _listed(process / "task"):
                    self.sample(task, self.times[step])

    def sample(self, task: Path, into: Counter[str]) -> None:
        """Adds the nanoseconds that a thread ran and waited since the last sample of it."""
        try:
            ran, waited = map(int, (task / "schedstat").read_text().split()[:2])
            before = self._last.get(task.name)
            self._last[task.name] = (ran, waited)
            if before is not None and (ran, waited) != before:
                name = kind((task / "comm").read_text())
                into[name] += ran - before[0]
                if name == "program":
                    into["waiting"] += waited - before[1]
        except (OSError, ValueError):
            return  # the thread has ended


def kind(thread: str) -> str:
    """`compiler`, `collector` or `program`, by the name that the JVM gives to its thread."""
    if thread.startswith(("C1 Comp", "C2 Comp")):
        return "compiler"
    return "collector" if thread.startswith(("GC Thread", "G1 ", "VM Thread")) else "program"


def near(arrival: Arrival, times: Mapping[_Step, Counter[str]]) -> Counter[str]:
    """What ran in the step in which the event was stored, and in those around it."""
    step = arrival.source // _STEP_MILLIS
    found: Counter[str] = Counter()
    for each in (step - 1, step, step + 1):
        found.update(times.get(each, {}))
    return found


def neighbours(arrivals: Iterable[Arrival], times: Mapping[_Step, Counter[str]]) -> Counter[str]:
    """How many events were stored near a garbage collection, near much work of the compiler, or near neither."""
    found: Counter[str] = Counter()
    for each in arrivals:
        ran = near(each, times)
        if ran["collector"] >= _COLLECTION_NANOS:
            found["a garbage collection"] += 1
        elif ran["compiler"] >= _COMPILER_NANOS:
            found["the JIT compiler"] += 1
        else:
            found["neither"] += 1
    return found


def waiting(arrivals: list[Arrival], times: Mapping[_Step, Counter[str]]) -> float:
    """How many of the program's threads waited for a core when the events were stored, on average."""
    nanos = sum(near(each, times)["waiting"] for each in arrivals)
    return nanos / (len(arrivals) * 3 * _STEP_MILLIS * 1_000_000) if arrivals else 0


def read_arrivals(file: Path) -> dict[int, list[Arrival]]:
    """The events of each rate."""
    found: dict[int, list[Arrival]] = defaultdict(list)
    with file.open(newline="") as lines:
        for row in csv.DictReader(lines):
            found[int(row["rate"])].append(Arrival(int(row["source"]), int(row["row"]), int(row["target"])))
    return found


def main(arguments: list[str]) -> None:
    """Runs the benchmark, then prints one line for each rate."""
    if len(arguments) != 1:
        sys.exit(f"usage: {sys.argv[0]} FOLDER")
    folder = Path(arguments[0]).resolve()
    sampler = ThreadTimes()
    sampler.start()
    command = f"benchmarks/runMain benchmarks.HubToHubLatency {folder} - {_CLIENT}"
    subprocess.run(
        [str(_ROOT / "sbt"), command], cwd=_ROOT, env={**os.environ, "BENCH_ARRIVALS": str(folder)}, check=True
    )
    sampler.ended.set()
    sampler.join()
    for rate, arrivals in sorted(read_arrivals(folder / f"{_CLIENT}.csv").items()):
        print(f"{rate:,} events/s: {summary(arrivals, sampler.times)}")


def summary(arrivals: list[Arrival], times: Mapping[_Step, Counter[str]]) -> str:
    """The slow events, where they waited, and what ran near them and near all."""
    slow = [each for each in arrivals if each.delay > _SLOW_MILLIS]
    if not slow:
        return f"no event took longer than {_SLOW_MILLIS} ms"
    to_row = sum(each.row - each.source for each in slow) / len(slow)
    behind = sum(each.target - each.row for each in slow) / len(slow)
    every = neighbours(arrivals, times)
    ran = ", ".join(
        f"{count / len(slow):.0%} near {what} ({every[what] / len(arrivals):.0%} of all events)"
        for what, count in neighbours(slow, times).most_common()
    )
    return (
        f"{len(slow):,} of {len(arrivals):,} events took longer than {_SLOW_MILLIS} ms, on average {to_row:.1f} to the "
        f"row and {behind:.1f} from there; {ran}; near them {waiting(slow, times):.1f} threads waited for a core, near "
        f"all events {waiting(arrivals, times):.1f}"
    )


def _java_processes() -> list[Path]:
    return [each for each in _listed(Path("/proc")) if each.name.isdigit() and _is_java(each)]


def _is_java(process: Path) -> bool:
    try:
        return (process / "comm").read_text().strip() == "java"
    except OSError:
        return False


def _listed(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


if __name__ == "__main__":
    main(sys.argv[1:])
