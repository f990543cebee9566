"""Sends lines in batches, and repeats what a busy service did not take."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

import click

from spark_eventhubs._sdk_calls import within
from spark_eventhubs.cli._failures import is_busy, is_refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from threading import Event

    from azure.eventhub import EventData, EventDataBatch, EventHubProducerClient

_T = TypeVar("_T")

_ANSWER_SECONDS: Final = 60
_PATIENCE_SECONDS: Final = 60
_FIRST_WAIT_SECONDS: Final = 0.5
# The service asks a client to wait this long when it is busy.
_LONGEST_WAIT_SECONDS: Final = 4.0


class Sender:
    """Sends with one client. `sent` is the number of events that the service confirmed."""

    def __init__(
        self,
        client: EventHubProducerClient,
        interrupted: Event,
        *,
        partition_id: str | None = None,
        partition_key: str | None = None,
    ) -> None:
        """`interrupted` ends the waits between attempts, and the attempts after the one that runs."""
        self.sent = 0
        self._client = client
        self._interrupted = interrupted
        self._partition_id = partition_id
        self._partition_key = partition_key
        self._was_connected = False

    def send(self, lines: Sequence[bytes]) -> None:
        """Returns when the service has all lines. Raises the SDK's error after 60 seconds without progress."""
        from azure.eventhub import EventData  # noqa: PLC0415 - the SDK is an optional dependency

        batch = self._new_batch()
        for line in lines:
            event = EventData(line)
            if not _added(batch, event):
                self._send_batch(batch)
                batch = self._new_batch()
                if not _added(batch, event):
                    raise click.ClickException(f"a line of {len(line):,} bytes is too large for an event")
        self._send_batch(batch)

    def _new_batch(self) -> EventDataBatch:
        create = partial(self._client.create_batch, partition_id=self._partition_id, partition_key=self._partition_key)
        return self._repeated(create)

    def _send_batch(self, batch: EventDataBatch) -> None:
        if len(batch) > 0:
            self._repeated(partial(self._client.send_batch, batch))
            self.sent += len(batch)

    def _repeated(self, call: Callable[[], _T]) -> _T:
        deadline, wait = time.monotonic() + _PATIENCE_SECONDS, _FIRST_WAIT_SECONDS
        while True:
            try:
                answer = within(_ANSWER_SECONDS, call)
            except Exception as failure:
                if time.monotonic() >= deadline or not self._may_repeat(failure):
                    raise
            else:
                self._was_connected = True
                return answer
            self._interrupted.wait(wait)
            wait = min(2 * wait, _LONGEST_WAIT_SECONDS)

    def _may_repeat(self, failure: Exception) -> bool:
        from azure.eventhub.exceptions import EventHubError  # noqa: PLC0415 - as above

        if self._interrupted.is_set() or not isinstance(failure, EventHubError) or is_refusal(failure):
            return False
        # A wrong host or port is reported at once.
        return self._was_connected or is_busy(failure)


def _added(batch: EventDataBatch, event: EventData) -> bool:
    try:
        batch.add(event)
    except ValueError:  # the batch is full
        return False
    return True
