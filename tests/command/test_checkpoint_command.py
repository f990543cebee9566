"""A query that was stopped continues exactly where `spark-eventhubs checkpoint` put it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from confs import from_earliest
from console_script import ended
from events import once, send
from spark_eventhubs.cli import main
from streams import Target, read_available

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from spark_eventhubs import EventHubsConf, LocalEventHub, LocalHub

# Both write the same offsets, so a checkpoint of V1 is reset once, and once with a planned batch.
BOTH_APIS = pytest.mark.parametrize("api", ["v2", "v1"])
V2 = pytest.mark.parametrize("api", ["v2"])


def checkpoint(*arguments: str | Path, hub: LocalEventHub | None = None, stdin: str = "") -> Result:
    """Runs `spark-eventhubs checkpoint`."""
    string = None if hub is None else hub.connection_string
    environment = {"EVENTHUBS_CONNECTION_STRING": string}
    done = CliRunner().invoke(main, ["checkpoint", *map(str, arguments)], input=stdin, env=environment)
    assert done.exit_code == 0, done.output
    return done


@dataclass(frozen=True)
class Query:
    """A query whose checkpoint and rows stay; each run reads all available events."""

    spark: SparkSession
    target: Target
    conf: EventHubsConf

    @property
    def checkpoint(self) -> Path:
        return self.target.folder / "checkpoint"

    def run(self) -> None:
        read_available(self.spark, self.conf, self.target)

    def next_run_reads(self) -> Sequence[int]:
        """The numbers that the next run adds, sorted."""
        before = self.target.numbers(self.spark) if self.target.rows.exists() else once([])
        self.run()
        return sorted((self.target.numbers(self.spark) - before).elements())


@pytest.fixture
def query(spark: SparkSession, event_hub: LocalEventHub, tmp_path: Path, api: str) -> Query:
    """A query that has read 100 events of partition 0 (0-99) and 10 of partition 1 (1000-1009)."""
    conf = from_earliest(event_hub).replace(use_v1_source=api == "v1")
    found = Query(spark, Target(tmp_path / "query"), conf)
    send(event_hub, range(60), partition=0)
    found.run()
    send(event_hub, range(60, 100), partition=0)
    send(event_hub, range(1000, 1010), partition=1)
    found.run()
    assert found.target.numbers(spark) == once([*range(100), *range(1000, 1010)])
    return found


@BOTH_APIS
@pytest.mark.event_hub(partitions=2)
def test_a_reset_query_reads_again_from_the_sequence_number_of_each_partition(
    query: Query, event_hub: LocalEventHub
) -> None:
    checkpoint("reset", query.checkpoint, "--partition", "0=95", "--yes", hub=event_hub)
    send(event_hub, [100], partition=0)

    assert query.next_run_reads() == [95, 96, 97, 98, 99, 100]
    assert query.next_run_reads() == []


@V2
@pytest.mark.event_hub(partitions=2)
def test_a_reset_query_skips_to_a_sequence_number(query: Query, event_hub: LocalEventHub) -> None:
    send(event_hub, range(100, 110), partition=0)
    send(event_hub, range(1010, 1020), partition=1)

    checkpoint("reset", query.checkpoint, "--partition", "0=107", "--yes")

    assert query.next_run_reads() == [107, 108, 109, *range(1010, 1020)]


@BOTH_APIS
@pytest.mark.event_hub(partitions=2)
@pytest.mark.parametrize("sink", ["without the batch", "with the batch"])
def test_a_planned_batch_becomes_empty_and_the_query_reads_from_the_new_positions(
    query: Query, event_hub: LocalEventHub, sink: str
) -> None:
    send(event_hub, range(100, 120), partition=0)
    send(event_hub, range(1010, 1020), partition=1)
    query.run()
    # The query was killed before the commit of its last batch, after or before the sink has it.
    last = max(int(file.name) for file in (query.checkpoint / "commits").glob("[0-9]*"))
    (query.checkpoint / f"commits/{last}").unlink()
    (query.checkpoint / f"commits/.{last}.crc").unlink()
    if sink == "without the batch":
        for file in (query.target.rows / "_spark_metadata").glob(f"*{last}*"):
            file.unlink()

    # One position is before the batch, the other behind its end.
    send(event_hub, range(1020, 1030), partition=1)
    checkpoint("reset", query.checkpoint, "--partition", "0=98", "--partition", "1=25", "--yes")

    assert query.next_run_reads() == [*range(98, 120), *range(1025, 1030)]
    shown = json.loads(checkpoint("show", "--json", query.checkpoint).stdout)
    assert shown["sources"][0]["nextSequenceNumbers"] == {"0": 120, "1": 30}


@V2
@pytest.mark.event_hub(partitions=2)
def test_a_reset_to_a_time_reads_from_the_first_event_that_is_not_older(
    query: Query, event_hub: LocalEventHub, spark: SparkSession
) -> None:
    send(event_hub, range(100, 105), partition=0)
    row = spark.read.format("eventhubs").options(**query.conf.to_options()).load()
    moment = _enqueued(row, 100)
    query.run()

    checkpoint("reset", query.checkpoint, "--to", moment, "--yes", hub=event_hub)

    assert query.next_run_reads() == [100, 101, 102, 103, 104]


@V2
@pytest.mark.event_hub(partitions=2)
def test_an_export_moves_to_a_new_query_and_back_into_the_old_one(
    query: Query, event_hub: LocalEventHub, tmp_path: Path
) -> None:
    exported = tmp_path / "positions.json"
    checkpoint("export", query.checkpoint, exported)
    send(event_hub, range(100, 110), partition=0)
    new = Query(query.spark, Target(tmp_path / "new"), query.conf)

    checkpoint("import", new.checkpoint, exported, "--yes")
    assert new.next_run_reads() == list(range(100, 110))

    query.run()
    checkpoint("import", query.checkpoint, exported, "--yes")
    assert query.next_run_reads() == list(range(100, 110))


@V2
@pytest.mark.event_hub(partitions=2)
def test_a_checkpoint_with_a_url_is_reset_through_spark(query: Query, spark: SparkSession) -> None:
    key = "fs.viewfs.mounttable.cluster.link./checkpoint"
    spark.sparkContext._jsc.hadoopConfiguration().set(key, query.checkpoint.as_uri())  # noqa: SLF001 -- there is no public way

    checkpoint(
        "reset",
        "viewfs://cluster/checkpoint",
        "--partition",
        "0=95",
        "--backup",
        f"{query.checkpoint.as_uri()}-kept",
        "--yes",
    )

    assert (query.target.folder / "checkpoint-kept" / "metadata").is_file()
    assert query.next_run_reads() == [95, 96, 97, 98, 99]


@V2
@pytest.mark.event_hub(partitions=2)
def test_a_query_of_a_recreated_hub_starts_with_all_new_positions(
    query: Query, event_hub: LocalEventHub, local_hub: LocalHub
) -> None:
    local_hub.delete_hub(event_hub.name)
    local_hub.create_hub(event_hub.name, partitions=2)
    send(event_hub, range(500, 510), partition=0)

    checkpoint("reset", query.checkpoint, "--to", "earliest", "--yes", hub=event_hub)

    assert query.next_run_reads() == list(range(500, 510))


@V2
@pytest.mark.event_hub(partitions=2)
def test_a_recreated_hub_with_fewer_partitions_needs_a_new_checkpoint(
    query: Query, event_hub: LocalEventHub, local_hub: LocalHub
) -> None:
    local_hub.delete_hub(event_hub.name)
    local_hub.create_hub(event_hub.name, partitions=1)

    done = ended(event_hub.connection_string, "checkpoint", "reset", str(query.checkpoint), "--to", "earliest")

    assert done.returncode == 1
    assert done.stderr.endswith("was recreated since and has no partition 1; use a new checkpoint\n")


@pytest.mark.event_hub(partitions=4)
def test_a_reset_leaves_out_the_partitions_that_the_query_leaves_out(
    spark: SparkSession, event_hub: LocalEventHub, tmp_path: Path
) -> None:
    conf = from_earliest(event_hub).replace(partitions=[0, 1])
    query = Query(spark, Target(tmp_path / "query"), conf)
    for partition in range(4):
        send(event_hub, range(10 * partition, 10 * partition + 3), partition=partition)
    query.run()

    checkpoint("reset", query.checkpoint, "--to", "earliest", "--yes", hub=event_hub)
    other = ["checkpoint", "reset", str(query.checkpoint), "--partition", "3=0"]
    refused = ended(event_hub.connection_string, *other)

    assert query.next_run_reads() == [0, 1, 2, 10, 11, 12]
    assert "the query does not read partition 3; it reads 0, 1" in refused.stderr


def test_a_url_that_spark_cannot_open_is_one_line() -> None:
    done = ended("", "checkpoint", "show", "unknown://account/checkpoint")

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("Error: cannot open 'unknown://account/checkpoint': No FileSystem for scheme")
    assert len(done.stderr.splitlines()) == 1


def test_a_url_that_is_malformed_is_one_line() -> None:
    done = ended("", "checkpoint", "show", "hdfs://")

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("Error: cannot open 'hdfs://': ")
    assert len(done.stderr.splitlines()) == 1


def _enqueued(rows: DataFrame, number: int) -> str:
    row = rows.where(f"cast(body as string) = '{number}'").selectExpr("unix_millis(enqueuedTime)").collect()[0]
    return datetime.fromtimestamp(row[0] / 1000, timezone.utc).isoformat(timespec="milliseconds")
