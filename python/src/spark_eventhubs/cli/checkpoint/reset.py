"""`spark-eventhubs checkpoint reset`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import click

from spark_eventhubs._checkpoint.change import Write, forget_generation
from spark_eventhubs._checkpoint.offset_file import CheckpointFileError, Positions
from spark_eventhubs.cli._checkpoint_files import checkpoint_options, open_files
from spark_eventhubs.cli._exit_codes import WrongUsage
from spark_eventhubs.cli._resolve import resolve, was_recreated
from spark_eventhubs.cli._start import Start, StartType
from spark_eventhubs.cli._target import VARIABLE, Target, consumer_group_option, target_options
from spark_eventhubs.cli.checkpoint._change import Change, change_options, run
from spark_eventhubs.cli.checkpoint._read import hubs_of, one_line_failures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_eventhubs._checkpoint.checkpoint import HubSource


# Generic only in newer versions of click.
if TYPE_CHECKING:
    _ParamType = click.ParamType[tuple[int, int]]
else:
    _ParamType = click.ParamType


_DIGITS: Final = re.compile(r"[0-9]{1,19}")
_TOO_LARGE: Final = 2**63


class _PartitionNumber(_ParamType):
    """`ID=NUMBER`."""

    name = "ID=NUMBER"

    def convert(
        self,
        value: Any,  # noqa: ANN401 -- as click declares it
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> tuple[int, int]:
        """A partition and its next sequence number."""
        partition, _, number = str(value).partition("=")
        if not (_DIGITS.fullmatch(partition) and _DIGITS.fullmatch(number) and int(number) < _TOO_LARGE):
            self.fail(f"'{value}': expected a partition and a sequence number, such as 0=1500", param, ctx)
        return int(partition), int(number)


@click.command()
@target_options()
@consumer_group_option
@checkpoint_options()
@click.option(
    "--to",
    type=StartType(),
    help="For all partitions: earliest, latest, a sequence number, a time such as 2026-01-31T12:00:00Z, or 15m.",
)
@click.option(
    "--partition", "partitions", type=_PartitionNumber(), multiple=True, help="For one partition. Repeatable."
)
@change_options
def reset(
    *,
    connection_string: str | None,
    hub: str | None,
    consumer_group: str,
    checkpoint: str,
    spark_conf: Sequence[str],
    to: Start | None,
    partitions: Sequence[tuple[int, int]],
    yes: bool,
    backup: str | None,
) -> None:
    """Change where a stopped query continues. Without --yes, nothing is written.

    With a connection string, the positions are looked up in the hub and checked.
    """
    if to is None and not partitions:
        raise WrongUsage("give --to POSITION, or --partition ID=NUMBER")
    if connection_string is None and to is not None and not isinstance(to, int):
        raise WrongUsage(f"--to {to} is looked up in the hub; set {VARIABLE}, or give a sequence number")
    with one_line_failures(checkpoint):
        files = open_files(checkpoint, spark_conf)
        found = hubs_of(files)
        if connection_string is None:
            source = found.source_of(hub)
            wanted = _known(source, to, dict(partitions))
            more: list[Write] = []
        else:
            target = Target.of(connection_string, hub or (found.sources[0].hub if len(found.sources) == 1 else None))
            source = found.source_of(target.hub)
            wanted = _looked_up(source, target, consumer_group, to, dict(partitions))
            more = _after_recreation(source, target, to, wanted)
        run(files, Change.of(files, found, {source.key: wanted}, more), yes=yes, backup=backup, spark_conf=spark_conf)


def _known(source: HubSource, to: Start | None, partitions: Positions) -> Positions:
    source.require(None, partitions)
    return {**(dict.fromkeys(source.positions, to) if isinstance(to, int) else {}), **partitions}


def _looked_up(source: HubSource, target: Target, group: str, to: Start | None, partitions: Positions) -> Positions:
    """Not of the hub's other partitions: the query may have left them out, and then would refuse their positions."""
    source.require(target.address[0], partitions)
    wanted = {} if to is None else resolve(target, group, to, among=set(source.positions) - set(partitions))
    for partition, number in partitions.items():
        wanted |= resolve(target, group, number, only=partition)
    return wanted


def _after_recreation(source: HubSource, target: Target, to: Start | None, wanted: Positions) -> list[Write]:
    """The query refuses a recreated hub, unless the checkpoint forgets the old one.

    Raises:
        CheckpointFileError: not all partitions have new positions.
    """
    if not was_recreated(target, source.identity.get("createdAt", "")):
        return []
    missing = sorted(set(source.positions) - set(wanted))
    if missing and to is not None:
        raise CheckpointFileError(
            f"the hub '{source.hub}' was recreated since and has no partition {missing[0]}; use a new checkpoint"
        )
    if missing:
        raise CheckpointFileError(
            f"the hub '{source.hub}' was recreated since, so the positions of all partitions are new; give --to"
        )
    return forget_generation(source)
