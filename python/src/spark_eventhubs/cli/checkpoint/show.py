"""`spark-eventhubs checkpoint show`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from spark_eventhubs.cli._checkpoint_files import checkpoint_options, open_files
from spark_eventhubs.cli._table import count, print_table
from spark_eventhubs.cli.checkpoint._read import as_json, hubs_of, one_line_failures

if TYPE_CHECKING:
    from collections.abc import Sequence


@click.command()
@checkpoint_options()
@click.option("--json", "json_wanted", is_flag=True, help="Print JSON, as export does.")
def show(*, checkpoint: str, spark_conf: Sequence[str], json_wanted: bool) -> None:
    """Show where the query continues: the next sequence number of each partition."""
    with one_line_failures(checkpoint):
        found = hubs_of(open_files(checkpoint, spark_conf))
    if json_wanted:
        click.echo(json.dumps(as_json(found), indent=2, ensure_ascii=False))
        return
    click.echo(f"query {found.query or '-'}, last committed batch {count(found.committed)}")
    if found.planned is not None:
        click.echo(f"batch {found.planned} is planned and not committed: the query repeats it when it starts")
    for source in found.sources:
        if not source.identity:
            click.echo(
                f"'{source.hub}' has no hub.json: the legacy connector wrote it, `checkpoint import` or a reset after "
                "the hub was recreated did, or Spark's Kafka source for this topic, whose offsets are no sequence "
                "numbers of a hub",
                err=True,
            )
    rows = [
        (source.hub, str(each), count(source.positions.get(each)), count((source.planned or {}).get(each)))
        for source in found.sources
        for each in sorted({*source.positions, *(source.planned or {})})
    ]
    print_table(("hub", "partition", "next event", "end of the planned batch"), rows)
