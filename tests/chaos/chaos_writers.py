"""Writers of a chaos run: the official SDK sends numbered events into the partitions of the source."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from azure.eventhub import EventData, EventHubProducerClient
from azure.eventhub.exceptions import EventHubError

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

_EVENTS_PER_BATCH: Final = 20
_PAUSE_SECONDS: Final = 0.2


class Writers:
    """One thread for each partition. They write until the end of the `with` block."""

    def __init__(self, connection_string: str, *, partitions: int) -> None:
        """Starts nothing yet."""
        self._connection_string = connection_string
        self._stop = threading.Event()
        self._acknowledged: list[list[str]] = [[] for _ in range(partitions)]
        self._threads = [
            threading.Thread(target=self._write, args=(partition,), daemon=True) for partition in range(partitions)
        ]

    @property
    def acknowledged(self) -> list[str]:
        """The bodies of all events whose writes were confirmed."""
        return [body for bodies in self._acknowledged for body in bodies]

    def __enter__(self) -> Self:
        """Starts to write."""
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Waits until the last writes have an answer."""
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _write(self, partition: int) -> None:
        number = 0
        while not self._stop.is_set():
            # A producer that has lost its connection takes long to notice it. A new one does not.
            with suppress(EventHubError), self._producer() as producer:
                while not self._stop.is_set():
                    bodies = [f"{partition}-{each}" for each in range(number, number + _EVENTS_PER_BATCH)]
                    # Whatever becomes of this batch: a number is sent once, except by the SDK itself.
                    number += _EVENTS_PER_BATCH
                    batch = producer.create_batch(partition_id=str(partition))
                    for body in bodies:
                        batch.add(EventData(body))
                    producer.send_batch(batch)
                    self._acknowledged[partition] += bodies
                    self._stop.wait(_PAUSE_SECONDS)

    def _producer(self) -> EventHubProducerClient:
        return EventHubProducerClient.from_connection_string(self._connection_string, retry_total=1)
