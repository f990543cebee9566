"""Fixtures for tests of a pipeline with a real hub. pytest loads them when spark-eventhubs is installed.

- `local_hub`: one local hub for the session. Override it in a conftest.py for other settings.
- `event_hub`: a new event hub for each test, with helpers to send events and to collect what was written.
- `create_event_hub`: further event hubs of a test.
- `local_authority`: a stand-in for Microsoft Entra ID, whose tokens the hub accepts during the test.

`@pytest.mark.event_hub(partitions=2, consumer_groups=["dashboards"])` sets the properties of the `event_hub`. It takes
the arguments of `LocalHub.create_hub`.

```python
def test_alerts_contain_only_high_temperatures(spark, event_hub, create_event_hub, tmp_path):
    alerts = create_event_hub()
    event_hub.send({"device": "a", "temperature": 20}, {"device": "b", "temperature": 90})

    run_pipeline(spark, event_hub.connection_string, alerts.connection_string, checkpoint=tmp_path)

    assert [event.json()["device"] for event in alerts.wait_for_events(1)] == ["b"]
```
"""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, Any, Final, Protocol

import pytest

from spark_eventhubs.local_hub import LocalAuthority, LocalEventHub, LocalHub

if TYPE_CHECKING:
    from collections.abc import Iterator

_PARTITIONS: Final = 4
_MAX_TEST_NAME: Final = 100
_numbers = itertools.count(1)


class CreateEventHub(Protocol):
    """The type of the fixture `create_event_hub`."""

    def __call__(self, *, partitions: int = _PARTITIONS, **settings: Any) -> LocalEventHub:  # noqa: ANN401
        """Creates an event hub with the settings of `LocalHub.create_hub`."""


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marker."""
    config.addinivalue_line(
        "markers",
        "event_hub(partitions=4, consumer_groups=(), ...): properties of the hub in the event_hub fixture; "
        "the arguments of LocalHub.create_hub",
    )


@pytest.fixture(scope="session")
def local_hub() -> Iterator[LocalHub]:
    """A local hub that all tests of the session share."""
    with LocalHub() as hub:
        yield hub


@pytest.fixture
def create_event_hub(local_hub: LocalHub, request: pytest.FixtureRequest) -> Iterator[CreateEventHub]:
    """Creates event hubs of this test alone, named after the test. They and their faults end with the test."""
    created: list[LocalEventHub] = []

    def create(*, partitions: int = _PARTITIONS, **settings: Any) -> LocalEventHub:  # noqa: ANN401
        hub = local_hub.create_hub(_hub_name(request.node.name), partitions=partitions, **settings)
        created.append(hub)
        return hub

    yield create
    existing = local_hub.hub_names()
    for hub in created:
        hub.faults.clear()
        # The test may have deleted it.
        if hub.name in existing:
            hub.delete()


@pytest.fixture
def event_hub(create_event_hub: CreateEventHub, request: pytest.FixtureRequest) -> LocalEventHub:
    """An event hub of this test alone. It is deleted after the test."""
    marker = request.node.get_closest_marker("event_hub")
    return create_event_hub(**(marker.kwargs if marker else {}))


@pytest.fixture
def local_authority(local_hub: LocalHub) -> Iterator[LocalAuthority]:
    """A stand-in for Microsoft Entra ID. The hub accepts its tokens during this test."""
    with LocalAuthority(local_hub) as authority:
        yield authority


def _hub_name(test: str) -> str:
    words = re.sub(r"[^A-Za-z0-9]+", "-", test.removeprefix("test_"))[:_MAX_TEST_NAME].strip("-")
    return f"test-{words}-{next(_numbers)}"
