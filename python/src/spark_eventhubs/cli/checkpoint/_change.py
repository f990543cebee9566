"""Shows a change, and writes it after a backup."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from spark_eventhubs._checkpoint.change import Write, apply, back_up, fingerprint, planned_writes
from spark_eventhubs._checkpoint.offset_file import CheckpointFileError
from spark_eventhubs.cli._checkpoint_files import is_url, open_files
from spark_eventhubs.cli._table import count, print_table

if TYPE_CHECKING:
    from spark_eventhubs._checkpoint.checkpoint import Checkpoint, HubKey
    from spark_eventhubs._checkpoint.files import Files
    from spark_eventhubs._checkpoint.offset_file import Positions

_Command = TypeVar("_Command", bound=Callable[..., Any])
# A younger batch may be that of a running query. Then its next batch is waited for.
_RECENT: Final = timedelta(minutes=10)
_WATCH_SECONDS: Final = 3


def change_options(command: _Command) -> _Command:
    """Adds the options of a command that writes."""
    yes = click.option("--yes", is_flag=True, help="Write. The query must be stopped.")
    backup = click.option("--backup", help="Folder of the backup, or its URL. [default: next to the checkpoint]")
    return yes(backup(command))


@dataclass(frozen=True, kw_only=True)
class Change:
    """New positions.

    Attributes:
        checkpoint: before the change.
        rows: hub, partition, next sequence number before and after.
        writes: in order.
        sources: numbers of the changed sources.
    """

    checkpoint: Checkpoint
    rows: Sequence[tuple[str, int, int | None, int]]
    writes: Sequence[Write]
    sources: Sequence[int]

    @classmethod
    def of(
        cls, files: Files, checkpoint: Checkpoint, wanted: Mapping[HubKey, Positions], more: Sequence[Write] = ()
    ) -> Change:
        """The change to the given positions of each hub."""
        hubs = {source.key: source for source in checkpoint.sources}
        rows = [
            (key[1], partition, hubs[key].positions.get(partition), after)
            for key, positions in wanted.items()
            for partition, after in sorted(positions.items())
        ]
        writes = [*planned_writes(files, checkpoint, wanted), *more]
        return cls(checkpoint=checkpoint, rows=rows, writes=writes, sources=sorted({number for number, _ in wanted}))


def run(files: Files, change: Change, *, yes: bool, backup: str | None, spark_conf: Sequence[str]) -> None:
    """Shows the change, and writes it if `yes`. The configuration is for a backup with a URL."""
    print_table(
        ("hub", "partition", "next event", "new next event", "events"),
        [(hub, str(each), count(old), count(new), _events(old, new)) for hub, each, old, new in change.rows],
    )
    _warn(files, change)
    if not yes:
        click.echo("Nothing was written. Stop the query, then repeat the command with --yes.", err=True)
        return
    before = (change.checkpoint.planned, change.checkpoint.committed)
    _require_stopped(files, change)
    if change.sources:
        stamp = datetime.now(timezone.utc).strftime("%Y%m%dT%H%M%SZ")
        elsewhere = backup is not None and is_url(backup) and not is_url(files.root)
        name = backup or f"{files.name}-backup-{stamp}"
        copy = open_files(name, spark_conf) if elsewhere else files.sibling(name)
        back_up(files, copy, change.sources)
        click.echo(f"backup: {copy.root}", err=True)
    _require_unchanged(files, change, before)
    apply(files, change.writes)
    click.echo("The checkpoint has the new positions. Start the query.", err=True)


def _events(old: int | None, new: int) -> str:
    """How many events are read again (negative) or skipped."""
    if old is None:
        return "-"
    return "0" if new == old else f"{new - old:+,}"


def _warn(files: Files, change: Change) -> None:
    if change.checkpoint.planned is not None:
        click.echo(
            f"warning: batch {change.checkpoint.planned} is planned and not committed. It becomes an empty batch, and "
            "its events of partitions that keep their position are read again: a sink may get them twice",
            err=True,
        )
    if files.names("state"):
        click.echo("warning: the query keeps state, which does not change. It may drop late events", err=True)


def _require_stopped(files: Files, change: Change) -> None:
    """There is no lock in a checkpoint, so this sees a running query only by its batches."""
    before = fingerprint(files)
    found = change.checkpoint
    last = f"commits/{found.committed}" if found.planned is None else f"offsets/{found.planned}"
    if before == (None, None) or datetime.now(timezone.utc) - files.modified(last) > _RECENT:
        return
    click.echo(f"The last batch is young: waiting {_WATCH_SECONDS} s to see whether the query runs.", err=True)
    deadline = time.monotonic() + _WATCH_SECONDS
    while time.monotonic() < deadline:
        if fingerprint(files) != before:
            raise CheckpointFileError("the query runs: it has written a batch; stop it first")
        time.sleep(0.2)


def _require_unchanged(files: Files, change: Change, before: tuple[int | None, int | None]) -> None:
    planned, committed = fingerprint(files)
    expected = before[0] if before[0] is not None else before[1]
    if change.sources and (planned, committed) != (expected, before[1]):
        raise CheckpointFileError("the query has written a batch meanwhile: it runs; stop it and repeat the command")
