"""`spark-eventhubs send`: sends lines as events."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import IO, TYPE_CHECKING, Final

import click

from spark_eventhubs.cli._failures import failure_of
from spark_eventhubs.cli._sdk import producer, within
from spark_eventhubs.cli._target import Target, target_options

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from azure.eventhub import EventData, EventDataBatch, EventHubProducerClient

_LINES_PER_BATCH: Final = 500
_SEND_SECONDS: Final = 60


@click.command()
@target_options()
@click.option("--partition-id", help="Partition to send to.")
@click.option("--partition-key", help="Partition key to send with.")
@click.argument("lines", type=click.File("rb"), default="-")
def send(
    *, connection_string: str, hub: str | None, partition_id: str | None, partition_key: str | None, lines: IO[bytes]
) -> None:
    """Send each line of a file, or of standard input, as an event."""
    if partition_id is not None and partition_key is not None:
        raise click.UsageError("give --partition-id or --partition-key, not both")
    target = Target.of(connection_string, hub)
    sent, counter = 0, Counter[str]()
    # Lines from a keyboard are sent at once.
    size = 1 if lines.isatty() else _LINES_PER_BATCH
    try:
        with producer(target) as client:
            try:
                for chunk in _chunks((line.rstrip(b"\r\n") for line in lines), size):
                    send_chunk = partial(_send, client, chunk, partition_id, partition_key, counter)
                    within(_SEND_SECONDS, send_chunk)
            finally:
                sent = counter["events"]
    except Exception as problem:  # noqa: BLE001 - the SDK also raises errors that are not its own
        failure = failure_of(problem, target, claim="Send")
        if sent == 0:
            raise failure from None
        raise click.ClickException(f"{failure.message} ({sent} events were sent)") from None
    click.echo(f"{sent} event{'' if sent == 1 else 's'} sent", err=True)


def _chunks(lines: Iterable[bytes], size: int) -> Iterator[list[bytes]]:
    chunk: list[bytes] = []
    for line in lines:
        chunk.append(line)
        if len(chunk) == size:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _send(
    client: EventHubProducerClient, lines: list[bytes], partition_id: str | None, key: str | None, sent: Counter[str]
) -> None:
    from azure.eventhub import EventData  # noqa: PLC0415 - the SDK is an optional dependency

    batch = client.create_batch(partition_id=partition_id, partition_key=key)
    for line in lines:
        event = EventData(line)
        if not _added(batch, event):
            _send_batch(client, batch, sent)
            batch = client.create_batch(partition_id=partition_id, partition_key=key)
            if not _added(batch, event):
                raise click.ClickException(f"a line of {len(line):,} bytes is too large for an event")
    _send_batch(client, batch, sent)


def _send_batch(client: EventHubProducerClient, batch: EventDataBatch, sent: Counter[str]) -> None:
    if len(batch) > 0:
        client.send_batch(batch)
        sent["events"] += len(batch)


def _added(batch: EventDataBatch, event: EventData) -> bool:
    try:
        batch.add(event)
    except ValueError:  # the batch is full
        return False
    return True
