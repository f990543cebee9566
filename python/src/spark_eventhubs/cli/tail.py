"""`spark-eventhubs tail`: prints events as they arrive."""

from __future__ import annotations

import json
import sys
import time
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

import click

from spark_eventhubs.cli._event_json import event_json
from spark_eventhubs.cli._failures import failure_of
from spark_eventhubs.cli._hub_events import HubEvents
from spark_eventhubs.cli._identity import target_of
from spark_eventhubs.cli._pipe import require_reader
from spark_eventhubs.cli._properties import all_partitions, require_partition
from spark_eventhubs.cli._schemas import Schemas
from spark_eventhubs.cli._start import Start, StartType, sdk_start
from spark_eventhubs.cli._target import connector_option, consumer_group_option, target_options

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence

    from spark_eventhubs.cli._target import Target

_TICK_SECONDS: Final = 0.2


@click.command()
@target_options()
@connector_option
@consumer_group_option
@click.option("--partition", help="The only partition to read. [default: all]")
@click.option(
    "--from",
    "start",
    type=StartType(),
    default="latest",
    show_default=True,
    help="earliest, latest, a sequence number, a time such as 2026-01-31T12:00:00Z, or a duration before now: 15m.",
)
@click.option("-n", "--count", type=click.IntRange(min=1), help="Stop after this many events. [default: at Ctrl-C]")
@click.option("--timeout", type=click.FloatRange(min=0), help="Stop after this many seconds without an event.")
@click.option(
    "--connect-timeout",
    type=click.FloatRange(min=0),
    default=30,
    show_default=True,
    help="Seconds until the hub answers.",
)
def tail(
    *,
    connection_string: str | None,
    hub: str | None,
    options: Sequence[str],
    consumer_group: str,
    partition: str | None,
    start: Start,
    count: int | None,
    timeout: float | None,
    connect_timeout: float,
) -> None:
    """Print events as they arrive, one JSON object per line."""
    target = target_of(connection_string, hub, options)
    # JSON can escape what the encoding of a pipe lacks, as on Windows.
    is_unicode = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")
    printed = 0
    found = _events(target, consumer_group, partition, start=start, timeout=timeout, connect_timeout=connect_timeout)
    with closing(found) as events:
        for event in events:
            require_reader()
            if event is None:
                continue
            click.echo(json.dumps(event, ensure_ascii=not is_unicode))
            printed += 1
            if printed == count:
                return


def _events(
    target: Target,
    group: str,
    partition: str | None,
    *,
    start: Start,
    timeout: float | None,
    connect_timeout: float,
) -> Generator[dict[str, Any] | None, None, None]:
    """The events as JSON objects, and None now and then while there are none. Raises how the hub failed."""
    try:
        properties = all_partitions(target, connect_timeout)
        hub_events = HubEvents(target, group, _starts(start, partition, properties, target), partition)
        try:
            yield from _read(hub_events, timeout, Schemas(target))
        finally:
            hub_events.close()
    except Exception as failure:  # noqa: BLE001 - the SDK also raises errors that are not its own
        raise failure_of(failure, target, claim="Listen", group=group) from None


def _starts(
    start: Start, partition: str | None, properties: Mapping[str, Mapping[str, Any]], target: Target
) -> dict[str, tuple[Any, bool]]:
    if partition is not None:
        require_partition(target, partition, properties)
    return {each: sdk_start(start, found) for each, found in properties.items()}


def _read(hub_events: HubEvents, timeout: float | None, schemas: Schemas) -> Iterator[dict[str, Any] | None]:
    last = time.monotonic()
    while timeout is None or time.monotonic() - last < timeout or not hub_events.is_open():
        yield None
        batch = hub_events.next(_TICK_SECONDS)
        if batch is None:
            continue
        partition, events = batch
        for event in events:
            yield event_json(partition, event, schemas)
            last = time.monotonic()
