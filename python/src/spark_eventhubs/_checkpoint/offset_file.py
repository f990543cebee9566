"""The format of a file in `offsets`, and of a hub's offset in it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

Positions = Mapping[int, int]

_VERSION: Final = "v1"
# A source without an offset, as Spark writes it.
NO_OFFSET: Final = "-"
_FIRST_OFFSET_LINE: Final = 2


class CheckpointFileError(ValueError):
    """A checkpoint that cannot be read or changed."""


@dataclass(frozen=True, kw_only=True)
class HubOffset:
    """The next sequence number of each partition of a hub."""

    hub: str
    positions: Positions


@dataclass(frozen=True, kw_only=True)
class OffsetFile:
    """The offsets of all sources at the end of a batch, in the order of the sources."""

    path: str
    metadata: str
    lines: tuple[str, ...]

    @classmethod
    def parse(cls, path: str, content: bytes) -> OffsetFile:
        """Reads Spark's format. Raises CheckpointFileError for an incomplete file or another version."""
        version, *others = content.decode(errors="replace").split("\n")
        if version != _VERSION:
            raise CheckpointFileError(f"'{path}' has the format '{version[:20]}'; expected {_VERSION}")
        if len(others) < _FIRST_OFFSET_LINE:
            raise CheckpointFileError(f"'{path}' is incomplete; its writer was stopped")
        return cls(path=path, metadata=others[0], lines=tuple(line for line in others[1:] if line))

    def with_offsets(self, source: int, offsets: Sequence[HubOffset]) -> OffsetFile:
        """This file with other offsets of one source: those of all its hubs."""
        lines = list(self.lines)
        lines[source] = _json(offsets)
        return replace(self, lines=tuple(lines))

    def content(self) -> bytes:
        """The file in Spark's format."""
        return "\n".join((_VERSION, self.metadata, *self.lines)).encode()


def parse_offset(text: str) -> tuple[HubOffset, ...]:
    """The offset of each hub of a source, in the order of their names; empty for an offset of another source."""
    try:
        hubs = {
            hub: {int(partition): number for partition, number in numbers.items()}
            for hub, numbers in json.loads(text).items()
        }
    except (ValueError, AttributeError, TypeError):
        return ()
    if not all(numbers and all(type(each) is int for each in numbers.values()) for numbers in hubs.values()):
        return ()
    return tuple(HubOffset(hub=hub, positions=hubs[hub]) for hub in sorted(hubs))


def parse_initial_offset(content: bytes) -> tuple[HubOffset, ...]:
    """The offsets in `sources/<n>/0`: a zero byte, a version line and the offset. Both connectors write it so."""
    return parse_offset(content.decode(errors="replace").lstrip("\0").rpartition("\n")[2])


def initial_offset(offsets: Sequence[HubOffset]) -> bytes:
    """The content of `sources/<n>/0`, with all hubs of the source."""
    return f"\0{_VERSION}\n{_json(offsets)}".encode()


def _json(offsets: Sequence[HubOffset]) -> str:
    """The connector's form of a source's offset, which the legacy connector reads too."""
    hubs = {
        offset.hub: {str(partition): offset.positions[partition] for partition in sorted(offset.positions)}
        for offset in sorted(offsets, key=lambda each: each.hub)
    }
    return json.dumps(hubs, separators=(",", ":"), ensure_ascii=False)
