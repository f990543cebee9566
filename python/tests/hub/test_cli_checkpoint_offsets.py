"""The offsets of checkpoints that `checkpoint import` writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_eventhubs.cli._target import Target
from spark_eventhubs.cli.checkpoint import _store_change

if TYPE_CHECKING:
    from spark_eventhubs import LocalHub


def test_the_last_event_of_a_geo_replicated_hub_has_the_offset_at_which_a_processor_may_start(
    local_hub: LocalHub,
) -> None:
    """The answer with the partition's properties has another one, which the service refuses."""
    hub = local_hub.create_hub("replicated-checkpoints", partitions=1, geo_replication=True)
    hub.send("a", "b", "c", partition=0)
    target = Target.of(hub.connection_string, None)

    found, _ = _store_change._checkpoints(target, "$Default", {0: 3})  # noqa: SLF001

    assert found[0].sequence_number == 2
    assert found[0].offset.split(":")[::2] == ["1", "2"]
