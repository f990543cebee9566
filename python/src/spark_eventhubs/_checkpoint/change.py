"""Changes the positions of a stopped query, so that the checkpoint is valid after each single write."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from spark_eventhubs._checkpoint.checkpoint import (
    Checkpoint,
    HubKey,
    HubSource,
    batch_numbers,
    draft_of,
    read_offsets,
)
from spark_eventhubs._checkpoint.offset_file import CheckpointFileError, HubOffset, Positions, initial_offset

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spark_eventhubs._checkpoint.files import Files


@dataclass(frozen=True, kw_only=True)
class Write:
    """A file that is replaced in one step; without content it is deleted."""

    path: str
    content: bytes | None


def planned_writes(files: Files, checkpoint: Checkpoint, wanted: Mapping[HubKey, Positions]) -> list[Write]:
    """The writes that move the query, in their order.

    A query that stops between two of them starts at the old or at the new positions: no mixture.

    - All batches are committed: the last offsets are the start of the next batch, and are replaced.
    - A batch is planned. Spark repeats it when the query starts, and sinks may have seen its number. So it becomes
      an empty batch at the new positions. Its end first moves behind both starts, because a start must never be behind
      its end.
    - No batch is planned: the initial offset of each source is replaced.

    Args:
        files: the checkpoint's.
        checkpoint: what they say.
        wanted: for a hub of a source, the next sequence number of each partition; others keep theirs, also the other
            hubs of that source.
    """
    numbers = {number for number, _ in wanted}
    changed = [source for source in checkpoint.sources if source.number in numbers]
    targets = _by_source((source, _target(source, wanted.get(source.key))) for source in changed)
    starts = [Write(path=f"sources/{number}/0", content=initial_offset(offsets)) for number, offsets in targets.items()]
    if checkpoint.committed is not None:
        starts = [_offsets(files, checkpoint.committed, targets)]
    if checkpoint.planned is None:
        return starts
    behind_both = _by_source((source, _behind_both(source, wanted.get(source.key))) for source in changed)
    return [
        _offsets(files, checkpoint.planned, behind_both),
        *starts,
        _offsets(files, checkpoint.planned, targets),
    ]


def forget_generation(source: HubSource) -> list[Write]:
    """The writes after which the query accepts a recreated hub. All partitions must have new positions before."""
    # The draft first: without the file, the connector takes its draft.
    return [
        Write(path=draft_of(source.identity_file), content=None),
        Write(path=source.identity_file, content=None),
    ]


def back_up(files: Files, backup: Files, sources: Sequence[int]) -> None:
    """Copies the small files: everything that a change may touch, and what is needed to recognise the checkpoint."""
    if any(backup.names(folder) for folder in ("offsets", "commits", "sources")):
        raise CheckpointFileError(f"the backup '{backup.root}' exists; give another --backup FOLDER")
    folders = ["offsets", "commits", *(f"sources/{number}{part}" for number in sources for part in ("", "/hubs"))]
    for path in ["metadata", *(f"{folder}/{name}" for folder in folders for name in files.names(folder))]:
        content = None if path.endswith((".crc", ".tmp")) else files.read(path)
        if content is not None:
            backup.replace(path, content)


def apply(files: Files, writes: Sequence[Write]) -> None:
    """Writes the files in order."""
    for write in writes:
        if write.content is None:
            files.delete(write.path)
        else:
            files.replace(write.path, write.content)


def fingerprint(files: Files) -> tuple[int | None, int | None]:
    """The newest planned and the newest committed batch. A running query changes them."""
    offsets, commits = batch_numbers(files, "offsets"), batch_numbers(files, "commits")
    return max(offsets, default=None), max(commits, default=None)


def _by_source(offsets: Iterable[tuple[HubSource, HubOffset]]) -> dict[int, list[HubOffset]]:
    """The offsets of all hubs of each source."""
    found: dict[int, list[HubOffset]] = {}
    for source, offset in offsets:
        found.setdefault(source.number, []).append(offset)
    return found


def _target(source: HubSource, positions: Positions | None) -> HubOffset:
    """Where the hub continues; without new positions, where it is."""
    offset = HubOffset(hub=source.hub, positions=source.positions)
    if positions is None:
        return offset
    target = replace(offset, positions={**source.positions, **positions})
    source.require_positions(target.positions)
    return target


def _behind_both(source: HubSource, positions: Positions | None) -> HubOffset:
    target = _target(source, positions)
    ends = {
        partition: max(number, source.positions.get(partition, 0)) for partition, number in target.positions.items()
    }
    return replace(target, positions=ends)


def _offsets(files: Files, batch: int, offsets: Mapping[int, Sequence[HubOffset]]) -> Write:
    file = read_offsets(files, batch)
    for number, of_hubs in offsets.items():
        file = file.with_offsets(number, of_hubs)
    return Write(path=file.path, content=file.content())
