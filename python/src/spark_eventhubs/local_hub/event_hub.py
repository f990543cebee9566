"""One event hub of a local hub: its events, its faults, and what a test does to it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from spark_eventhubs.local_hub._event_json import event_to_send, requests_of, stored_event
from spark_eventhubs.local_hub.faults import Faults

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from spark_eventhubs.local_hub._http import HubHttp
    from spark_eventhubs.local_hub.events import EventBody, StoredEvent

_POLL_SECONDS: Final = 0.05
_PAGE: Final = 1000


@dataclass(frozen=True, kw_only=True)
class LocalEventHub:
    """One event hub of a `LocalHub`, with its connection string.

    Every method raises a ValueError with the hub's reason when the hub refuses the request.
    """

    name: str
    partitions: int
    connection_string: str
    _http: HubHttp = field(repr=False, compare=False)

    @property
    def faults(self) -> Faults:
        """Injects faults into this event hub."""
        return Faults(self._http, event_hub=self.name)

    def send(
        self,
        *bodies: EventBody,
        partition: int | None = None,
        key: str | None = None,
        properties: Mapping[str, str | int | float | bool] | None = None,
    ) -> None:
        """Stores one event for each body, in order. A mapping is sent as JSON, None as a tombstone.

        All events go to `partition`, or have the partition key `key`. Without both, the hub chooses partitions.

        Raises:
            TypeError: a body of another type. Nothing is sent.
        """
        events = [event_to_send(body, partition=partition, key=key, properties=properties) for body in bodies]
        for part in requests_of(events):
            self._http.json("POST", "hubs", self.name, "events", body=part)

    def events(self, *, partition: int | None = None) -> list[StoredEvent]:
        """The stored events, partition by partition, in the order of their sequence numbers."""
        ids = range(self.partitions) if partition is None else [partition]
        return [event for each in ids for event in self._events_of(each)]

    def wait_for_events(self, count: int, *, timeout: timedelta = timedelta(seconds=30)) -> list[StoredEvent]:
        """The stored events, as soon as there are at least `count`. Use it for what a query under test writes.

        Raises:
            TimeoutError: There were fewer events until `timeout`.
        """
        deadline = time.monotonic() + timeout.total_seconds()
        while (stored := self._stored()) < count:
            if time.monotonic() > deadline:
                seconds = timeout.total_seconds()
                raise TimeoutError(f"event hub '{self.name}' has {stored} events after {seconds:g} s; expected {count}")
            time.sleep(_POLL_SECONDS)
        return self.events()

    def expire(self, *, partition: int, before: int) -> None:
        """Removes the events of a partition before this sequence number, as retention does."""
        self._post("partitions", str(partition), "expire", query={"before": before})

    def compact(self, *, partition: int, before: int | None = None, remove_tombstones: bool = False) -> None:
        """Compacts a partition now, whatever the cleanup policy is: the latest event of each partition key stays.

        Events from sequence number `before` on are not compacted. `remove_tombstones` ignores the tombstones' age.
        """
        query: dict[str, str | int] = {"tombstones": "remove" if remove_tombstones else "keep"}
        self._post(
            "partitions", str(partition), "compact", query=query | ({} if before is None else {"before": before})
        )

    def promote(self, *, unreplicated: int = 0, partition: int | None = None) -> None:
        """Promotes the secondary region of a hub with `geo_replication`. The hub's clients are disconnected.

        The secondary region lacks the newest `unreplicated` events of each partition, or of one `partition`.
        """
        query: dict[str, str | int] = {"unreplicated": unreplicated}
        self._post("promote", query=query | ({} if partition is None else {"partition": partition}))

    def recreate(self) -> None:
        """Deletes the hub and creates it again, empty, in one step. Sequence numbers start at 0."""
        self._post("recreate")

    def delete(self) -> None:
        """Deletes the hub with its events and disconnects its clients."""
        self._http.json("DELETE", "hubs", self.name)

    def _stored(self) -> int:
        return sum(int(each["events"]) for each in self._http.json("GET", "hubs", self.name)["partitions"])

    def _events_of(self, partition: int) -> Iterable[StoredEvent]:
        place = ("hubs", self.name, "partitions", str(partition), "events")
        start: int | None = 0
        while start is not None:
            page = self._http.json("GET", *place, query={"from": start, "limit": _PAGE})
            for event in page["events"]:
                # The list has only the beginning of a long body.
                whole = (
                    self._http.json("GET", *place, str(event["sequenceNumber"])) if event["bodyTruncated"] else event
                )
                yield stored_event(whole)
            start = page["next"]

    def _post(self, *path: str, query: Mapping[str, str | int] | None = None) -> None:
        self._http.json("POST", "hubs", self.name, *path, query=query)
