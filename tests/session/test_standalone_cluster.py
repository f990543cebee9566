from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cluster import StandaloneCluster
from events import once, spread
from processes import wait_until
from streams import Target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    from spark_eventhubs import LocalEventHub

# Six JVMs start, perhaps on two slow cores.
pytestmark = pytest.mark.timeout(900)
_SECONDS = 300


class Reader:
    """A driver process that reads a hub on the cluster."""

    def __init__(self, driver: subprocess.Popen[bytes], target: Target) -> None:
        """Created by `reading`."""
        self._driver = driver
        self._target = target

    def await_committed(self, count: int) -> None:
        """Waits until the query has committed `count` events."""

        def has_committed() -> bool:
            assert self._driver.poll() is None, (self._target.folder / "driver.log").read_text()[-3000:]
            return self._target.committed() >= count

        wait_until(f"{count} events are committed", has_committed, seconds=_SECONDS)

    def await_failure(self) -> str:
        """Waits until the query has failed, and returns what the driver has printed."""
        assert self._driver.wait(_SECONDS) != 0
        return (self._target.folder / "driver.log").read_text()


@contextmanager
def reading(cluster: StandaloneCluster, hub: LocalEventHub, target: Target, *options: str) -> Iterator[Reader]:
    """Reads until the end of the block."""
    program = Path(__file__).with_name("cluster_reader.py")
    with (target.folder / "driver.log").open("wb") as log:
        driver = subprocess.Popen(
            [sys.executable, str(program), cluster.url, str(target.folder), *options],
            env={
                **os.environ,
                "CONNECTION_STRING": hub.connection_string,
                "SPARK_LOCAL_IP": "127.0.0.1",
                # Python workers need the packages of the driver.
                "PYSPARK_PYTHON": sys.executable,
                # pytest adds the folders of our modules to sys.path.
                "PYTHONPATH": os.pathsep.join(sys.path),
            },
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        yield Reader(driver, target)
    finally:
        driver.terminate()
        driver.wait()


def test_no_event_is_lost_or_duplicated_when_executors_and_workers_die_and_new_ones_start(
    spark: SparkSession, event_hub: LocalEventHub, tmp_path: Path
) -> None:
    target = Target(tmp_path)
    with StandaloneCluster(tmp_path / "cluster") as cluster:
        first, second = cluster.add_worker(), cluster.add_worker()
        with reading(cluster, event_hub, target) as reader:
            spread(event_hub, range(2000))
            reader.await_committed(2000)
            spread(event_hub, range(2000, 6000))
            cluster.kill_executors(first)
            reader.await_committed(6000)
            spread(event_hub, range(6000, 10000))
            cluster.kill(second)
            cluster.add_worker()
            reader.await_committed(10000)
    assert target.numbers(spark) == once(range(10000))


def test_a_slow_task_and_its_speculative_copy_on_another_machine_deliver_each_event_once(
    spark: SparkSession, event_hub: LocalEventHub, tmp_path: Path
) -> None:
    target = Target(tmp_path)
    with StandaloneCluster(tmp_path / "cluster") as cluster:
        cluster.add_worker()
        cluster.add_worker(host="127.0.0.2")
        spread(event_hub, range(400))
        with reading(cluster, event_hub, target, "slow") as reader:
            reader.await_committed(400)
            spread(event_hub, range(400, 800))
            reader.await_committed(800)
    assert (tmp_path / "copy").exists()
    assert target.numbers(spark) == once(range(800))


def test_an_executor_without_the_variable_that_a_secret_is_kept_in_is_named(
    spark: SparkSession, event_hub: LocalEventHub, tmp_path: Path
) -> None:
    missing, target = Target(tmp_path / "missing"), Target(tmp_path / "passed")
    missing.folder.mkdir()
    target.folder.mkdir()
    spread(event_hub, range(100))
    with StandaloneCluster(tmp_path / "cluster") as cluster:
        cluster.add_worker()
        with reading(cluster, event_hub, missing, "named") as reader:
            printed = reader.await_failure()
        with reading(cluster, event_hub, target, "passed") as reader:
            reader.await_committed(100)
    assert "'{env:CONNECTION_STRING}'; expected an environment variable that is set on executor 0" in printed
    assert event_hub.connection_string.partition("SharedAccessKey=")[2].partition(";")[0] not in printed
    assert target.numbers(spark) == once(range(100))
