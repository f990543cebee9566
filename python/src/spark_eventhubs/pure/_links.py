# ruff: noqa: SLF001 - the SDK has no public way to encoded messages
"""Links of the Azure SDK that deliver encoded messages."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from spark_eventhubs.pure._frames import Frames
from spark_eventhubs.pure._partitions import up_to_millis
from spark_eventhubs.pure._sdk import HubConnection

if TYPE_CHECKING:
    from datetime import datetime

    from spark_eventhubs.pure._signing_in.address import HubAddress


class EventLink(HubConnection):
    """A link to a partition, over a connection of its own. It delivers encoded messages in order."""

    def __init__(
        self,
        address: HubAddress,
        group: str,
        partition: int,
        position: int | str | datetime,
        *,
        inclusive: bool = True,
    ) -> None:
        """Does not connect yet. The position is a sequence number, an offset or a time."""
        super().__init__(address, group)
        self.partition = partition
        self._doing = f"reading partition {partition} for consumer group {group}"
        self._consumer = self._client._create_consumer(
            group,
            str(partition),
            position if isinstance(position, (int, str)) else up_to_millis(position),
            lambda *_: None,
            event_position_inclusive=inclusive,
        )
        # A thread would read frames too.
        self._consumer._keep_alive = 0

    def open(self) -> None:
        """Attaches the link. Events come after the first `receive`.

        Raises:
            EventHubsError: the service refuses the link, or does not answer.
        """
        self._guarded(self._doing, self._connect)

    def receive(self, most: int, seconds: float) -> list[bytes]:
        """The messages that came; none if nothing did in time. At most so many are on the way.

        Raises:
            EventHubsError: the link or the connection ended.
        """
        return self._guarded(self._doing, lambda: self._received(most, seconds))

    def _received(self, most: int, seconds: float) -> list[bytes]:
        link, frames = self._amqp._link, self._frames
        end = time.monotonic() + seconds
        # They came while the connection was asked.
        most -= len(frames.messages)
        while not frames.messages:
            if link.current_link_credit < most and link.current_link_credit <= most // 2:
                link.flow(link_credit=most)
            frames.deadline = time.monotonic() + seconds + self.address.timeout
            self._amqp._connection.listen(wait=False)
            if link.get_state() is not _attached(link):
                raise ConnectionError("the link ended")
            self._renew()
            if time.monotonic() > end:
                break
        messages: list[bytes] = frames.taken()
        return messages

    def _open(self) -> None:
        try:
            self._wait_until(self._consumer._open)
        except BaseException:
            # The caller may have stopped waiting for it.
            handler = self._consumer._handler
            with suppress(Exception):
                if handler is not None:
                    handler.close()
            raise
        finally:
            # It is there before it is ready, and is to be closed also when it never was.
            self._amqp = self._consumer._handler
        frames = Frames(self._amqp._connection)
        frames.take_from(self._amqp._link)
        self._frames = frames


def _attached(link: Any) -> Any:  # noqa: ANN401 - of the SDK
    return type(link.state).ATTACHED
