"""Confs of hubs, as most tests need them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_eventhubs import EventHubsConf, EventPosition

if TYPE_CHECKING:
    from spark_eventhubs import LocalEventHub


def conf_of(hub: LocalEventHub) -> EventHubsConf:
    """Reads from the latest event, or writes, with all defaults."""
    return EventHubsConf.from_connection_string(hub.connection_string)


def from_earliest(hub: LocalEventHub) -> EventHubsConf:
    """Reads from the earliest event."""
    return conf_of(hub).replace(starting_position=EventPosition.earliest())
