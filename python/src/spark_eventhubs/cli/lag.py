"""`spark-eventhubs lag`: how far a query is behind the hub."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import click
from rich.console import Console
from rich.live import Live

from spark_eventhubs._checkpoint.checkpoint import read_checkpoint
from spark_eventhubs.cli._bounds import retained
from spark_eventhubs.cli._checkpoint_files import checkpoint_options, open_files
from spark_eventhubs.cli._exit_codes import WrongUsage
from spark_eventhubs.cli._failures import failure_of, is_refusal
from spark_eventhubs.cli._identity import target_of
from spark_eventhubs.cli._pipe import require_reader
from spark_eventhubs.cli._properties import all_partitions
from spark_eventhubs.cli._resolve import was_recreated
from spark_eventhubs.cli._store import CheckpointStore, store_options
from spark_eventhubs.cli._table import count, print_table, rich_table
from spark_eventhubs.cli._target import connector_option, consumer_group_option, target_options
from spark_eventhubs.cli.checkpoint._read import one_line_failures

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spark_eventhubs._checkpoint.files import Files
    from spark_eventhubs.cli._target import Target

_ANSWER_SECONDS: Final = 30
_HEADERS: Final = ("partition", "read until", "end of the hub", "lag")


class LostConnectionError(click.ClickException):
    """The hub did not answer; it may do so later."""


@dataclass(frozen=True, kw_only=True)
class PartitionLag:
    """One partition. `read` and `end` are the next sequence numbers; `read` is None if it was never read."""

    partition: str
    read: int | None
    end: int
    lag: int


@click.command()
@target_options()
@connector_option
@consumer_group_option
@store_options
@checkpoint_options(required=False)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--watch", is_flag=True, help="Repeat until Ctrl-C.")
@click.option(
    "--interval", type=click.FloatRange(min=0.1), default=2, show_default=True, help="Seconds between two measurements."
)
def lag(
    *,
    connection_string: str | None,
    hub: str | None,
    options: Sequence[str],
    consumer_group: str,
    checkpoint_store: str | None,
    storage_connection_string: str | None,
    checkpoint: str | None,
    spark_conf: Sequence[str],
    as_json: bool,
    watch: bool,
    interval: float,
) -> None:
    """Show how far the query of a CHECKPOINT is behind the hub, per partition and in total.

    With --checkpoint-store, the positions are those that the query or a processor of the SDKs has published.
    """
    target = target_of(connection_string, hub, options)
    read: Callable[[], Mapping[int, int]]
    if checkpoint_store is not None and checkpoint is None:
        store = CheckpointStore.open(checkpoint_store, storage_connection_string, target, consumer_group)
        read = partial(_of_store, store, target, consumer_group)
    elif checkpoint is not None and checkpoint_store is None:
        files = open_files(checkpoint, spark_conf)
        _warn_if_recreated(files, target)
        read = partial(_of_query, files, target)
    else:
        raise WrongUsage("give a CHECKPOINT, or --checkpoint-store URL")
    if watch and not as_json and sys.stdout.isatty():
        _watch(read, target, interval)
        return
    _print(_measure(read, target), as_json=as_json)
    while watch:
        require_reader()
        time.sleep(interval)
        try:
            _print(_measure(read, target), as_json=as_json)
        except LostConnectionError as lost:
            click.echo(_trying_again(lost), err=True)


def _measure(read: Callable[[], Mapping[int, int]], target: Target) -> list[PartitionLag]:
    """The lag of each partition now. Partitions that the query never read count from their first retained event.

    Raises:
        LostConnectionError: a repetition may help.
    """
    positions = read()
    try:
        properties = all_partitions(target, _ANSWER_SECONDS)
    except click.ClickException:
        raise
    except Exception as failure:  # noqa: BLE001 - the SDK also raises errors that are not its own
        found = failure_of(failure, target, claim="Listen")
        raise (found if is_refusal(failure) else LostConnectionError(found.message)) from None
    return [_lag(partition, found, positions.get(int(partition))) for partition, found in properties.items()]


def _of_store(store: CheckpointStore, target: Target, consumer_group: str) -> Mapping[int, int]:
    positions = store.next_sequence_numbers()
    if not positions:
        raise click.ClickException(
            f"the store has no checkpoint of the hub '{target.hub}' for the consumer group '{consumer_group}'; "
            "check the container, the hub and --consumer-group"
        )
    return positions


def _of_query(files: Files, target: Target) -> Mapping[int, int]:
    with one_line_failures(files.root):
        return read_checkpoint(files).source_of(target.hub).starts


def _lag(partition: str, properties: dict[str, Any], read: int | None) -> PartitionLag:
    first, end = retained(properties)
    # Negative after the hub was recreated: then nothing of the checkpoint's position is left to read.
    return PartitionLag(partition=partition, read=read, end=end, lag=max(0, end - (first if read is None else read)))


def _print(found: Sequence[PartitionLag], *, as_json: bool) -> None:
    if not as_json:
        print_table(_HEADERS, [_row(each) for each in found], _total(found))
        return
    partitions = {each.partition: {"readUntil": each.read, "endOfHub": each.end, "lag": each.lag} for each in found}
    click.echo(json.dumps({"lag": sum(each.lag for each in found), "partitions": partitions}))


def _warn_if_recreated(files: Files, target: Target) -> None:
    """Says on stderr that the numbers of the checkpoint are those of an earlier hub."""
    with one_line_failures(files.root):
        source = read_checkpoint(files).source_of(target.hub)
    if was_recreated(target, source.identity.get("createdAt", "")):
        click.echo(
            f"warning: the hub '{target.hub}' was recreated after the query read from it, or is another one; "
            "this is not the query's lag",
            err=True,
        )


def _watch(read: Callable[[], Mapping[int, int]], target: Target, interval: float) -> None:
    with Live(console=Console(), auto_refresh=False) as live:
        found = _measure(read, target)
        while True:
            live.update(rich_table(_HEADERS, [_row(each) for each in found], _total(found)), refresh=True)
            time.sleep(interval)
            try:
                found = _measure(read, target)
            except LostConnectionError as lost:
                live.console.print(_trying_again(lost), markup=False)


def _trying_again(lost: LostConnectionError) -> str:
    return f"{lost.message} (trying again)"


def _row(each: PartitionLag) -> tuple[str, str, str, str]:
    return each.partition, count(each.read), count(each.end), count(each.lag)


def _total(found: Sequence[PartitionLag]) -> tuple[str, str, str, str]:
    return "total", "", "", count(sum(each.lag for each in found))
