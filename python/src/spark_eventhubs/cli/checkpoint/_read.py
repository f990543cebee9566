"""Reads a checkpoint for a command, and turns its problems into one line."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from spark_eventhubs._checkpoint.checkpoint import Checkpoint, read_checkpoint
from spark_eventhubs._checkpoint.offset_file import CheckpointFileError
from spark_eventhubs.cli._checkpoint_files import java_message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spark_eventhubs._checkpoint.files import Files


@contextmanager
def one_line_failures(location: str) -> Iterator[None]:
    """Reports problems of a checkpoint, and of its file system, as click does."""
    try:
        yield
    except CheckpointFileError as problem:
        raise click.ClickException(str(problem)) from None
    except BrokenPipeError:
        raise
    except OSError as problem:
        raise click.ClickException(f"cannot use '{location}': {problem.strerror or problem}") from None
    except Exception as problem:
        reason = java_message(problem)
        if reason is None:
            raise
        raise click.ClickException(f"cannot use '{location}': {reason}") from None


def hubs_of(files: Files) -> Checkpoint:
    """The checkpoint. Raises CheckpointFileError where the query reads no hub."""
    found = read_checkpoint(files)
    if not found.sources:
        raise CheckpointFileError(f"the query of '{files.root}' reads no hub, or has not found its start yet")
    return found


def as_json(checkpoint: Checkpoint) -> dict[str, Any]:
    """The form of `export` and `show --json`."""
    return {
        "version": 1,
        "query": checkpoint.query,
        "committedBatch": checkpoint.committed,
        "plannedBatch": checkpoint.planned,
        "sources": [
            {
                "source": source.number,
                "namespace": source.identity.get("namespace"),
                "hub": source.hub,
                "nextSequenceNumbers": {str(each): source.starts[each] for each in sorted(source.starts)},
            }
            for source in checkpoint.sources
        ],
    }
