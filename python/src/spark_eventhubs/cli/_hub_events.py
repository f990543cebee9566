"""Reads the events of a hub in a thread of its own, and continues after a lost connection."""

from __future__ import annotations

import queue
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING, Final

from spark_eventhubs.cli._failures import is_refusal
from spark_eventhubs.cli._sdk import close, consumer

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from azure.eventhub import EventData, EventHubConsumerClient, PartitionContext

    from spark_eventhubs.cli._target import Target

Batch = tuple[str, list["EventData"]]

_MAX_WAIT_SECONDS: Final = 0.2
_QUEUED_BATCHES: Final = 16
_ATTEMPTS: Final = 5
# Of lost connections in this time. On a quiet hub a connection is lost from time to time.
_WITHIN_SECONDS: Final = 600
# A refused reader fails within its first calls. The SDK does not say when a reader is open.
_CALLS_OF_AN_OPEN_READER: Final = 3
_OPEN_SECONDS: Final = 2


class HubEvents:
    """The events of all partitions, or of one, as they arrive."""

    def __init__(
        self, target: Target, group: str, starts: Mapping[str, tuple[str | int | datetime, bool]], partition: str | None
    ) -> None:
        """Starts to read.

        Args:
            target: the hub.
            group: the consumer group.
            starts: for each partition, the SDK's position and whether it is inclusive.
            partition: the only partition to read; None reads all.
        """
        self._target = target
        self._group = group
        self._starts = dict(starts)
        self._partition = partition
        self._batches: queue.Queue[Batch | Exception] = queue.Queue(_QUEUED_BATCHES)
        self._closed = threading.Event()
        self._client: EventHubConsumerClient | None = None
        self._calls: Counter[str] = Counter()
        self._started = time.monotonic()
        threading.Thread(target=self._run, daemon=True).start()

    def next(self, seconds: float) -> Batch | None:
        """The next events of one partition; None when none arrive in time. Raises what ended the reading."""
        try:
            found = self._batches.get(timeout=seconds)
        except queue.Empty:
            return None
        if isinstance(found, Exception):
            raise found
        return found

    def is_open(self) -> bool:
        """Whether the service has accepted the readers, as far as one can see."""
        partitions = self._starts if self._partition is None else [self._partition]
        called = all(self._calls[partition] >= _CALLS_OF_AN_OPEN_READER for partition in partitions)
        return called and time.monotonic() - self._started > _OPEN_SECONDS

    def close(self) -> None:
        """Ends the reading."""
        self._closed.set()
        client = self._client
        if client is not None:
            close(client)

    def _run(self) -> None:
        lost: list[float] = []
        while not self._closed.is_set():
            before = dict(self._starts)
            failure = self._read()
            now = time.monotonic()
            recent = [moment for moment in lost if now - moment < _WITHIN_SECONDS] if before == self._starts else []
            lost = [*recent, now]
            if self._closed.is_set():
                return
            if failure is not None and (is_refusal(failure) or len(lost) >= _ATTEMPTS):
                self._batches.put(failure)
                return
            time.sleep(min(0.2 * 2 ** len(lost), 5))

    def _read(self) -> Exception | None:
        """Reads until a failure."""
        failures: list[Exception] = []
        try:
            client = self._client = consumer(self._target, self._group)
        except Exception as failure:  # noqa: BLE001 - next() raises it
            return failure

        def fail(_partition: PartitionContext | None, failure: Exception) -> None:
            # End here, or the SDK opens the partition again where it was opened first, and repeats events.
            failures.append(failure)
            client.close()

        with client:
            # In batches, because the SDK reads one partition after the other and waits at each empty one.
            client.receive_batch(
                self._put,
                on_error=fail,
                partition_id=self._partition,
                starting_position={partition: start for partition, (start, _) in self._starts.items()},
                starting_position_inclusive={
                    partition: inclusive for partition, (_, inclusive) in self._starts.items()
                },
                max_wait_time=_MAX_WAIT_SECONDS,
            )
        return failures[0] if failures else None

    def _put(self, partition: PartitionContext, events: list[EventData]) -> None:
        self._calls[partition.partition_id] += 1
        if not events:
            return
        batch = (partition.partition_id, events)
        while not self._closed.is_set():
            try:
                self._batches.put(batch, timeout=_MAX_WAIT_SECONDS)
            except queue.Full:
                continue
            last = events[-1].sequence_number
            if last is not None:
                self._starts[partition.partition_id] = (last, False)
            return
