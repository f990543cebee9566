"""`spark-eventhubs checkpoint export`."""

from __future__ import annotations

import json
from typing import IO, TYPE_CHECKING

import click

from spark_eventhubs.cli._checkpoint_files import checkpoint_options, open_files
from spark_eventhubs.cli.checkpoint._read import as_json, hubs_of, one_line_failures

if TYPE_CHECKING:
    from collections.abc import Sequence


@click.command()
@checkpoint_options
@click.argument("file", type=click.File("w", encoding="utf-8", atomic=True), default="-")
def export(checkpoint: str, spark_conf: Sequence[str], file: IO[str]) -> None:
    """Write the positions of the query as JSON to a FILE, or to standard output."""
    with one_line_failures(checkpoint):
        found = hubs_of(open_files(checkpoint, spark_conf))
    file.write(json.dumps(as_json(found), indent=2, ensure_ascii=False) + "\n")
