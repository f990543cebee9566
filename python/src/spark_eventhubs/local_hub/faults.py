"""Faults that a local hub injects on purpose, so that a test sees how a pipeline handles them."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Literal

from spark_eventhubs._durations import duration_text
from spark_eventhubs.local_hub._http import HubRefusalError

if TYPE_CHECKING:
    from datetime import timedelta
    from types import TracebackType

    from typing_extensions import Self

    from spark_eventhubs.local_hub._http import HubHttp

FaultAction = Literal[
    "drop",
    "detach",
    "throttle",
    "delay",
    "stall",
    "hide",
    "refuse-token",
    "expire-tokens",
    "steal",
    "expire-events",
    "recreate",
    "lag",
    "fewer-partitions",
    "older-epoch",
    "lose-answer",
    "older-first",
]
FaultOccasion = Literal["now", "attach", "send", "stored", "receive", "put-token", "start", "manage", "manage-hub"]


@dataclass(frozen=True, kw_only=True)
class InjectedFault:
    """A fault of a hub. As a context manager it is cancelled at the end of the block.

    `hits` is how often it had happened when this object was made. `Faults.active()` gives new numbers.
    """

    id: int
    action: FaultAction
    on: FaultOccasion
    hub: str | None
    hits: int
    faults: Faults

    def cancel(self) -> None:
        """Ends the fault. Does nothing if it has ended."""
        self.faults.cancel(self.id)

    def __enter__(self) -> Self:
        """Returns the fault, which is already active."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ends the fault."""
        self.cancel()


class Faults:
    """The faults of a local hub, or of one event hub in it: `hub.faults`."""

    def __init__(self, http: HubHttp, *, event_hub: str | None = None) -> None:
        """With `event_hub`, faults are injected into this event hub only, and only its faults are listed."""
        self._http = http
        self._event_hub = event_hub

    def inject(
        self,
        action: FaultAction,
        *,
        on: FaultOccasion | None = None,
        hub: str | None = None,
        consumer_group: str | None = None,
        partition: int | None = None,
        probability: float | None = None,
        skip: int | None = None,
        count: int | None = None,
        duration: timedelta | None = None,
        time: timedelta | None = None,
        events: int | None = None,
        partitions: int | None = None,
        condition: str | None = None,
        description: str | None = None,
        seed: int | None = None,
    ) -> InjectedFault:
        """Injects a fault. docs/local-hub/http-api.md, Faults, says what each action does and on which occasions.

        Without `count` and `duration` it is active until it is cancelled.

        Args:
            action: what happens.
            on: the occasion. Default: the first one that the page lists for the action.
            hub: the event hub where it happens. Default: the one of `event_hub.faults`, or all.
            consumer_group: the only consumer group where it happens.
            partition: the only partition where it happens.
            probability: of happening on an occasion; above 0, up to 1. Default: 1.
            skip: occasions that pass first. Default: 0.
            count: how often it happens at most.
            duration: how long it is active at most.
            time: how long `delay` delays; required there.
            events: the number of events of `lag` and `older-first`; required there.
            partitions: the number of partitions of `fewer-partitions`; required there.
            condition: the AMQP error condition of `detach`. Default: `amqp:link:detach-forced`.
            description: the text of that error.
            seed: restarts the random sequence of all faults.

        Raises:
            ValueError: The action cannot happen on this occasion, or a value is out of bounds.
        """
        fault = {
            "action": action,
            "on": on,
            "hub": self._event_hub if hub is None else hub,
            "consumerGroup": consumer_group,
            "partition": None if partition is None else str(partition),
            "probability": probability,
            "skip": skip,
            "count": count,
            "duration": None if duration is None else duration_text(duration),
            "time": None if time is None else duration_text(time),
            "events": events,
            "partitions": partitions,
            "condition": condition,
            "description": description,
            "seed": seed,
        }
        given = {name: value for name, value in fault.items() if value is not None}
        return self._injected(self._http.json("POST", "faults", body=given))

    def active(self) -> list[InjectedFault]:
        """The faults that can still happen, and those whose stall or hiding has not ended."""
        all_faults = [self._injected(fault) for fault in self._http.json("GET", "faults")["faults"]]
        return [fault for fault in all_faults if self._covers(fault.hub)]

    def cancel(self, fault_id: int) -> None:
        """Ends a fault and resumes what it has stalled. Does nothing if it has ended."""
        try:
            self._http.json("DELETE", "faults", str(fault_id))
        except HubRefusalError as refusal:
            if refusal.status != HTTPStatus.NOT_FOUND:
                raise

    def clear(self) -> None:
        """Ends all faults. Of one event hub: the faults that were injected into it."""
        if self._event_hub is None:
            self._http.json("DELETE", "faults")
        else:
            for fault in self.active():
                fault.cancel()

    def _covers(self, hub: str | None) -> bool:
        return self._event_hub is None or (hub or "").lower() == self._event_hub.lower()

    def _injected(self, fault: dict[str, Any]) -> InjectedFault:
        return InjectedFault(
            id=int(fault["id"]),
            action=fault["action"],
            on=fault["on"],
            hub=fault.get("hub"),
            hits=int(fault["hits"]),
            faults=self,
        )
