"""Fixtures for tests with a real hub: `local_hub` for the session, and `event_hub`, a new hub for each test.

`@pytest.mark.event_hub(partitions=2, consumer_groups=["dashboards"])` sets the properties of the new hub.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

import pytest

from spark_eventhubs.local_hub import LocalEventHub, LocalHub

if TYPE_CHECKING:
    from collections.abc import Iterator

_PARTITIONS: Final = 4
_numbers = itertools.count(1)


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marker."""
    config.addinivalue_line(
        "markers", "event_hub(partitions=4, consumer_groups=()): properties of the hub in the event_hub fixture"
    )


@pytest.fixture(scope="session")
def local_hub() -> Iterator[LocalHub]:
    """A local hub that all tests of the session share."""
    with LocalHub() as hub:
        yield hub


@pytest.fixture
def event_hub(local_hub: LocalHub, request: pytest.FixtureRequest) -> Iterator[LocalEventHub]:
    """An event hub of this test alone. It is deleted after the test."""
    marker = request.node.get_closest_marker("event_hub")
    wanted = {"partitions": _PARTITIONS, **(marker.kwargs if marker else {})}
    hub = local_hub.create_hub(f"test-{next(_numbers)}", **wanted)
    yield hub
    local_hub.delete_hub(hub.name)
