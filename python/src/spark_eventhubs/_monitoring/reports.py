"""Progress reports of a streaming query in one form, for all versions of PySpark, classic and Connect."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from spark_eventhubs._monitoring.formats import UNKNOWN

_TEXT_OF_SOURCE: Final = "EventHubs["


@dataclass(frozen=True, kw_only=True)
class PartitionReport:
    """Where a query is in one partition. `seconds_behind` is None while the connector does not know it.

    `hub` is None in a query of one hub.
    """

    partition: int
    next_to_read: int
    events_behind: int
    seconds_behind: float | None
    hub: str | None = None

    @property
    def name(self) -> int | str:
        """Tells it from the source's other partitions: its id, or hub and id in a query of several hubs."""
        return self.partition if self.hub is None else f"{self.hub}/{self.partition}"


@dataclass(frozen=True, kw_only=True)
class SourceReport:
    """One source of a query. `partitions` is empty unless the source is an event hub."""

    description: str
    rows: int
    partitions: tuple[PartitionReport, ...]
    metrics: Mapping[str, str]

    @property
    def is_event_hub(self) -> bool:
        """Whether the connector reads this source."""
        return self.description.startswith(_TEXT_OF_SOURCE)

    @property
    def title(self) -> str:
        """The hub with its namespace and consumer group, or Spark's description of another source."""
        return self.description[len(_TEXT_OF_SOURCE) : -1] if self.is_event_hub else self.description

    @property
    def slowest(self) -> str:
        """The partition that is furthest behind, with its hub in a query of several hubs."""
        hub = self.metrics.get("slowestHub")
        partition = self.metrics.get("slowestPartition", UNKNOWN)
        return partition if hub is None else f"{hub}/{partition}"

    @property
    def unit(self) -> str:
        """What `events_behind` counts: sequence numbers in a compacted hub, where the events cannot be counted."""
        return "sequence numbers" if "sequenceNumbersBehind" in self.metrics else "events"

    @property
    def events_behind(self) -> int:
        """Events in the hub that the query has not read."""
        return sum(each.events_behind for each in self.partitions)

    @property
    def newest(self) -> int:
        """Sum over the partitions of the sequence number that the next event will get."""
        return sum(each.next_to_read + each.events_behind for each in self.partitions)

    @property
    def seconds_behind(self) -> float | None:
        """The maximum over the partitions; None while no partition's lag is known."""
        return self.number("maxSecondsBehind")

    @property
    def events_left(self) -> int | None:
        """Events up to the end that a query with the trigger AvailableNow fixed; None with other triggers."""
        left = self.number("eventsLeft", self.number("sequenceNumbersLeft"))
        return None if left is None else int(left)

    def number(self, metric: str, missing: float | None = None) -> float | None:
        """The value of a metric."""
        text = self.metrics.get(metric)
        return missing if text is None else float(text)


@dataclass(frozen=True, kw_only=True)
class ProgressReport:
    """One `StreamingQueryProgress`. Rates are in rows per second, and None when Spark does not report them."""

    run_id: str
    batch_id: int
    started: datetime
    duration: timedelta
    rows: int
    input_rate: float | None
    process_rate: float | None
    sources: tuple[SourceReport, ...]
    sink: Mapping[str, str] = field(default_factory=dict)

    @property
    def ended(self) -> datetime:
        """When the trigger ended. The clock is that of Spark's driver."""
        return self.started + self.duration

    @property
    def events_left(self) -> int | None:
        """As for a source, over all sources that have it."""
        left = [each.events_left for each in self.sources if each.events_left is not None]
        return sum(left) if left else None

    @property
    def rows_with_end(self) -> int:
        """Rows of the sources that `events_left` is about."""
        return sum(each.rows for each in self.sources if each.events_left is not None)


def parse_report(progress: object) -> ProgressReport:
    """Reads a `StreamingQueryProgress` of PySpark: an object with `json`, the dict of PySpark 3.5, or JSON text.

    Raises:
        TypeError: it is none of these.
    """
    found = _fields(progress)
    duration = found.get("batchDuration", found.get("durationMs", {}).get("triggerExecution", 0))
    return ProgressReport(
        run_id=found["runId"],
        batch_id=found["batchId"],
        started=datetime.fromisoformat(found["timestamp"].replace("Z", "+00:00")),
        duration=timedelta(milliseconds=duration),
        rows=int(_over_sources(found, "numInputRows") or 0),
        input_rate=_over_sources(found, "inputRowsPerSecond"),
        process_rate=_over_sources(found, "processedRowsPerSecond"),
        sources=tuple(_source(each) for each in found["sources"]),
        sink=found.get("sink", {}).get("metrics") or {},
    )


def _fields(progress: object) -> Mapping[str, Any]:
    # The object's JSON is what the JVM wrote. Its attributes differ between versions: PySpark 4.0 has an offset as the
    # text of a Python dict.
    text = progress if isinstance(progress, str) else getattr(progress, "json", None)
    found = json.loads(text) if isinstance(text, str) else progress
    if isinstance(found, Mapping) and "sources" in found:
        return found
    raise TypeError(f"expected a progress report of a streaming query; this is of type {type(progress).__name__}")


def _over_sources(found: Mapping[str, Any], field: str) -> float | None:
    # Over Spark Connect a report has the numbers of its sources, and no sum.
    if found.get(field) is not None:
        return float(found[field])
    known = [each[field] for each in found["sources"] if each.get(field) is not None]
    return float(sum(known)) if known else None


def _source(found: Mapping[str, Any]) -> SourceReport:
    description, metrics = found["description"], found.get("metrics") or {}
    is_event_hub = description.startswith(_TEXT_OF_SOURCE)
    return SourceReport(
        description=description,
        rows=found.get("numInputRows") or 0,
        partitions=_partitions(found, metrics) if is_event_hub else (),
        metrics=metrics,
    )


def _partitions(found: Mapping[str, Any], metrics: Mapping[str, str]) -> tuple[PartitionReport, ...]:
    read, newest = _sequence_numbers(found.get("endOffset")), _sequence_numbers(found.get("latestOffset"))
    seconds = json.loads(metrics.get("secondsBehind", "{}"))
    is_several = "eventsBehindByHub" in metrics or "sequenceNumbersBehindByHub" in metrics
    found_partitions = []
    for (hub, partition), end in sorted(newest.items()):
        next_to_read = read.get((hub, partition), 0)
        behind = max(0, end - next_to_read)
        known = seconds.get(hub, {}) if is_several else seconds
        found_partitions.append(
            PartitionReport(
                partition=partition,
                next_to_read=next_to_read,
                events_behind=behind,
                seconds_behind=known.get(str(partition)) if behind else 0.0,
                hub=hub if is_several else None,
            )
        )
    return tuple(found_partitions)


def _sequence_numbers(offset: object) -> dict[tuple[str, int], int]:
    # {"hub": {"0": 23}}; Spark has no offset before the first batch.
    hubs = json.loads(offset) if isinstance(offset, str) else offset
    if not isinstance(hubs, Mapping):
        return {}
    return {(name, int(partition)): number for name, hub in hubs.items() for partition, number in hub.items()}
