"""What a checkpoint says about the hubs that its query reads."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from spark_eventhubs._checkpoint.offset_file import (
    CheckpointFileError,
    HubOffset,
    OffsetFile,
    Positions,
    parse_initial_offset,
    parse_offset,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from spark_eventhubs._checkpoint.files import Files


# The number of a source, and the hub's name as its offsets have it.
HubKey = tuple[int, str]


@dataclass(frozen=True, kw_only=True)
class HubSource:
    """One hub that the query reads.

    Attributes:
        number: the source's number in the query, from 0.
        hub: the hub's name.
        positions: the numbers in the last offset; `starts` has those that the next batch really starts at.
        planned: the end of a batch that is planned and not committed; None without one.
        identity: the connector's `hub.json`, or the hub's file in `hubs`; empty in a checkpoint of the legacy
            connector.
        identity_file: the path of that file.
    """

    number: int
    hub: str
    positions: Positions
    planned: Positions | None
    identity: Mapping[str, Any]
    identity_file: str

    @property
    def starts(self) -> Positions:
        """Where the next batch starts. A partition without a number starts at the beginning of a recreated hub."""
        if not self.is_noted("restartedAfter", self.positions):
            return {**self.positions, **self.withheld(self.positions)}
        restarts = self._numbers("restartsAt")
        return {**self.positions, **restarts} if restarts else {}

    def withheld(self, positions: Positions) -> Positions:
        """The next sequence numbers of partitions that the batch up to this offset did not read."""
        return self._numbers("withheld") if self.is_noted("withheldAt", positions) else {}

    def is_noted(self, field: str, positions: Positions) -> bool:
        """Whether the identity's field is this offset, which does not have all positions then."""
        noted = self.identity.get(field)
        return isinstance(noted, str) and parse_offset(noted) == (HubOffset(hub=self.hub, positions=positions),)

    def require_positions(self, *offsets: Positions) -> None:
        """Raises CheckpointFileError unless the next batch starts where its offset says, and at each of `offsets`."""
        fields = ("restartedAfter", "withheldAt")
        if any(self.is_noted(field, each) for field in fields for each in (self.positions, *offsets)):
            raise CheckpointFileError(
                f"the hub '{self.hub}' was recreated or promoted, or a partition of it was down, and the query has "
                "not read from it since; start the query until it has committed a batch, then repeat the command"
            )

    def _numbers(self, field: str) -> dict[int, int]:
        noted = self.identity.get(field)
        try:
            return {int(each): int(number) for each, number in noted.items()} if isinstance(noted, dict) else {}
        except (TypeError, ValueError):
            raise CheckpointFileError(
                f"'{field}' in {self.identity_file} is {noted}; expected the next sequence number of each partition"
            ) from None

    def require(self, namespace: str | None, partitions: Iterable[int]) -> None:
        """Raises CheckpointFileError unless the namespace is the hub's, and the query reads these partitions."""
        own = self.identity.get("namespace")
        if namespace is not None and own is not None and namespace.lower() != str(own).lower():
            raise CheckpointFileError(
                f"the query reads the hub '{self.hub}' of the namespace {own}, and these positions are of {namespace}"
            )
        unknown = sorted(set(partitions) - set(self.positions))
        if unknown:
            known = ", ".join(map(str, sorted(self.positions)))
            raise CheckpointFileError(f"the query does not read partition {unknown[0]}; it reads {known}")

    @property
    def key(self) -> HubKey:
        """What tells this hub of the query from others."""
        return self.number, self.hub


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """The state of a query.

    Attributes:
        query: the query's id; None when the query never started.
        committed: the last committed batch; None before the first.
        planned: the batch that the query repeats when it starts again; None if the last batch is committed.
        sources: the hubs that it reads.
    """

    query: str | None
    committed: int | None
    planned: int | None
    sources: tuple[HubSource, ...]

    def source_of(self, hub: str | None) -> HubSource:
        """The source that reads this hub, or the only source."""
        found = [source for source in self.sources if hub is None or source.hub.lower() == hub.lower()]
        if len(found) == 1:
            return found[0]
        known = ", ".join(f"'{source.hub}'" for source in self.sources) or "no hub"
        if not found:
            raise CheckpointFileError(f"the query does not read the hub '{hub}'; it reads {known}")
        raise CheckpointFileError(
            f"the query has several sources ({known}); give --hub NAME of a hub that it reads once"
        )


def read_checkpoint(files: Files) -> Checkpoint:
    """Reads a checkpoint of this or of the legacy connector. Raises CheckpointFileError."""
    batches, commits = batch_numbers(files, "offsets"), batch_numbers(files, "commits")
    if not batches and not files.names("sources"):
        raise CheckpointFileError(f"'{files.root}' is no checkpoint; expected a folder with offsets, commits, sources")
    committed = max(commits) if commits else None
    planned = max(batches) if batches and (committed is None or max(batches) > committed) else None
    if planned is not None and planned != (0 if committed is None else committed + 1):
        raise CheckpointFileError(f"'{files.root}' has offsets of batch {planned}, but its last commit is {committed}")
    last = None if committed is None else read_offsets(files, committed)
    end = None if planned is None else read_offsets(files, planned)
    numbers = _source_numbers(files, last or end)
    return Checkpoint(
        query=_json(files, "metadata").get("id"),
        committed=committed,
        planned=planned,
        sources=tuple(source for number in numbers for source in _sources(files, number, last, end)),
    )


def batch_numbers(files: Files, folder: str) -> list[int]:
    """The batches that have a file in `offsets` or `commits`."""
    return sorted(int(name) for name in files.names(folder) if name.isdigit())


def read_offsets(files: Files, batch: int) -> OffsetFile:
    """The offsets at the end of a batch."""
    path = f"offsets/{batch}"
    content = files.read(path)
    if content is None:
        raise CheckpointFileError(f"'{files.root}' has no {path}, although batch {batch} is committed")
    return OffsetFile.parse(path, content)


def _source_numbers(files: Files, offsets: OffsetFile | None) -> list[int]:
    if offsets is not None:
        return list(range(len(offsets.lines)))
    return batch_numbers(files, "sources")


def _sources(files: Files, number: int, last: OffsetFile | None, end: OffsetFile | None) -> list[HubSource]:
    """The hubs of one source of the query."""
    initial = files.read(f"sources/{number}/0")
    first = () if initial is None else parse_initial_offset(initial)
    start = () if last is None else _offsets(last, number)
    planned = {offset.hub: offset.positions for offset in (() if end is None else _offsets(end, number))}
    starts = start or first
    found = []
    for offset in starts:
        path = _identity_file(files, f"sources/{number}", offset.hub, is_only=len(starts) == 1)
        found.append(
            HubSource(
                number=number,
                hub=offset.hub,
                positions=offset.positions,
                planned=planned.get(offset.hub),
                identity=_identity(files, path),
                identity_file=path,
            )
        )
    return found


def draft_of(path: str) -> str:
    """The file that the connector writes first. Without the file itself, it takes this draft."""
    folder, _, name = path.rpartition("/")
    return f"{folder}/.{name}.tmp"


def _identity_file(files: Files, folder: str, hub: str, *, is_only: bool) -> str:
    of_only = f"{folder}/hub.json"
    if is_only or str(_identity(files, of_only).get("hub")).lower() == hub.lower():
        return of_only
    return f"{folder}/hubs/{quote(hub.lower(), safe='')}.json"


def _identity(files: Files, path: str) -> dict[str, Any]:
    return _json(files, path) or _json(files, draft_of(path))


def _offsets(file: OffsetFile, number: int) -> tuple[HubOffset, ...]:
    return parse_offset(file.lines[number]) if number < len(file.lines) else ()


def _json(files: Files, path: str) -> dict[str, Any]:
    try:
        found = json.loads(files.read(path) or b"{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
