"""Asks a hub for its partitions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_eventhubs._sdk_calls import within
from spark_eventhubs.cli._exit_codes import WrongUsage
from spark_eventhubs.cli._sdk import consumer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spark_eventhubs.cli._target import Target


def all_partitions(target: Target, seconds: float) -> dict[str, dict[str, Any]]:
    """The SDK's properties of each partition, in the order of the ids.

    Raises the SDK's error, or TimeoutError when the answers do not arrive in the given time.
    """

    def ask() -> dict[str, dict[str, Any]]:
        with consumer(target, "$Default") as client:
            ids = sorted(client.get_partition_ids(), key=lambda text: (len(text), text))
            return {each: client.get_partition_properties(each) for each in ids}

    return within(seconds, ask)


def require_partition(target: Target, partition: str, there: Iterable[str]) -> None:
    """Refuses a partition that the hub does not have."""
    if partition not in there:
        raise WrongUsage(f"the hub '{target.hub}' has no partition '{partition}'; it has {', '.join(there)}")
