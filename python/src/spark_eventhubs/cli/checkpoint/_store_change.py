"""Positions of a file written to a checkpoint store."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

import click

from spark_eventhubs.cli._bounds import retained
from spark_eventhubs.cli._failures import failure_of
from spark_eventhubs.cli._hub_events import HubEvents
from spark_eventhubs.cli._properties import all_partitions
from spark_eventhubs.cli._stored_checkpoint import StoredCheckpoint
from spark_eventhubs.cli._table import count, print_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spark_eventhubs.cli._store import CheckpointStore
    from spark_eventhubs.cli._target import Target

_ANSWER_SECONDS: Final = 30


def write_positions(
    store: CheckpointStore, target: Target, group: str, positions: Mapping[int, int], *, yes: bool
) -> None:
    """Shows the change, and writes it if `yes`. A checkpoint has the event before the position, with its offset."""
    before = store.next_sequence_numbers()
    wanted, first = _checkpoints(target, group, positions)
    print_table(
        ("hub", "partition", "next event", "new next event"),
        [
            (target.hub, str(each), count(before.get(each)), count(found.sequence_number + 1))
            for each, found in wanted.items()
        ],
    )
    for partition in sorted(set(positions) - set(wanted)):
        if before.get(partition, 0) > max(positions[partition], first[partition]):
            raise click.ClickException(
                f"partition {partition} would stay at {before[partition]} in the store: a checkpoint has the event "
                f"before its position, and none before {positions[partition]} is retained; delete its blob, and let "
                "the processors start at the earliest event where they find none"
            )
    if not yes:
        click.echo("Nothing was written. Stop the processors, then repeat the command with --yes.", err=True)
        return
    for partition, checkpoint in wanted.items():
        store.write(partition, checkpoint)
    click.echo(f"{store.url} has the new positions.", err=True)


def _checkpoints(
    target: Target, group: str, positions: Mapping[int, int]
) -> tuple[dict[int, StoredCheckpoint], dict[int, int]]:
    """The checkpoint before each position, if it is retained, and the first retained event of each partition."""
    try:
        properties = all_partitions(target, _ANSWER_SECONDS)
        found: dict[int, StoredCheckpoint] = {}
        for partition, following in sorted(positions.items()):
            checkpoint = _checkpoint(target, group, str(partition), properties.get(str(partition)), following)
            if checkpoint is None:
                click.echo(
                    f"warning: partition {partition} gets no checkpoint: no event before {following} is retained",
                    err=True,
                )
            else:
                found[partition] = checkpoint
    except click.ClickException:
        raise
    except Exception as failure:  # noqa: BLE001 - the SDK also raises errors that are not its own
        raise failure_of(failure, target, claim="Listen", group=group) from None
    return found, {int(each): retained(of)[0] for each, of in properties.items()}


def _checkpoint(
    target: Target, group: str, partition: str, properties: dict[str, Any] | None, following: int
) -> StoredCheckpoint | None:
    if properties is None:
        raise click.ClickException(f"the hub '{target.hub}' has no partition {partition}")
    first, end = retained(properties)
    if following > end:
        raise click.ClickException(
            f"partition {partition} of '{target.hub}' has no event {following - 1}; its last one is {end - 1}"
        )
    if following <= first:
        return None
    last = following - 1
    try:
        # The service refuses the offset of its own answer as a start in a geo-replicated hub, so the event has it.
        offset = _offset(target, group, partition, last)
    except TimeoutError:
        # Compaction may remove the last event too.
        if following != end:
            raise
        offset = str(properties["last_enqueued_offset"])
    return StoredCheckpoint(sequence_number=last, offset=offset)


def _offset(target: Target, group: str, partition: str, number: int) -> str:
    hub_events = HubEvents(target, group, {partition: (number, True)}, partition)
    try:
        deadline = time.monotonic() + _ANSWER_SECONDS
        while time.monotonic() < deadline:
            batch = hub_events.next(1)
            if batch is None:
                continue
            event = batch[1][0]
            if event.sequence_number != number or event.offset is None:
                raise click.ClickException(f"partition {partition} of '{target.hub}' no longer has the event {number}")
            return event.offset
    finally:
        hub_events.close()
    raise TimeoutError(f"event {number} of partition {partition} did not arrive in {_ANSWER_SECONDS} s")
