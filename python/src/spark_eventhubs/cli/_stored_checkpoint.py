"""A blob with a checkpoint, in each layout that the connector reads."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_FIELDS: Final = ("offset", "sequencenumber", "partitionid", "owner", "epoch")
# The offset of a checkpoint that EventProcessorHost writes before its first event.
_BEFORE_FIRST: Final = "-1"


class NoCheckpointError(ValueError):
    """A blob that is no checkpoint. The text continues "the blob '<name>'"."""


@dataclass(frozen=True, kw_only=True)
class StoredCheckpoint:
    """The last event of a partition that a processor has handled."""

    sequence_number: int
    offset: str


def of_metadata(metadata: Mapping[str, Any]) -> StoredCheckpoint | None:
    """The newest layout: the metadata of an empty blob. None before the first event."""
    if not (metadata.get("sequencenumber") or metadata.get("offset")):
        raise NoCheckpointError("is not a checkpoint")
    return _checkpoint(metadata.get("sequencenumber"), metadata.get("offset"))


def of_json(content: bytes) -> StoredCheckpoint | None:
    """The JSON of the old EventProcessorHost and of Azure Functions. None for a lease without a checkpoint."""
    try:
        found = json.loads(content.decode("utf-8-sig"))
        fields = {str(key).replace("_", "").lower(): value for key, value in found.items()}
    except (ValueError, AttributeError):
        raise NoCheckpointError("is not a checkpoint") from None
    if not any(field in fields for field in _FIELDS):
        raise NoCheckpointError("is not a checkpoint")
    number, offset = fields.get("sequencenumber"), fields.get("offset")
    if not _text(offset) and _text(number) in {"", "0", "-1"}:
        return None
    return _checkpoint(number, offset)


def _checkpoint(number: object, offset: object) -> StoredCheckpoint | None:
    text, place = _text(number), _text(offset)
    if text == "0" and place == _BEFORE_FIRST:
        return None
    if not text:
        raise NoCheckpointError("has an offset and no sequence number, which this command needs")
    if not (text.isascii() and text.isdecimal()):
        raise NoCheckpointError("is not a checkpoint")
    return StoredCheckpoint(sequence_number=int(text), offset=place)


def _text(value: object) -> str:
    return "" if value is None else str(value).strip()
