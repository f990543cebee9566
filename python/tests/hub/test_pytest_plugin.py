from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from spark_eventhubs import LocalEventHub, LocalHub

seen: set[str] = set()


@pytest.mark.parametrize("turn", [1, 2])
def test_each_test_has_its_own_hub(event_hub: LocalEventHub, turn: int) -> None:
    assert event_hub.name not in seen, f"test {turn} has the hub of another test"
    seen.add(event_hub.name)
    assert event_hub.partitions == 4


@pytest.mark.event_hub(partitions=2, consumer_groups=["dashboards"])
def test_a_marker_sets_the_properties_of_the_hub(event_hub: LocalEventHub, local_hub: LocalHub) -> None:
    assert event_hub.partitions == 2
    assert event_hub.connection_string == local_hub.connection_string(event_hub.name)
