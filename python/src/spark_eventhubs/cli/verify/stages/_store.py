"""Ownership and checkpoints in a container of Azure Blob Storage."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from spark_eventhubs import EventHubsConf, write
from spark_eventhubs.cli._store import CheckpointStore
from spark_eventhubs.cli.verify._run import require_once
from spark_eventhubs.cli.verify._stage import DifferenceError
from spark_eventhubs.cli.verify._volumes import STORE_EVENTS as EVENTS
from spark_eventhubs.cli.verify.stages._stream import read_until

if TYPE_CHECKING:
    from spark_eventhubs.cli.verify._run import Run


def check_store(run: Run) -> str:
    """A stream owns its partitions, publishes its positions, and a second stream continues there."""
    setting, hub, prefix = run.setting, run.setting.second, run.prefix("store")
    container = setting.container or ""
    options = {
        "eventhubs.checkpointStore.container": container,
        "eventhubs.checkpointStore.interval": "1s",
        "eventhubs.checkpointStore.ownership": "wait",
    }
    if setting.storage is not None:
        options["eventhubs.checkpointStore.connectionString"] = setting.storage
    conf = EventHubsConf.from_options(run.of_run(hub).to_options() | options)
    rows = run.spark.range(2 * EVENTS).selectExpr("id", f"concat('{prefix}', id) AS body")
    seen: list[str] = []
    write(rows.where(f"id < {EVENTS}").select("body"), run.conf(hub))
    read_until(EVENTS, run, conf, stage="store", query="owner-1", seen=seen)
    published = CheckpointStore.open(
        container, setting.storage, setting.target(hub), setting.group
    ).next_sequence_numbers()
    after = Counter(row["partition"] for row in run.rows(run.of_run(hub), "store"))
    behind = [each for each in after if published.get(each, 0) <= run.starts(hub)[each]]
    if behind:
        raise DifferenceError(f"the store has no new position of {len(behind)} partitions that were read")
    write(rows.where(f"id >= {EVENTS}").select("body"), run.conf(hub))
    # Another query, without a checkpoint of its own.
    read_until(2 * EVENTS, run, conf, stage="store", query="owner-2", seen=seen)
    require_once(seen, [f"{prefix}{n}" for n in range(2 * EVENTS)])
    return f"{len(published)} partitions were published, and a second owner continued after them"
