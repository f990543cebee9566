"""`spark-eventhubs lag`: how far a query is behind the hub."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import click
from rich.console import Console
from rich.live import Live

from spark_eventhubs._checkpoint.checkpoint import read_checkpoint
from spark_eventhubs.cli._bounds import retained
from spark_eventhubs.cli._checkpoint_files import checkpoint_options, open_files
from spark_eventhubs.cli._failures import failure_of
from spark_eventhubs.cli._pipe import require_reader
from spark_eventhubs.cli._properties import all_partitions
from spark_eventhubs.cli._resolve import was_recreated
from spark_eventhubs.cli._table import count, print_table, rich_table
from spark_eventhubs.cli._target import Target, target_options
from spark_eventhubs.cli.checkpoint._read import one_line_failures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_eventhubs._checkpoint.files import Files

_ANSWER_SECONDS: Final = 30
_HEADERS: Final = ("partition", "read until", "end of the hub", "lag")


@dataclass(frozen=True, kw_only=True)
class PartitionLag:
    """One partition. `read` and `end` are the next sequence numbers; `read` is None if it was never read."""

    partition: str
    read: int | None
    end: int
    lag: int


@click.command()
@target_options()
@checkpoint_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--watch", is_flag=True, help="Repeat until Ctrl-C.")
@click.option(
    "--interval", type=click.FloatRange(min=0.1), default=2, show_default=True, help="Seconds between two measurements."
)
def lag(
    *,
    connection_string: str,
    hub: str | None,
    checkpoint: str,
    spark_conf: Sequence[str],
    as_json: bool,
    watch: bool,
    interval: float,
) -> None:
    """Show how far the query of a CHECKPOINT is behind the hub, per partition and in total."""
    target = Target.of(connection_string, hub)
    files = open_files(checkpoint, spark_conf)
    _warn_if_recreated(files, target)
    if watch and not as_json and sys.stdout.isatty():
        _watch(files, target, interval)
        return
    while True:
        _print(measure(files, target), as_json=as_json)
        if not watch:
            return
        sys.stdout.flush()
        require_reader()
        time.sleep(interval)


def measure(files: Files, target: Target) -> list[PartitionLag]:
    """The lag of each partition now. Partitions that the query never read count from their first retained event."""
    with one_line_failures(files.root):
        positions = read_checkpoint(files).source_of(target.hub).positions
    try:
        properties = all_partitions(target, _ANSWER_SECONDS)
    except Exception as failure:  # noqa: BLE001 - the SDK also raises errors that are not its own
        raise failure_of(failure, target, claim="Listen") from None
    return [_lag(partition, found, positions.get(int(partition))) for partition, found in properties.items()]


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


def _watch(files: Files, target: Target, interval: float) -> None:
    with Live(console=Console(), auto_refresh=False) as live:
        while True:
            found = measure(files, target)
            live.update(rich_table(_HEADERS, [_row(each) for each in found], _total(found)), refresh=True)
            time.sleep(interval)


def _row(each: PartitionLag) -> tuple[str, str, str, str]:
    return each.partition, count(each.read), count(each.end), count(each.lag)


def _total(found: Sequence[PartitionLag]) -> tuple[str, str, str, str]:
    return "total", "", "", count(sum(each.lag for each in found))
