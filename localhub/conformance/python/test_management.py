from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hub_clients import Clients


def test_hub_properties_have_the_name_the_creation_time_and_the_partitions(clients: Clients) -> None:
    properties = clients.producer().get_eventhub_properties()

    assert properties["eventhub_name"] == clients.name
    assert properties["partition_ids"] == ["0", "1", "2", "3"]
    assert abs((datetime.now(timezone.utc) - properties["created_at"]).total_seconds()) < 60


def test_a_partition_without_events_is_empty_and_one_with_events_reports_its_last(clients: Clients) -> None:
    empty = clients.consumer().get_partition_properties("2")
    clients.send("a", "b", partition="2")
    last = clients.read(2, "2")[1]
    full = clients.consumer().get_partition_properties("2")

    assert (empty["is_empty"], empty["beginning_sequence_number"], empty["last_enqueued_sequence_number"]) == (
        True,
        0,
        -1,
    )
    assert (full["is_empty"], full["beginning_sequence_number"], full["last_enqueued_sequence_number"]) == (False, 0, 1)
    assert full["last_enqueued_offset"] == last.offset
    assert full["last_enqueued_time_utc"] == last.enqueued_time
