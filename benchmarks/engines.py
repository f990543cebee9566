"""Both engines next to each other, in one session on one local hub: `make bench-engines`.

It reads and writes events of 1 KB with the jar and with the engine in Python, in turn, and prints the median rates and
the CPU time of Spark with the connector for each event. `EVENTS` (of each partition), `ROUNDS` and `BYTES` change the
defaults. The hub takes CPU time of the same machine.
"""

# ruff: noqa: T201, INP001 - a program that prints its results
from __future__ import annotations

import os
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql import SparkSession

from spark_eventhubs import EventHubsConf, LocalHub, configure_spark_with_eventhubs, read, write
from spark_eventhubs.pure._settings import read_settings
from spark_eventhubs.pure._source import BatchReader

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_eventhubs.queries import Engine

ENGINES: Final[tuple[Engine, ...]] = ("jar", "python")
PARTITIONS: Final = 2
EVENTS: Final = int(os.environ.get("EVENTS", "300000"))
WRITTEN: Final = EVENTS // 4
ROUNDS: Final = int(os.environ.get("ROUNDS", "5"))
BYTES: Final = int(os.environ.get("BYTES", "1000"))
TICK: Final = os.sysconf("SC_CLK_TCK")


def cpu_seconds(root: int) -> float:
    """The CPU time of a process and its descendants, with those that have ended."""
    children: dict[int, list[int]] = {}
    ticks: dict[int, int] = {}
    for each in Path("/proc").glob("[0-9]*/stat"):
        try:
            number, rest = each.read_text().split(" (", maxsplit=1)
        except OSError:  # it has ended
            continue
        fields = rest.rsplit(") ", maxsplit=1)[1].split()
        children.setdefault(int(fields[1]), []).append(int(number))
        ticks[int(number)] = sum(map(int, fields[11:15]))
    found, todo = 0, [root]
    while todo:
        pid = todo.pop()
        found += ticks.get(pid, 0)
        todo += children.get(pid, [])
    return found / TICK


class Measured:
    """The rates and the CPU time of the rounds of one case."""

    def __init__(self, name: str, events: int, run: Callable[[], int], cpu: Callable[[], float]) -> None:
        """`run` returns a number of events, and `cpu` the CPU time that was used until now."""
        self._name, self._events, self._run, self._cpu_seconds = name, events, run, cpu
        self._seconds: list[float] = []
        self._cpu: list[float] = []

    def measure(self) -> None:
        """One round."""
        cpu, start = self._cpu_seconds(), time.monotonic()
        found = self._run()
        self._seconds.append(time.monotonic() - start)
        self._cpu.append(self._cpu_seconds() - cpu)
        if found != self._events:
            raise SystemExit(f"{self._name}: {found} events, expected {self._events}")

    def row(self) -> str:
        """The medians. The first round warms up, and does not count."""
        rate = self._events / median(self._seconds[1:])
        micros = median(self._cpu[1:]) / self._events * 1e6
        return f"{self._name:<34} {rate:>12,.0f} {micros:>14.1f}"


def link_alone(conf: EventHubsConf) -> int:
    """One link into Arrow batches in this process, without Spark."""
    reader = BatchReader(replace(read_settings(conf.to_options()), partitions=frozenset({0})))
    return sum(batch.num_rows for task in reader.partitions() for batch in reader.read(task))


def main() -> None:
    """Prints a table."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with LocalHub() as hub:
        source = hub.create_hub("source", partitions=PARTITIONS)
        spark = (
            configure_spark_with_eventhubs(SparkSession.builder.master(f"local[{PARTITIONS}]"))
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.driver.memory", "2g")
            .getOrCreate()
        )
        spark.sparkContext.setLogLevel("ERROR")
        gateway: Any = spark.sparkContext._gateway  # noqa: SLF001 - Spark has no public way to its JVM's process
        of_spark = partial(cpu_seconds, gateway.proc.pid)
        conf = EventHubsConf.from_connection_string(source.connection_string)
        rows = spark.range(PARTITIONS * EVENTS, numPartitions=PARTITIONS)
        body = f"lpad(cast(id AS string), {BYTES}, 'x') AS body"
        write(rows.selectExpr(body, f"cast(id % {PARTITIONS} AS int) AS partitionId"), conf)
        few = spark.range(WRITTEN, numPartitions=1).selectExpr(body)

        def read_with(engine: Engine, partitions: int) -> Callable[[], int]:
            wanted = conf.replace(partitions=list(range(partitions)))

            def run() -> int:
                rows = read(spark, wanted, engine=engine).selectExpr("sum(length(body)) AS bytes")
                return int(rows.collect()[0]["bytes"]) // BYTES

            return run

        def write_with(engine: Engine) -> Callable[[], int]:
            def run() -> int:
                target = hub.create_hub("target", partitions=PARTITIONS)
                write(few, EventHubsConf.from_connection_string(target.connection_string), engine=engine)
                hub.delete_hub("target")
                return WRITTEN

            return run

        cases = [
            Measured(f"read, {tasks} task(s), {engine}", tasks * EVENTS, read_with(engine, tasks), of_spark)
            for tasks in (1, PARTITIONS)
            for engine in ENGINES
        ]
        cases.append(Measured("read, 1 link alone, python", EVENTS, lambda: link_alone(conf), time.process_time))
        cases += [Measured(f"write, 1 task, {engine}", WRITTEN, write_with(engine), of_spark) for engine in ENGINES]
        for _ in range(ROUNDS + 1):
            for case in cases:
                case.measure()
        print(f"{BYTES} B, {EVENTS:,} events of each partition, {ROUNDS} rounds")
        print(f"{'case':<34} {'events/s':>12} {'CPU µs/event':>14}")
        for case in cases:
            print(case.row())
        spark.stop()


if __name__ == "__main__":
    main()
