"""`spark-eventhubs checkpoint import`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, Final

import click

from spark_eventhubs._checkpoint.change import Write
from spark_eventhubs._checkpoint.checkpoint import Checkpoint, HubSource
from spark_eventhubs._checkpoint.offset_file import CheckpointFileError, HubOffset, Positions, initial_offset
from spark_eventhubs.cli._checkpoint_files import checkpoint_options, open_files
from spark_eventhubs.cli._exit_codes import WrongUsage
from spark_eventhubs.cli._start import MOST
from spark_eventhubs.cli._store import CheckpointStore, refuse_checkpoint, store_options, store_target
from spark_eventhubs.cli._target import consumer_group_option, target_options
from spark_eventhubs.cli.checkpoint._change import Change, change_options, run
from spark_eventhubs.cli.checkpoint._read import hubs_of, one_line_failures
from spark_eventhubs.cli.checkpoint._store_change import write_positions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_eventhubs.cli._target import Target

_VERSION: Final = 1
_FOLDERS: Final = ("offsets", "commits", "sources")


@dataclass(frozen=True, kw_only=True)
class _Wanted:
    """The positions of one hub in the file. `number` is that of the source; the legacy's hubs have no namespace."""

    number: int
    namespace: str | None
    offset: HubOffset


@click.command("import")
@target_options()
@consumer_group_option
@store_options
@checkpoint_options(required=False)
@click.argument("file", type=click.File("r", encoding="utf-8-sig"), default="-")
@change_options
def import_(
    *,
    connection_string: str | None,
    hub: str | None,
    consumer_group: str,
    checkpoint_store: str | None,
    storage_connection_string: str | None,
    checkpoint: str | None,
    spark_conf: Sequence[str],
    file: IO[str],
    yes: bool,
    backup: str | None,
) -> None:
    """Set the positions of a stopped query to those of a FILE that export wrote.

    An empty or missing CHECKPOINT becomes the start of a new query. With --checkpoint-store, the positions go to the
    store, and there is no CHECKPOINT. Without --yes, nothing is written.
    """
    if checkpoint_store is not None:
        refuse_checkpoint()
        if backup is not None:
            raise WrongUsage("a checkpoint store has no --backup; export its positions first")
        target = store_target(connection_string, hub)
        with one_line_failures(checkpoint or "-"):
            given = file if checkpoint is None else click.open_file(checkpoint, encoding="utf-8-sig")
            positions = _of_hub(_parse(given), target)
        store = CheckpointStore.open(checkpoint_store, storage_connection_string, target, consumer_group)
        write_positions(store, target, consumer_group, positions, yes=yes)
        return
    if checkpoint is None:
        raise WrongUsage("give a CHECKPOINT, or --checkpoint-store URL")
    with one_line_failures(checkpoint):
        wanted = _parse(file)
        files = open_files(checkpoint, spark_conf)
        if not any(files.names(folder) for folder in _FOLDERS):
            run(files, _new(wanted), yes=yes, backup=backup, spark_conf=spark_conf)
            return
        found = hubs_of(files)
        positions_of = {_source(found, each).key: each.offset.positions for each in wanted}
        run(files, Change.of(files, found, positions_of), yes=yes, backup=backup, spark_conf=spark_conf)


def _of_hub(wanted: Sequence[_Wanted], target: Target) -> Positions:
    host = target.address[0]
    of_hub = [each for each in wanted if each.offset.hub.lower() == target.hub.lower()]
    if not of_hub:
        raise CheckpointFileError(f"the file has no positions of the hub '{target.hub}'")
    for each in of_hub:
        if each.namespace is None or each.namespace.lower() == host.lower():
            return each.offset.positions
    raise CheckpointFileError(
        f"the file has positions of the hub '{target.hub}' of the namespace {of_hub[0].namespace}, not of {host}"
    )


def _new(wanted: Sequence[_Wanted]) -> Change:
    sources: dict[int, list[HubOffset]] = {}
    for each in wanted:
        sources.setdefault(each.number, []).append(each.offset)
    return Change(
        checkpoint=Checkpoint(query=None, committed=None, planned=None, sources=()),
        rows=[
            (each.offset.hub, partition, None, number)
            for each in wanted
            for partition, number in sorted(each.offset.positions.items())
        ],
        writes=[Write(path=f"sources/{each}/0", content=initial_offset(hubs)) for each, hubs in sources.items()],
        sources=(),
    )


def _source(found: Checkpoint, wanted: _Wanted) -> HubSource:
    for source in found.sources:
        if source.number == wanted.number and source.hub.lower() == wanted.offset.hub.lower():
            source.require(wanted.namespace, wanted.offset.positions)
            return source
    raise CheckpointFileError(
        f"source {wanted.number} of the query does not read the hub '{wanted.offset.hub}' of the file"
    )


def _parse(file: IO[str]) -> list[_Wanted]:
    try:
        content = json.loads(file.read())
        version, sources = content["version"], content["sources"]
        found = [_wanted(source) for source in sources]
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise CheckpointFileError(f"the file is not one that `checkpoint export` wrote: {problem!r}") from None
    if len({(each.number, each.offset.hub.lower()) for each in found}) < len(found):
        raise CheckpointFileError("the file has positions of one hub twice; remove one of them")
    if version != _VERSION or not found:
        raise CheckpointFileError(
            f"the file has version {version} and {len(found)} sources; expected version {_VERSION}"
        )
    return found


def _wanted(source: dict[str, Any]) -> _Wanted:
    namespace = source.get("namespace")
    return _Wanted(
        number=int(source["source"]), namespace=None if namespace is None else str(namespace), offset=_offset(source)
    )


def _offset(source: dict[str, Any]) -> HubOffset:
    positions: Positions = {int(each): number for each, number in source["nextSequenceNumbers"].items()}
    numbers = [*positions, *positions.values()]
    if not positions or not all(type(number) is int and 0 <= number <= MOST for number in numbers):
        raise ValueError("a partition or a sequence number is missing, or is no whole number from 0")
    return HubOffset(hub=str(source["hub"]), positions=positions)
