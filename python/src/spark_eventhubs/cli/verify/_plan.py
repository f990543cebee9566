"""What a run sends, and roughly what that costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from spark_eventhubs.cli.verify import _volumes
from spark_eventhubs.cli.verify._create import PARTITIONS

if TYPE_CHECKING:
    from spark_eventhubs.cli.verify._setting import Setting

# USD for a million events of up to 64 KB, in the Standard tier, as an order of magnitude.
_PRICE_OF_A_MILLION: Final = 0.03


def plan(setting: Setting) -> str:
    """A text for people."""
    events = _volumes.EVENTS
    size = _volumes.BYTES
    if setting.load:
        events += _volumes.ALL_LOAD_EVENTS
        size += _volumes.ALL_LOAD_BYTES
    lines = [
        f"Writes about {events:,} events ({size / 1e6:,.1f} MB) to '{setting.first}' and '{setting.second}'.",
        f"In the Standard tier these cost about {_cost(events)}, besides the throughput units that you pay anyway.",
        "Nothing else stays: the events expire with the retention of the hubs.",
    ]
    if setting.create:
        lines.append(
            f"Creates those of the two that do not exist, with {PARTITIONS} partitions. They stay: delete them."
        )
    if setting.container is not None:
        lines.append(f"Writes checkpoints of the consumer group '{setting.group}' to the container.")
    if setting.hours:
        lines.append(f"Takes {2 * setting.hours:g} hours longer: one half for an idle query, the other for idle links.")
    return "\n".join(lines)


def _cost(events: int) -> str:
    cents = events / 1e6 * _PRICE_OF_A_MILLION * 100
    return f"{max(cents, 0.01):.2f} US cents"
