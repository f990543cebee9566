"""Prints the events of a hub as they arrive."""

from __future__ import annotations

import json
import threading
import time
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from azure.eventhub import EventData, EventHubConsumerClient, PartitionContext

_MAX_WAIT_SECONDS: Final = 0.2


class Tail:
    """Prints events until it has printed `count`, none arrives for `timeout` seconds, or the SDK fails."""

    def __init__(self, client: EventHubConsumerClient, count: int | None, timeout: float | None) -> None:
        self._client = client
        self._count = count
        self._timeout = timeout
        self._printed = 0
        self._last = time.monotonic()
        self._ended = threading.Event()
        self._failure: Exception | None = None

    def run(self, position: str) -> None:
        """Prints events and returns at the end; raises the SDK's failure."""
        if self._timeout is not None:
            # In a thread of its own, because the SDK calls no callback while it cannot connect.
            threading.Thread(target=self._end_when_silent, args=(self._timeout,), daemon=True).start()
        # In batches, because the SDK reads one partition after the other and waits at each empty one.
        self._client.receive_batch(
            self._show, on_error=self._fail, starting_position=position, max_wait_time=_MAX_WAIT_SECONDS
        )
        if self._failure is not None:
            raise self._failure

    def _show(self, partition: PartitionContext, events: list[EventData]) -> None:
        for event in events if self._count is None else events[: self._count - self._printed]:
            click.echo(_line(partition.partition_id, event))
            self._printed, self._last = self._printed + 1, time.monotonic()
        if self._printed == self._count:
            self._end()

    def _fail(self, _partition: PartitionContext | None, failure: Exception) -> None:
        # End here, or the SDK restarts the partition and repeats or skips events. Ignore errors of our own close.
        if self._ended.is_set():
            return
        from azure.eventhub.exceptions import EventHubError  # noqa: PLC0415 - the SDK is an optional dependency

        self._failure = click.ClickException(str(failure)) if isinstance(failure, EventHubError) else failure
        self._end()

    def _end_when_silent(self, timeout: float) -> None:
        while not self._ended.wait(left := self._last + timeout - time.monotonic()):
            if left <= 0:
                self._end()

    def _end(self) -> None:
        self._ended.set()
        self._client.close()


def _line(partition: str, event: EventData) -> str:
    fields = {
        "partition": partition,
        "sequenceNumber": event.sequence_number,
        "enqueuedTime": None if event.enqueued_time is None else event.enqueued_time.isoformat(),
        "partitionKey": None if event.partition_key is None else event.partition_key.decode(errors="replace"),
        "body": _body(event),
    }
    return json.dumps(fields, ensure_ascii=False)


def _body(event: EventData) -> str | None:
    """The body as text; None for an event without a value, such as a tombstone."""
    from azure.eventhub.amqp import AmqpMessageBodyType  # noqa: PLC0415 - as above

    body: Any = event.body
    if body is None:
        return None
    if event.body_type == AmqpMessageBodyType.DATA:
        return b"".join(body).decode(errors="replace")
    return body.decode(errors="replace") if isinstance(body, bytes) else str(body)
