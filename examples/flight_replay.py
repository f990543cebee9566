"""Sends the flights to a hub with the official Python SDK, and continues after a crash.

The hub stores a batch completely or not at all, and batches are sent one after the other. So after a crash the hub has
the first batches of a fixed sequence. The last event of each partition shows which batch was the last.
"""

from __future__ import annotations

import json
import time
from datetime import datetime, timedelta
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from azure.eventhub import EventData, EventHubProducerClient

from event_log import Extent, partition_extents, read_extents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flight_data import Flight

_CHUNK = 500  # flights; about half a day
_MARKER_AHEAD = timedelta(days=365)


class Batch(NamedTuple):
    """Flights of one batch, with one partition key."""

    origin: str
    flights: list[Flight]


def batches(flights: list[Flight]) -> Iterator[Batch]:
    """Chunks in the order of time, and each chunk grouped by origin."""
    for start in range(0, len(flights), _CHUNK):
        chunk = sorted(flights[start : start + _CHUNK], key=lambda flight: flight.origin)
        for origin, members in groupby(chunk, key=lambda flight: flight.origin):
            yield Batch(origin, list(members))


class Replay:
    """Sends flights to the hub. `sent` of `total` events are in the hub, including those of earlier runs."""

    def __init__(self, flights: list[Flight], connection_string: str, *, rate: float | None = None) -> None:
        """Finds the events of an earlier run. `rate` limits the events per second."""
        self._flights = flights
        self._connection_string = connection_string
        self._rate = rate
        self._batches = list(batches(flights))
        last_rows = set(self._last_rows())
        self._markers = max(0, max(last_rows, default=-1) - len(flights) + 1)
        landed = [place for place, batch in enumerate(self._batches) if batch.flights[-1].row in last_rows]
        self._next = len(self._batches) if self._markers else max(landed, default=-1) + 1
        self.sent = sum(len(batch.flights) for batch in self._batches[: self._next]) + self._markers
        self.total = len(flights) + self._markers + 1
        self.resumed = self.sent > 0

    def send_flights(self) -> Iterator[Batch]:
        """Sends the missing batches in order. Yields each batch when the hub has stored it."""
        began, before = time.monotonic(), self.sent
        with self._producer() as producer:
            for batch in self._batches[self._next :]:
                if self._rate is not None:
                    time.sleep(max(0.0, began + (self.sent - before) / self._rate - time.monotonic()))
                _send(producer, batch.origin, [flight.to_json() for flight in batch.flights])
                self.sent += len(batch.flights)
                yield batch

    def send_end_marker(self) -> None:
        """Sends one event from the far future, which moves the watermark past all flights.

        It has no origin, and its own hour never closes, so it is in no result. Every run sends one: a query that was
        killed after it read the marker and before it closed the hours needs another event to close them.
        """
        last = datetime.fromisoformat(self._flights[-1].time.replace("Z", "+00:00"))
        marker = {"row": len(self._flights) + self._markers, "time": (last + _MARKER_AHEAD).isoformat()}
        with self._producer() as producer:
            _send(producer, "end", [json.dumps(marker)])
        self.sent += 1

    def _last_rows(self) -> Iterator[int]:
        extents = partition_extents(self._connection_string).items()
        last = {partition: Extent(max(first, until - 1), until) for partition, (first, until) in extents}
        for events in read_extents(self._connection_string, last).values():
            yield from (json.loads(event.body_as_str())["row"] for event in events)

    def _producer(self) -> EventHubProducerClient:
        # No retries: the hub may have stored a batch without an answer, and only a restart checks that.
        return EventHubProducerClient.from_connection_string(self._connection_string, retry_total=0)


def _send(producer: EventHubProducerClient, key: str, bodies: list[str]) -> None:
    batch = producer.create_batch(partition_key=key)
    for body in bodies:
        batch.add(EventData(body))
    producer.send_batch(batch)
