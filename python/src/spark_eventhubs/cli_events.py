"""The commands that read events from a hub or send events to it, with the official Python SDK."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from rich.console import Console
from rich.table import Table

from spark_eventhubs._tail import Tail

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from azure.eventhub import EventData, EventDataBatch, EventHubConsumerClient, EventHubProducerClient

_LINES_PER_BATCH: Final = 500

connection_string = click.option(
    "--connection-string",
    envvar="EVENTHUBS_CONNECTION_STRING",
    required=True,
    help="Connection string of the hub, with EntityPath. Prefer EVENTHUBS_CONNECTION_STRING: `ps` does not show it.",
)
consumer_group = click.option(
    "--consumer-group", default="$Default", show_default=True, help="Consumer group to read with."
)


@click.command()
@connection_string
@click.option("--partition-id", help="Partition to send to.")
@click.option("--partition-key", help="Partition key to send with.")
@click.argument("lines", type=click.File("r", encoding="utf-8"), default="-")
def send(connection_string: str, partition_id: str | None, partition_key: str | None, lines: Iterable[str]) -> None:
    """Send each line of a file, or of standard input, as an event."""
    if partition_id is not None and partition_key is not None:
        raise click.UsageError("give --partition-id or --partition-key, not both")
    sent = 0
    with _producer(connection_string) as producer:
        for chunk in _chunks(line.rstrip("\n") for line in lines):
            sent += _send(producer, chunk, partition_id, partition_key)
    click.echo(f"{sent} events sent", err=True)


@click.command()
@connection_string
@consumer_group
@click.option("--from", "start", type=click.Choice(["earliest", "latest"]), default="latest", show_default=True)
@click.option("-n", "--count", type=click.IntRange(min=1), help="Stop after this many events. [default: at Ctrl-C]")
@click.option("--timeout", type=click.FloatRange(min=0), help="Stop after this many seconds without an event.")
def tail(connection_string: str, consumer_group: str, start: str, count: int | None, timeout: float | None) -> None:
    """Print events as they arrive, one JSON object per line."""
    with _consumer(connection_string, consumer_group) as client:
        Tail(client, count, timeout).run("-1" if start == "earliest" else "@latest")


@click.command()
@connection_string
@click.argument("checkpoint", type=click.Path(exists=True, file_okay=False, path_type=Path))
def lag(connection_string: str, checkpoint: Path) -> None:
    """Show how far the query of a CHECKPOINT folder lags behind the hub, per partition."""
    with _consumer(connection_string, "$Default") as client:
        hub = client.eventhub_name
        ends = {
            int(partition): client.get_partition_properties(partition)["last_enqueued_sequence_number"] + 1
            for partition in client.get_partition_ids()
        }
    committed = _committed(checkpoint, hub)
    table = Table("partition", "read until", "end of the hub", "lag")
    for partition, end in sorted(ends.items()):
        read = committed.get(partition)
        lag = "-" if read is None else f"{end - read:,}"
        table.add_row(str(partition), "-" if read is None else f"{read:,}", f"{end:,}", lag)
    Console().print(table)


def _committed(checkpoint: Path, hub: str) -> dict[int, int]:
    commits = [int(file.name) for file in (checkpoint / "commits").glob("[0-9]*")]
    if not commits:
        raise click.ClickException(
            f"'{checkpoint}' has no committed batch; expected the checkpoint of a query that ran"
        )
    lines = (checkpoint / "offsets" / str(max(commits))).read_text(encoding="utf-8").splitlines()
    for offset in (json.loads(line) for line in lines[2:] if line.startswith("{")):
        for name, partitions in offset.items():
            if name.lower() == hub.lower():
                return {int(partition): int(until) for partition, until in partitions.items()}
    raise click.ClickException(f"the query of '{checkpoint}' does not read the hub '{hub}'")


def _chunks(lines: Iterable[str]) -> Iterator[list[str]]:
    chunk: list[str] = []
    for line in lines:
        chunk.append(line)
        if len(chunk) == _LINES_PER_BATCH:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _send(producer: EventHubProducerClient, lines: list[str], partition_id: str | None, key: str | None) -> int:
    from azure.eventhub import EventData  # noqa: PLC0415 - the SDK is an optional dependency

    batch = producer.create_batch(partition_id=partition_id, partition_key=key)
    for line in lines:
        event = EventData(line)
        if not _added(batch, event):
            producer.send_batch(batch)
            batch = producer.create_batch(partition_id=partition_id, partition_key=key)
            if not _added(batch, event):
                raise click.ClickException(f"a line of {len(line):,} characters is too large for an event")
    producer.send_batch(batch)
    return len(lines)


def _added(batch: EventDataBatch, event: EventData) -> bool:
    try:
        batch.add(event)
    except ValueError:  # the batch is full
        return False
    return True


def _producer(connection_string: str) -> EventHubProducerClient:
    try:
        from azure.eventhub import EventHubProducerClient  # noqa: PLC0415 - the SDK is an optional dependency
    except ImportError:
        raise _no_sdk() from None
    return EventHubProducerClient.from_connection_string(connection_string)


def _consumer(connection_string: str, group: str) -> EventHubConsumerClient:
    try:
        from azure.eventhub import EventHubConsumerClient  # noqa: PLC0415 - the SDK is an optional dependency
    except ImportError:
        raise _no_sdk() from None
    return EventHubConsumerClient.from_connection_string(connection_string, group)


def _no_sdk() -> click.ClickException:
    return click.ClickException("this command needs the Azure SDK: pip install 'spark-eventhubs[sdk]'")
