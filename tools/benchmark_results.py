"""The results of `make bench`, and which goals they reach."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BODIES = (100, 1024, 10240)
NETWORK = {"profile": "loopback", "roundTripMillis": 0, "steady": False}
"""Where and how long a case was measured; the defaults are those of results that do not say it."""


@dataclass(frozen=True)
class Case:
    """One object of `latest.json`; its `key` is unique."""

    fields: dict[str, Any]

    @property
    def key(self) -> tuple[Any, ...]:
        """Operation, system, API version (`apiVersion`), and the workload."""
        names = (
            *NETWORK,
            "name",
            "system",
            "apiVersion",
            "deliveryGuarantee",
            "maxPartitions",
            "bodyBytes",
            "partitions",
            "content",
            "sink",
        )
        return tuple(self.get(name) for name in names)

    @property
    def label(self) -> str:
        """The measured system and its settings, for a reader."""
        names = {"sdk": "SDK alone", "spark-eventhubs": "spark-eventhubs", "spark-kafka": "Spark's Kafka connector"}
        is_stream = self.fields["name"].startswith("stream")
        api_version = (
            f", {self.fields['apiVersion'].upper()}" if is_stream and self.fields["system"] == "spark-eventhubs" else ""
        )
        guarantee = f", {self.fields['deliveryGuarantee']}" if self.get("deliveryGuarantee") else ""
        tasks = f", maxPartitions={self.fields['maxPartitions']}" if self.get("maxPartitions") else ""
        return names[self.fields["system"]] + api_version + guarantee + tasks

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 -- a field is any JSON value
        return self.fields[name]

    def get(self, name: str) -> Any:  # noqa: ANN401
        """The field, or None where this case has none."""
        return self.fields.get(name, NETWORK.get(name))

    @property
    def rate(self) -> float:
        """Events a second."""
        return float(self.fields["eventsPerSecond"])


@dataclass(frozen=True)
class Goal:
    """A target of the connector, and the measured value."""

    text: str
    measured: str
    reached: bool
    ratio: float | None = None


class Results:
    """All cases of a run."""

    def __init__(self, cases: list[Case]) -> None:
        self.cases = cases
        keys = [case.key for case in cases]
        if len(set(keys)) != len(keys):
            raise ValueError("two cases of the results are the same; make bench writes each once")

    @classmethod
    def read(cls, file: Path) -> Results:
        """Reads `latest.json`."""
        return cls([Case(fields) for fields in json.loads(file.read_text())])

    def where(self, **fields: object) -> list[Case]:
        """The cases with these values, in the order of the file."""
        return [case for case in self.cases if all(case.get(name) == value for name, value in fields.items())]

    def one(self, name: str, system: str, **fields: object) -> Case | None:
        """The case with these values; by default of 4 partitions, bare events, and V2 where there is a choice."""
        wanted: dict[str, object] = {
            "partitions": 4,
            "content": "bare",
            "deliveryGuarantee": None,
            "maxPartitions": None,
            **fields,
        }
        if name in ("batch-read", "stream-read"):
            wanted = {"sink": "noop", **wanted}
        if system == "spark-eventhubs" and name.startswith("stream"):
            wanted = {"apiVersion": "v2", **wanted}
        return next(iter(self.where(name=name, system=system, **wanted)), None)

    def of(self, *, profile: str = "loopback", round_trip: int = 0, steady: bool = False) -> Results:
        """The cases of one network, of long streams or of all others."""
        return Results(self.where(profile=profile, roundTripMillis=round_trip, steady=steady))

    def goals(self) -> list[Goal]:
        """Every goal that the run measured."""
        parts = (
            self._compared_with_sdk,
            self._fixed_cost,
            self._compared_with_kafka,
            self._exactly_once,
            self._cold,
            self._content,
            self._scale,
        )
        return [goal for part in parts for goal in part()]

    def _compared_with_sdk(self) -> Iterator[Goal]:
        for body in BODIES:
            pair = self.one("batch-read", "spark-eventhubs", bodyBytes=body), self.one("receive", "sdk", bodyBytes=body)
            yield from at_least(f"batch read of {size(body)}, compared with the SDK's receive", *pair, 0.9)
        for name in ("batch-write", "stream-write"):
            for body in BODIES:
                pair = self.one(name, "spark-eventhubs", bodyBytes=body), self.one("send", "sdk", bodyBytes=body)
                yield from at_least(
                    f"{name.replace('-', ' ')} of {size(body)}, compared with the SDK's producer", *pair, 0.85
                )

    def _fixed_cost(self) -> Iterator[Goal]:
        """A micro-batch should take as long as a batch read of its events plus a micro-batch of one event."""
        fixed = next(
            (case["oneEventBatchMillis"] for case in self.cases if is_our_v2(case, "oneEventBatchMillis")), None
        )
        for body in BODIES:
            stream = self.one("stream-read", "spark-eventhubs", bodyBytes=body)
            batch = self.one("batch-read", "spark-eventhubs", bodyBytes=body)
            if stream is None or batch is None or fixed is None:
                continue
            expected = 1000 * stream["eventsPerBatch"] / batch.rate + fixed
            actual = stream["microBatchMillis"]["triggerExecution"]
            yield Goal(
                f"micro-batch of {stream['eventsPerBatch']:,.0f} events of {size(body)}: no longer than a batch read "
                "of them plus Spark's fixed cost (within 5 %)",
                f"{actual:.0f} ms; {expected:.0f} ms expected",
                actual <= expected * 1.05,
                actual / expected,
            )

    def _compared_with_kafka(self) -> Iterator[Goal]:
        wanted = {
            "stream-read": {100: 1.3, 1024: 2.0, 10240: 2.0},
            "batch-read": {100: 1.1, 1024: 2.0},
            "batch-write": dict.fromkeys(BODIES, 1.3),
            "stream-write": dict.fromkeys(BODIES, 1.3),
        }
        for name, bodies in wanted.items():
            for body, factor in bodies.items():
                ours = self.one(name, "spark-eventhubs", bodyBytes=body)
                theirs = self.one(name, "spark-kafka", bodyBytes=body)
                yield from at_least(
                    f"{name.replace('-', ' ')} of {size(body)}, compared with Kafka's", ours, theirs, factor
                )

    def _exactly_once(self) -> Iterator[Goal]:
        for body in BODIES:
            wanted = {"bodyBytes": body, "deliveryGuarantee": "exactly-once"}
            once = self.one("stream-write", "spark-eventhubs", apiVersion="v1", **wanted)
            default = self.one("stream-write", "spark-eventhubs", apiVersion="v1", bodyBytes=body)
            text = f"stream write of {size(body)} exactly once, compared with the default"
            if once is not None and once.get("ofDefault"):
                # The ratio of neighbouring passes: rates drift by more than a tenth within a quarter of an hour.
                yield ratio_at_least(text, once["ofDefault"], 0.9)
            else:
                yield from at_least(text, once, default, 0.9)

    def _cold(self) -> Iterator[Goal]:
        for field, what in (
            ("coldFirstQueryMillis", "first query of a fresh JVM"),
            ("oneEventBatchMillis", "micro-batch of one event"),
            ("idleTriggerMillis", "trigger without events"),
        ):
            for name in ("batch-read", "stream-read"):
                ours = self.one(name, "spark-eventhubs", bodyBytes=1024)
                theirs = self.one(name, "spark-kafka", bodyBytes=1024)
                if ours and theirs and ours.get(field) and theirs.get(field):
                    kind = f" ({name.replace('-', ' ')})" if field.startswith("cold") else ""
                    measured = f"{ours[field]:,.1f} ms; Kafka {theirs[field]:,.1f} ms"
                    yield Goal(f"{what}{kind}: no longer than Kafka's", measured, ours[field] <= theirs[field])

    def _content(self) -> Iterator[Goal]:
        for body in BODIES:
            full = self.one("batch-read", "spark-eventhubs", bodyBytes=body, content="properties and keys")
            bare = self.one("batch-read", "spark-eventhubs", bodyBytes=body)
            yield from at_least(
                f"events of {size(body)} with properties and keys, compared with bare ones", full, bare, 0.7
            )

    def _scale(self) -> Iterator[Goal]:
        for name in ("batch-read", "stream-read"):
            for body in BODIES:
                narrow = self.one(name, "spark-eventhubs", bodyBytes=body)
                for tasks in (None, 4):
                    wide = self.one(name, "spark-eventhubs", bodyBytes=body, partitions=32, maxPartitions=tasks)
                    option = f" (maxPartitions={tasks})" if tasks else ""
                    what = f"{name.replace('-', ' ')} of {size(body)}: 32 partitions{option}, compared with 4"
                    yield from at_least(what, wide, narrow, 1.0)
        for case in self.cases:
            if case.get("smallHeapMegabytes"):
                heap, backlog = case["smallHeapMegabytes"], case["smallHeapBacklogBytes"] / 1e6
                yield Goal(
                    f"memory bounded by options, not by backlog ({case['name'].replace('-', ' ')})",
                    f"{backlog:,.0f} MB read with a heap of {heap} MB; "
                    f"peak RSS {case['smallHeapPeakRssBytes'] / 1e6:,.0f} MB",
                    reached=backlog > heap,
                )


def at_least(text: str, ours: Case | None, other: Case | None, factor: float) -> Iterator[Goal]:
    """A ratio of two cases as a goal, if both were measured."""
    if ours is not None and other is not None:
        yield ratio_at_least(text, ours.rate / other.rate, factor)


def ratio_at_least(text: str, ratio: float, factor: float) -> Goal:
    """A ratio as a goal."""
    return Goal(f"{text}: at least {factor:g}", f"{ratio:.2f}", ratio >= factor)


def is_our_v2(case: Case, field: str) -> bool:
    """Whether this is one of our V2 streams and has the field."""
    return case["system"] == "spark-eventhubs" and case["apiVersion"] == "v2" and case.get(field) is not None


def size(body: int) -> str:
    """100 B, 1 KB, 10 KB."""
    return f"{body} B" if body < 1024 else f"{body // 1024} KB"  # noqa: PLR2004 -- bytes of a KB


def table(head: list[str], rows: list[list[str]]) -> str:
    """Markdown; the first column is text, the others are figures."""
    lines = ["| " + " | ".join(head) + " |", "|---" + "|--:" * (len(head) - 1) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])
