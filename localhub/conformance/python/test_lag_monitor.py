"""A monitor of lag as a client: KEDA's scaler `azure-eventhub` reads partition properties and checkpoints, no events.

That it finds the connector's own checkpoints in a store is tested in tests/processor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hub_clients import Clients


def unprocessed(properties: Mapping[str, int], checkpoint: int | None) -> int:
    """KEDA's number of events after the checkpoint's sequence number; without one, of all events."""
    first, last = properties["beginning_sequence_number"], properties["last_enqueued_sequence_number"]
    if last == -1:
        return 0
    if checkpoint is not None:
        return max(0, last - checkpoint)
    return last - first + 1 if first == last == 0 or first != last else 0


@pytest.mark.parametrize("clients", ["plain"], indirect=True)
def test_the_lag_by_kedas_formula_is_the_number_of_events_after_the_checkpoint(clients: Clients) -> None:
    clients.send("only", partition="1")
    clients.send(*(f"{n}" for n in range(5)), partition="2")
    clients.send(*(f"{n}" for n in range(10)), partition="3")
    clients.call("POST", f"/hubs/{clients.name}/partitions/3/expire?before=4")
    third = cast("int", clients.read(3, partition="2")[2].sequence_number)

    with clients.consumer() as monitor:

        def lag(partition: str, checkpoint: int | None = None) -> int:
            return unprocessed(cast("Mapping[str, int]", monitor.get_partition_properties(partition)), checkpoint)

        assert [lag("0"), lag("1"), lag("2", third), lag("3")] == [0, 1, 2, 6]
        clients.send("more", partition="2")
        assert lag("2", third) == 3
        assert lag("2", third + 3) == 0
