"""`spark-eventhubs send`: sends lines as events."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Final

import click

from spark_eventhubs._sdk_calls import within
from spark_eventhubs.cli._failures import failure_of
from spark_eventhubs.cli._identity import target_of
from spark_eventhubs.cli._properties import require_partition
from spark_eventhubs.cli._sdk import close, producer
from spark_eventhubs.cli._target import connector_option, target_options
from spark_eventhubs.cli.send._interrupts import interrupts
from spark_eventhubs.cli.send._lines import LineReader
from spark_eventhubs.cli.send._sender import Sender

if TYPE_CHECKING:
    from collections.abc import Sequence
    from threading import Event

    from spark_eventhubs.cli._target import Target

_ANSWER_SECONDS: Final = 30


@click.command()
@target_options()
@connector_option
@click.option("--partition", help="The partition to send to. [default: the service chooses]")
@click.option("--partition-key", help="Partition key to send with.")
@click.argument("lines", type=click.File("rb"), default="-")
def send(
    *,
    connection_string: str | None,
    hub: str | None,
    options: Sequence[str],
    partition: str | None,
    partition_key: str | None,
    lines: IO[bytes],
) -> None:
    """Send each line of a file, or of standard input, as an event."""
    if partition is not None and partition_key is not None:
        raise click.UsageError("give --partition or --partition-key, not both")
    target = target_of(connection_string, hub, options)
    with interrupts() as interrupted:
        sent = _send(target, lines, interrupted, partition=partition, partition_key=partition_key)
        if interrupted.is_set():
            raise KeyboardInterrupt
    click.echo(f"{_events(sent)} sent", err=True)


def _send(
    target: Target, lines: IO[bytes], interrupted: Event, *, partition: str | None, partition_key: str | None
) -> int:
    """The number of events that were sent."""
    client = None
    sender = None
    try:
        client = producer(target)
        if partition is not None:
            # The SDK would ask for a link to it again and again.
            require_partition(target, partition, within(_ANSWER_SECONDS, client.get_partition_ids))
        sender = Sender(client, interrupted, partition_id=partition, partition_key=partition_key)
        for chunk in LineReader(lines, interrupted).chunks():
            sender.send(chunk)
    except Exception as problem:  # noqa: BLE001 - the SDK also raises errors that are not its own
        failure = failure_of(problem, target, claim="Send")
        if sender is None or sender.sent == 0:
            raise failure from None
        were = "was" if sender.sent == 1 else "were"
        raise click.ClickException(f"{failure.message} ({_events(sender.sent)} {were} sent)") from None
    finally:
        if client is not None:
            close(client)
    return sender.sent


def _events(number: int) -> str:
    return f"{number} event{'' if number == 1 else 's'}"
