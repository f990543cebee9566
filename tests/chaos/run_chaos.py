"""Runs the connector while everything around it fails, and accounts for every event: `make chaos`.

Each run has a seed, which gives the same faults at the same times again; process scheduling is not repeated. Writers
with the official SDK put numbered events into a hub. Four queries copy them: to a hub exactly once and at least once,
through `foreachBatch` with `WriteOnce`, and to Parquet files. Then the faults end, everything is copied, and the
checker accounts for each event. The program ends with 1 when a promise was broken.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pyarrow.dataset as parquet

from chaos_checker import AT_LEAST_ONCE, EXACTLY_ONCE, Copy, Stored, Verdict, check, unexpected
from chaos_driver import FILES
from chaos_schedule import BATCHES, KINDS, LEAST, ONCE, SOURCE, Plan, plan, query_options
from chaos_world import ChaosWorld
from chaos_writers import Writers
from events import all_events

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spark_eventhubs import LocalEventHub

# After the last fault all events must be copied within this time.
_DRAIN_SECONDS: Final = 240
_PARTITIONS: Final = 4


@dataclass
class Result:
    """What a run has shown."""

    plan: Plan
    verdict: Verdict
    failures: dict[str, int] = field(default_factory=dict)
    seconds: float = 0

    def line(self) -> str:
        """One line of the summary."""
        duplicates = self.verdict.duplicates
        state = "FAILED" if self.verdict.violations else "ok"
        return (
            f"seed {self.plan.seed}: {state}, {self.verdict.events} events, {len(self.plan.faults)} faults, "
            f"{duplicates.get(LEAST, 0)} duplicates at least once, {sum(self.failures.values())} failed queries, "
            f"{'cluster, ' if self.plan.cluster else ''}{self.seconds:.0f} s"
        )


def bodies(hub: LocalEventHub) -> list[list[str]]:
    """The bodies of each partition, read with the official SDK."""
    return [[event.body_as_str() for event in events] for _, events in sorted(all_events(hub).items())]


def stored(hub: LocalEventHub) -> Iterator[list[Stored]]:
    """The events of each partition."""
    for partition, events in sorted(all_events(hub).items()):
        yield [Stored(partition, event.sequence_number or 0, event.body_as_str()) for event in events]


def files(folder: Path) -> list[list[str]]:
    """The events in Parquet files that Spark's sink has committed, each a part of its own."""
    log = sorted((folder / "_spark_metadata").glob("[0-9]*"), key=lambda path: int(path.name.split(".")[0]))
    names: dict[str, None] = {}
    for path in log:
        for line in path.read_text().splitlines()[1:]:
            names[json.loads(line)["path"].removeprefix("file://")] = None
    found = parquet.dataset(list(names), format="parquet").to_table(columns=["body"]).column("body")
    return [[body] for body in found.to_pylist()]


def run(chosen: Plan, folder: Path) -> Result:
    """One run."""
    started = time.monotonic()
    with ChaosWorld(folder, cluster=chosen.cluster) as world:
        with Writers(world.hub(SOURCE).connection_string, partitions=_PARTITIONS) as writers:
            world.run_queries(query_options(random.Random(chosen.seed)))  # noqa: S311 - no secret
            begin = time.monotonic()
            for fault in chosen.faults:
                time.sleep(max(0.0, begin + fault.at - time.monotonic()))
                world.check_alive()
                getattr(world, KINDS[fault.name].method)(**fault.arguments)
            time.sleep(max(0.0, begin + chosen.seconds - time.monotonic()))
        is_drained = world.drain(_DRAIN_SECONDS)
        if is_drained:
            source = list(stored(world.hub(SOURCE)))
            copies = [
                Copy(ONCE, EXACTLY_ONCE, bodies(world.hub(ONCE))),
                Copy(LEAST, AT_LEAST_ONCE, bodies(world.hub(LEAST))),
                Copy(BATCHES, EXACTLY_ONCE, bodies(world.hub(BATCHES))),
                Copy(FILES, EXACTLY_ONCE, files(world.files)),
            ]
            verdict = check(writers.acknowledged, source, copies)
        else:
            verdict = Verdict(violations=[f"{_DRAIN_SECONDS} s after the last fault not everything was copied"])
        for condition in unexpected(world.said.failures):
            verdict.violations.append(f"a query failed: {world.said.texts[condition][:500]}")
    (folder / "failures.json").write_text(json.dumps(world.said.texts, indent=1))
    return Result(chosen, verdict, dict(world.said.failures), time.monotonic() - started)


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Breaks everything around the connector and accounts for each event.")
    parser.add_argument("--seconds", type=int, default=180, help="how long faults happen in each run (180)")
    parser.add_argument("--seed", type=int, default=1, help="of the first run (1); the next ones count on")
    parser.add_argument("--runs", type=int, default=1, help="number of runs (1)")
    parser.add_argument("--keep", type=Path, default=Path("target/chaos"), help="folder for reports and failed runs")
    return parser.parse_args()


def main() -> int:
    """Exit code 0 when all promises were kept."""
    given = arguments()
    given.keep.mkdir(parents=True, exist_ok=True)
    failed = 0
    for seed in range(given.seed, given.seed + given.runs):
        chosen = plan(seed, given.seconds)
        folder = Path(tempfile.mkdtemp(prefix=f"chaos-{seed}-"))
        result = run(chosen, folder)
        sys.stdout.write(result.line() + "\n")
        report = {**asdict(result), "schedule": [str(fault) for fault in chosen.faults]}
        (given.keep / f"{seed}.json").write_text(json.dumps(report, indent=1))
        for violation in result.verdict.violations:
            failed += 1
            sys.stdout.write(f"  {violation}\n")
        if result.verdict.violations:
            sys.stdout.write(f"  everything of this run is in {folder}\n")
            sys.stdout.write(f"  again: make chaos SEED={seed} SECONDS={given.seconds}\n")
        else:
            shutil.rmtree(folder, ignore_errors=True)
        sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
