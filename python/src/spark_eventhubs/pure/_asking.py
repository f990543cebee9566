"""Asks about one hub, for a query on the driver."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from spark_eventhubs.errors import EventHubsError
from spark_eventhubs.pure._errors import failure, may_pass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Protocol

    from spark_eventhubs.pure._partitions import Bounds, HubInfo
    from spark_eventhubs.pure._settings import ReadSettings

    class Connection(Protocol):
        """What is needed of a `HubConnection`."""

        def hub(self) -> HubInfo:
            """The hub."""

        def bounds(self, partition: int) -> Bounds:
            """What a partition retains."""

        def close(self) -> None:
            """Ends it."""


_T = TypeVar("_T")

_LONGEST_PAUSE: Final = 5.0
# The service ends connections that are silent for some minutes.
_UNUSED_SECONDS: Final = 30.0
# As the jar. The service allows 50 for all clients of a namespace, and those that start need the most.
_ROUTINE_PER_SECOND: Final = 10


@dataclass(frozen=True)
class Snapshot:
    """The hub at one time: the partitions that the query reads."""

    info: HubInfo
    bounds: Mapping[int, Bounds]


class HubQuestions:
    """Asks about the hub and its partitions. A question that failed is repeated alone: the other answers stay."""

    def __init__(
        self,
        settings: ReadSettings,
        connect: Callable[[], Connection],
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`connect` makes a connection for questions."""
        self._settings = settings
        self._connect = connect
        self.clock, self.sleep = clock, sleep
        self._connection: Connection | None = None
        self._used_at = self._routine_at = 0.0

    def close(self) -> None:
        """Ends the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def snapshot(self) -> Snapshot:
        """The hub now.

        Raises:
            EventHubsError: the service refuses a question, or does not answer it in the operation timeout.
        """
        began = self.clock()
        info = self.repeated(lambda: self._opened().hub())
        self._require_known(info)
        only = self._settings.partitions
        wanted = [each for each in info.partitions if only is None or each in only]
        self._routine_at = began + (1 + len(wanted)) / _ROUTINE_PER_SECOND
        return Snapshot(info, {partition: self._bounds(partition) for partition in wanted})

    def next_snapshot(self) -> Snapshot:
        """As `snapshot`, for a query that runs: waits until its questions leave room for those of others.

        Raises:
            EventHubsError: as `snapshot`.
        """
        # A hub on this machine needs no room.
        if self._settings.address.network.tls:
            self.sleep(max(0.0, self._routine_at - self.clock()))
        return self.snapshot()

    def repeated(self, call: Callable[[], _T]) -> _T:
        """The result of a call. A failure that may pass is repeated until the operation timeout."""
        end, pause = self.clock() + self._settings.address.timeout, 0.1
        while True:
            try:
                result = call()
            except EventHubsError as error:
                self.close()
                if not may_pass(error) or self.clock() + pause > end:
                    raise
            else:
                self._used_at = self.clock()
                return result
            self.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _bounds(self, partition: int) -> Bounds:
        return self.repeated(lambda: self._opened().bounds(partition))

    def _opened(self) -> Connection:
        if self._connection is not None and self.clock() - self._used_at > _UNUSED_SECONDS:
            self.close()
        if self._connection is None:
            self._connection = self._connect()
        return self._connection

    def _require_known(self, info: HubInfo) -> None:
        """Refuses options that name partitions which the hub does not have."""
        named = {
            "partitions": self._settings.partitions or (),
            "startingPositions": self._settings.starts,
            "endingPositions": self._settings.ends,
        }
        for key, partitions in named.items():
            unknown = sorted(set(partitions) - set(info.partitions))
            if unknown:
                raise failure(
                    "EVENTHUBS_INVALID_OPTION",
                    key=f"eventhubs.{key}",
                    value=", ".join(map(str, unknown)),
                    expected=f"partitions of the event hub, which has {', '.join(map(str, info.partitions))}",
                )
