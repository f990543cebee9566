"""`spark-eventhubs checkpoint export`."""

from __future__ import annotations

import json
from typing import IO, TYPE_CHECKING, Any

import click

from spark_eventhubs.cli._checkpoint_files import checkpoint_options, open_files
from spark_eventhubs.cli._exit_codes import WrongUsage
from spark_eventhubs.cli._store import CheckpointStore, refuse_checkpoint, store_options, store_target
from spark_eventhubs.cli._target import consumer_group_option, target_options
from spark_eventhubs.cli.checkpoint._read import as_json, hubs_of, one_line_failures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_eventhubs.cli._target import Target


@click.command()
@target_options()
@consumer_group_option
@store_options
@checkpoint_options(required=False)
@click.argument("file", type=click.File("w", encoding="utf-8", atomic=True), default="-")
def export(
    *,
    connection_string: str | None,
    hub: str | None,
    consumer_group: str,
    checkpoint_store: str | None,
    storage_connection_string: str | None,
    checkpoint: str | None,
    spark_conf: Sequence[str],
    file: IO[str],
) -> None:
    """Write the positions of the query as JSON to a FILE, or to standard output.

    With --checkpoint-store, the positions are those of the store, and there is no CHECKPOINT.
    """
    if checkpoint_store is not None:
        refuse_checkpoint()
        target = store_target(connection_string, hub)
        store = CheckpointStore.open(checkpoint_store, storage_connection_string, target, consumer_group)
        content = _of_store(target, store.next_sequence_numbers())
        if checkpoint is None:
            _write(file, content)
            return
        with click.open_file(checkpoint, "w", encoding="utf-8", atomic=True) as named:
            _write(named, content)
        return
    if checkpoint is None:
        raise WrongUsage("give a CHECKPOINT, or --checkpoint-store URL")
    with one_line_failures(checkpoint):
        found = hubs_of(open_files(checkpoint, spark_conf))
        for source in found.sources:
            if not source.starts:
                # The hub was recreated, and no number of the checkpoint is one of the new hub.
                source.require_positions()
    _write(file, as_json(found))


def _write(file: IO[str], content: dict[str, Any]) -> None:
    file.write(json.dumps(content, indent=2, ensure_ascii=False) + "\n")
    # click ignores a failure when it closes the file.
    file.flush()


def _of_store(target: Target, positions: dict[int, int]) -> dict[str, Any]:
    """The form of a query's positions, which `import` reads."""
    if not positions:
        raise click.ClickException(f"the store has no checkpoint of the hub '{target.hub}' for this consumer group")
    numbers = {str(each): positions[each] for each in sorted(positions)}
    source = {"source": 0, "namespace": target.address[0], "hub": target.hub, "nextSequenceNumbers": numbers}
    return {"version": 1, "query": None, "committedBatch": None, "plannedBatch": None, "sources": [source]}
