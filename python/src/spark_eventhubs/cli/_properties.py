"""Asks a hub for its partitions."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from spark_eventhubs._sdk_calls import within
from spark_eventhubs.cli._exit_codes import WrongUsage
from spark_eventhubs.cli._failures import is_busy
from spark_eventhubs.cli._sdk import consumer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from spark_eventhubs.cli._target import Target

_BUSY_SECONDS: Final = 1.0
_T = TypeVar("_T")


def all_partitions(target: Target, seconds: float) -> dict[str, dict[str, Any]]:
    """The SDK's properties of each partition, in the order of the ids. It asks again while the service is busy.

    Raises the SDK's error, or TimeoutError when the answers do not arrive in the given time.
    """
    deadline = time.monotonic() + seconds

    def ask() -> dict[str, dict[str, Any]]:
        with consumer(target, "$Default") as client:
            found = unless_busy(client.get_partition_ids, deadline)
            ids = sorted(found, key=lambda text: (len(text), text))
            return {each: unless_busy(partial(client.get_partition_properties, each), deadline) for each in ids}

    return within(seconds, ask)


def unless_busy(ask: Callable[[], _T], deadline: float) -> _T:
    """The answer. It asks again each second while the service is busy, until the deadline of the monotonic clock."""
    while True:
        try:
            return ask()
        except Exception as failure:
            if not is_busy(failure) or time.monotonic() + _BUSY_SECONDS > deadline:
                raise
        time.sleep(_BUSY_SECONDS)


def require_partition(target: Target, partition: str, there: Iterable[str]) -> None:
    """Refuses a partition that the hub does not have."""
    if partition not in there:
        raise WrongUsage(f"the hub '{target.hub}' has no partition '{partition}'; it has {', '.join(there)}")
