"""How often this process asks a namespace about its hubs."""

from __future__ import annotations

import random
import time
from collections import deque
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_eventhubs.pure._signing_in.address import HubAddress

# The service allows 50. Other clients have room.
_PER_SECOND: Final = 40
# A hub on this machine has no limit unless its options set one.
_PER_SECOND_NEARBY: Final = 10_000
# Questions are on their way for different times, so they arrive closer together than they start.
_SECOND: Final = 1.1
# The service's text says "Please wait 4 seconds and try again".
_BUSY_SECONDS: Final = 4.0
_RAISE_SECONDS: Final = 10.0
_MOST_NAMESPACES: Final = 64


class Pace:
    """Spreads the questions of this process about one namespace over time.

    When the service refuses one because it is busy, the next ones wait, and then start at half the rate or less. The
    rate grows again while nothing is refused.
    """

    def __init__(
        self,
        most: int,
        *,
        clock: Callable[[], float] = time.monotonic,
        vary: Callable[[], float] = random.random,
    ) -> None:
        """`most` is the highest rate in a second. `vary` makes numbers from 0 to 1, so that processes wait apart."""
        self._most = self._rate = most
        self._clock, self._vary = clock, vary
        self._starts: deque[float] = deque(maxlen=most)
        self._paused_until = self._raised_at = clock()

    def turn(self) -> float:
        """Takes the next turn. Returns the seconds until then."""
        now = self._clock()
        while self._rate < self._most and now - self._raised_at >= _RAISE_SECONDS:
            self._raised_at += _RAISE_SECONDS
            self._rate = min(self._most, 2 * self._rate)
        start = max(now, self._paused_until)
        if len(self._starts) >= self._rate:
            start = max(start, self._starts[-self._rate] + _SECOND)
        self._starts.append(start)
        return start - now

    def refused(self) -> None:
        """The service has refused a question because it is busy."""
        now = self._clock()
        answered = sum(now - start < _SECOND for start in self._starts) - 1
        self._rate = max(1, min(self._rate // 2, answered))
        self._paused_until = self._raised_at = now + _BUSY_SECONDS * (1 + self._vary() / 4)


def pace_of(address: HubAddress) -> Pace:
    """The pace of a hub's namespace."""
    return _paces(address.host.lower(), address.network.endpoint, address.network.tls)


@lru_cache(maxsize=_MOST_NAMESPACES)
def _paces(_host: str, _endpoint: str | None, tls: bool) -> Pace:  # noqa: FBT001 - a part of the key
    return Pace(_PER_SECOND if tls else _PER_SECOND_NEARBY)
