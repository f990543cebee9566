"""Finds the sequence number of each partition for a position such as a time."""

from __future__ import annotations

import time
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

import click

from spark_eventhubs._sdk_calls import within
from spark_eventhubs.cli._bounds import retained
from spark_eventhubs.cli._failures import failure_of
from spark_eventhubs.cli._hub_events import HubEvents
from spark_eventhubs.cli._properties import all_partitions
from spark_eventhubs.cli._sdk import consumer
from spark_eventhubs.cli._start import parse_time

if TYPE_CHECKING:
    from collections.abc import Collection

    from spark_eventhubs.cli._start import Start
    from spark_eventhubs.cli._target import Target

_ANSWER_SECONDS: Final = 30


def resolve(
    target: Target, group: str, start: Start, *, only: int | None = None, among: Collection[int] | None = None
) -> dict[int, int]:
    """The first sequence number to read of each partition. An empty partition has the number of its next event.

    Args:
        target: the hub.
        group: the consumer group that looks up a time.
        start: the position.
        only: the only partition that counts; it must exist.
        among: otherwise, the partitions that count, as far as the hub has them; None means all.
    """
    try:
        properties = all_partitions(target, _ANSWER_SECONDS)
        if only is None:
            wanted = [each for each in properties if among is None or int(each) in among]
        else:
            wanted = [_known(target, str(only), properties)]
        return {int(each): _number(target, group, each, properties[each], start) for each in wanted}
    except click.ClickException:
        raise
    except Exception as failure:  # noqa: BLE001 - the SDK also raises errors that are not its own
        raise failure_of(failure, target, claim="Listen", group=group) from None


def _known(target: Target, partition: str, properties: Collection[str]) -> str:
    if partition in properties:
        return partition
    raise click.ClickException(f"the hub '{target.hub}' has no partition {partition}; it has {', '.join(properties)}")


def created_at(target: Target) -> int:
    """When the hub was created, in milliseconds since 1970. A recreated hub has another time."""

    def ask() -> int:
        with consumer(target, "$Default") as client:
            moment: datetime = client.get_eventhub_properties()["created_at"]
            return round(moment.timestamp() * 1000)

    try:
        return within(_ANSWER_SECONDS, ask)
    except Exception as failure:  # noqa: BLE001 - the SDK also raises errors that are not its own
        raise failure_of(failure, target, claim="Listen") from None


def was_recreated(target: Target, known: str) -> bool:
    """Whether the hub is not the one that was created at a known time, an ISO 8601 text. False for other texts."""
    moment = parse_time(known)
    return moment is not None and round(moment.timestamp() * 1000) != created_at(target)


def _number(target: Target, group: str, partition: str, properties: dict[str, Any], start: Start) -> int:
    first, end = retained(properties)
    if isinstance(start, int):
        if not first <= start <= end:
            raise click.ClickException(
                f"partition {partition} of '{target.hub}' has no event {start}; it retains {first} to {end - 1}"
            )
        return start
    if start == "earliest":
        return first
    if isinstance(start, datetime) and not properties["is_empty"] and properties["last_enqueued_time_utc"] >= start:
        return _first_since(target, group, partition, start)
    return end


def _first_since(target: Target, group: str, partition: str, moment: datetime) -> int:
    hub_events = HubEvents(target, group, {partition: (moment, True)}, partition)
    try:
        deadline = time.monotonic() + _ANSWER_SECONDS
        while time.monotonic() < deadline:
            batch = hub_events.next(1)
            if batch is not None and batch[1][0].sequence_number is not None:
                return batch[1][0].sequence_number
    finally:
        hub_events.close()
    raise TimeoutError(f"no event of partition {partition} arrived in {_ANSWER_SECONDS} s")
