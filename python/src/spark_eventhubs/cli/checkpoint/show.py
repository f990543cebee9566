"""`spark-eventhubs checkpoint show`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import click

from spark_eventhubs.cli._checkpoint_files import checkpoint_options, open_files
from spark_eventhubs.cli._table import count, print_table
from spark_eventhubs.cli.checkpoint._read import as_json, hubs_of, one_line_failures

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spark_eventhubs._checkpoint.checkpoint import Checkpoint, HubSource
    from spark_eventhubs._checkpoint.offset_file import Positions

_KEPT: Final = "and keeps the position. The query reads it when its options name the partition again"


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
        for line in _notes(found, source):
            click.echo(line)
    rows = [
        (source.hub, str(each), count(source.starts.get(each)), count(end.get(each)))
        for source, end in ((source, _planned_end(source)) for source in found.sources)
        for each in sorted({*source.positions, *end})
    ]
    print_table(("hub", "partition", "next event", "end of the planned batch"), rows)


def _planned_end(source: HubSource) -> Positions:
    planned = source.planned or {}
    return {**planned, **source.withheld(planned)}


def _notes(found: Checkpoint, source: HubSource) -> Iterator[str]:
    """What the numbers of the offsets alone do not say."""
    if not source.starts:
        yield f"'{source.hub}' was recreated: the next batch reads it from the beginning"
    for batch, positions in ((found.committed, source.positions), (found.planned, source.planned or {})):
        for partition in sorted(source.withheld(positions)):
            yield f"batch {count(batch)} leaves out partition {partition} of '{source.hub}', which was down, {_KEPT}"
