"""What goes wrong in a chaos run, and when: pure functions of a seed."""

from __future__ import annotations

import random
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    Arguments = dict[str, Any]
    Choice = Callable[[random.Random], Arguments]

# Hubs of a run by what they are for. Faults name a role, so that a schedule does not depend on the names of hubs.
SOURCE: Final = "source"
ONCE: Final = "once"
LEAST: Final = "least"
BATCHES: Final = "batches"
SINKS: Final = (ONCE, LEAST, BATCHES)

# Conditions with which the service ends links, and that say nothing about the events.
CONDITIONS: Final = (
    "amqp:link:detach-forced",
    "amqp:connection:forced",
    "amqp:internal-error",
    "com.microsoft:server-busy",
    "com.microsoft:timeout",
    "com.microsoft:operation-cancelled",
    "com.microsoft:argument-out-of-range",
)


@dataclass(frozen=True)
class Fault:
    """One thing that goes wrong.

    Args:
        at: seconds after the start of the run.
        name: a key of `KINDS`.
        arguments: of the method of this name in `ChaosWorld`.
    """

    at: float
    name: str
    arguments: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        """One line of a schedule."""
        return f"{self.at:6.1f} s  {self.name} {self.arguments or ''}".rstrip()


@dataclass(frozen=True)
class Plan:
    """One run.

    Args:
        seed: gives the same plan again.
        seconds: how long writers write and faults happen.
        cluster: whether queries run on a standalone cluster of two workers instead of in the driver.
        faults: in the order of their times.
    """

    seed: int
    seconds: int
    cluster: bool
    faults: tuple[Fault, ...]

    def as_json(self) -> dict[str, Any]:
        """For the report of the run."""
        return asdict(self)


def query_options(moments: random.Random) -> Arguments:
    """Options that a query may change from one run to the next."""
    return {
        "eventhubs.maxEventsPerTrigger": moments.choice([100, 500, 1000, 5000]),
        "eventhubs.useV1Source": moments.choice([False, True]),
        "eventhubs.useV1Sink": moments.choice([False, True]),
        "eventhubs.maxBatchBytes": moments.choice(["4k", "64k"]),
        "eventhubs.prefetchCount": moments.choice([10, 500]),
    }


def _on_hub(action: str, *occasions: str, more: Choice = lambda _: {}) -> Choice:
    """A fault that the hub injects for some seconds."""

    def arguments(moments: random.Random) -> Arguments:
        return {
            "action": action,
            "on": moments.choice(occasions),
            "role": moments.choice([SOURCE, *SINKS]),
            "seconds": round(moments.uniform(2, 6), 1),
            "probability": moments.choice([0.02, 0.2, 1.0]),
            **more(moments),
        }

    return arguments


def _once(action: str, *occasions: str, more: Choice = lambda _: {}) -> Choice:
    """A fault that the hub injects a few times."""

    def arguments(moments: random.Random) -> Arguments:
        return {
            "action": action,
            "on": moments.choice(occasions),
            "role": moments.choice([SOURCE, *SINKS]),
            "count": moments.randint(1, 3),
            "skip": moments.choice([0, 1, 5, 20]),
            **more(moments),
        }

    return arguments


def _seconds(least: float, most: float) -> Choice:
    return lambda moments: {"seconds": round(moments.uniform(least, most), 1)}


class Kind(NamedTuple):
    """A kind of fault: how often it is chosen, the method of `ChaosWorld` that does it, and the choice of arguments."""

    weight: int
    method: str
    arguments: Choice


KINDS: Final = {
    "kill the driver": Kind(3, "kill_driver", lambda moments: {"options": query_options(moments)}),
    "restart the queries": Kind(3, "restart_queries", lambda moments: {"options": query_options(moments)}),
    "pause the driver": Kind(1, "pause_driver", _seconds(1, 12)),
    "kill an executor": Kind(3, "kill_executor", lambda moments: {"worker": moments.randint(0, 1)}),
    "kill the hub": Kind(1, "kill_hub", _seconds(0, 4)),
    "hold a connection's bytes": Kind(
        2,
        "stall_connection",
        lambda moments: {"role": moments.choice(SINKS), **_seconds(1, 5)(moments)},
    ),
    "grow a hub": Kind(1, "grow", lambda moments: {"role": moments.choice([SOURCE, *SINKS])}),
    "drop connections": Kind(2, "inject", _once("drop", "now", "attach", "send", "stored", "receive")),
    "drop connections for a while": Kind(2, "inject", _on_hub("drop", "send", "stored", "receive")),
    "detach links": Kind(
        4,
        "inject",
        _once(
            "detach",
            "now",
            "attach",
            "send",
            "stored",
            "receive",
            more=lambda moments: {"condition": moments.choice(CONDITIONS)},
        ),
    ),
    "throttle": Kind(2, "inject", _on_hub("throttle", "send")),
    "delay": Kind(
        1, "inject", _on_hub("delay", "receive", "stored", more=lambda moments: {"time": moments.uniform(0, 1)})
    ),
    "stall": Kind(1, "inject", _on_hub("stall", "receive", "stored")),
    "lag of a replica that readers meet": Kind(1, "inject", _on_hub("hide", "receive")),
    "lag of ends": Kind(1, "inject", _on_hub("lag", "manage", more=lambda moments: {"events": moments.randint(1, 50)})),
    "lag of partitions": Kind(1, "inject", _on_hub("fewer-partitions", "manage-hub", more=lambda _: {"partitions": 1})),
    "lose answers": Kind(1, "inject", _once("lose-answer", "manage", "manage-hub")),
    "older events first": Kind(
        1,
        "inject",
        _on_hub("older-first", "start", more=lambda moments: {"events": moments.randint(1, 50)}),
    ),
    "expire tokens": Kind(1, "inject", _once("expire-tokens", "now", "send", "receive")),
    "refuse a token": Kind(1, "inject", _once("refuse-token", "put-token")),
    "steal a reader": Kind(1, "inject", _once("steal", "now", "receive")),
}

# Seconds between two faults. Some overlap, and between others the queries come to rest.
_SHORTEST, _LONGEST = 0.5, 10.0
# Queries have started, and the last fault is over when the run ends.
_BEGIN, _REST = 5.0, 8.0


def plan(seed: int, seconds: int) -> Plan:
    """The plan of a seed. One run of four is on a cluster."""
    moments = random.Random(seed)  # noqa: S311 - no secret
    cluster = moments.random() < 0.25
    names = [name for name in KINDS if cluster or name != "kill an executor"]
    weights = [KINDS[name].weight for name in names]
    faults = []
    at = _BEGIN
    while at < seconds - _REST:
        name = moments.choices(names, weights)[0]
        faults.append(Fault(round(at, 1), name, KINDS[name].arguments(moments)))
        at += moments.uniform(_SHORTEST, _LONGEST)
    return Plan(seed, seconds, cluster, tuple(faults))
