"""Checks the sign-in, the claims, the consumer group and the partitions."""

from __future__ import annotations

import time
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from spark_eventhubs._install import install
from spark_eventhubs._sdk_calls import within
from spark_eventhubs.cli._bounds import retained
from spark_eventhubs.cli._failures import failure_of
from spark_eventhubs.cli._hub_events import HubEvents
from spark_eventhubs.cli._properties import all_partitions
from spark_eventhubs.cli._sdk import producer
from spark_eventhubs.cli._start import sdk_start
from spark_eventhubs.cli.doctor._check import Check, fail, ok, skip, warn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spark_eventhubs.cli._target import Target

_SECONDS: Final = 30
_WITHOUT_EVENTS: Final = "allowed, as far as a hub without events shows"


def hub_checks(target: Target, group: str) -> Iterator[Check]:
    """The checks `sign-in`, `partitions`, `listen`, `consumer group` and `send`."""
    # Without any package of Azure, the second question is an error.
    if find_spec("azure") is None or find_spec("azure.eventhub") is None:
        yield skip("hub", f"it is checked with the Azure SDK: {install('sdk')}")
        return
    if target.over_sockets and find_spec("websocket") is None:
        yield skip("hub", "over WebSockets it is checked with another package: pip install websocket-client")
        return
    try:
        properties = all_partitions(target, _SECONDS)
    except Exception as failure:  # noqa: BLE001 - the SDK also raises errors that are not its own
        yield fail("sign-in", failure_of(failure, target, claim="Listen").message)
        return
    signed = "a shared access signature" if target.policy is None else f"the policy '{target.policy}'"
    yield ok("sign-in", f"with {signed} to the hub '{target.hub}'")
    yield _partitions(properties)
    yield from _listen(target, group, properties)
    yield _send(target)


def _partitions(properties: dict[str, dict[str, Any]]) -> Check:
    events = sum(end - first for first, end in map(retained, properties.values()))
    return ok("partitions", f"{len(properties)}, with {events:,} events")


def _listen(target: Target, group: str, properties: dict[str, dict[str, Any]]) -> Iterator[Check]:
    # An event proves that the service has accepted the reader. The SDK says it in no other way.
    partition = next((each for each, of in properties.items() if not of["is_empty"]), None)
    found = "allowed" if partition is not None else _WITHOUT_EVENTS
    at = next(iter(properties)) if partition is None else partition
    last = int(properties[at]["last_enqueued_sequence_number"])
    start = {at: sdk_start("latest" if partition is None else last, properties[at])}
    hub_events = HubEvents(target, group, start, at)
    try:
        deadline = time.monotonic() + _SECONDS
        while hub_events.next(0.1) is None and not (partition is None and hub_events.is_open()):
            if time.monotonic() > deadline:
                if _retains(target, at, last):
                    raise TimeoutError(f"no answer in {_SECONDS} s")  # noqa: TRY301 -- handled with the SDK's failures
                found = _WITHOUT_EVENTS
                break
    except Exception as failure:  # noqa: BLE001 - as above
        text = failure_of(failure, target, claim="Listen", group=group).message
        if "consumer group" in text:
            yield ok("listen", "allowed")
            yield fail("consumer group", text)
        else:
            yield warn("listen", text, "Needed only to read")
        return
    finally:
        hub_events.close()
    yield ok("listen", found)
    yield ok("consumer group", f"'{group}' exists")


def _retains(target: Target, partition: str, event: int) -> bool:
    """Whether the partition still has the event: it may expire before a reader asks for it."""
    first, end = retained(all_partitions(target, _SECONDS)[partition])
    return first <= event < end


def _send(target: Target) -> Check:
    def open_link() -> None:
        with producer(target) as client:
            # It asks the open link for the largest message, and sends nothing.
            client.create_batch()

    try:
        within(_SECONDS, open_link)
    except Exception as failure:  # noqa: BLE001 - as above
        return warn("send", failure_of(failure, target, claim="Send").message, "Needed only to write")
    return ok("send", "allowed")
