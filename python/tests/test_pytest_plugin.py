from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from spark_eventhubs import LocalEventHub, LocalHub

seen: set[str] = set()


@pytest.mark.parametrize("turn", [1, 2])
def test_each_test_has_a_hub_of_its_own(event_hub: LocalEventHub, turn: int) -> None:
    assert event_hub.name not in seen, f"turn {turn} got the hub of another turn"
    seen.add(event_hub.name)
    assert event_hub.partitions == 4


@pytest.mark.event_hub(partitions=2, consumer_groups=["dashboards"])
def test_a_marker_says_how_the_hub_is_to_be(event_hub: LocalEventHub, local_hub: LocalHub) -> None:
    assert event_hub.partitions == 2
    assert event_hub.connection_string == local_hub.connection_string(event_hub.name)
