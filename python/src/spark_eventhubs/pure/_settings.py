"""The options of a read or a write, checked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from spark_eventhubs._conf.position_forms import position_of, positions_of
from spark_eventhubs._conf.refusals import option_error
from spark_eventhubs.position import EventPosition
from spark_eventhubs.pure._checked_options import checked
from spark_eventhubs.pure._errors import failure
from spark_eventhubs.pure._signing_in.address import HubAddress, address_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_T = TypeVar("_T")

_RANGE: Final = re.compile(r"(\d{1,5})(?:\s*-\s*(\d{1,5}))?")


@dataclass(frozen=True, kw_only=True)
class ReadSettings:
    """What a batch or a stream reads. `start` is None where the option is not set."""

    address: HubAddress
    group: str
    start: EventPosition | None
    starts: Mapping[int, EventPosition]
    end: EventPosition
    ends: Mapping[int, EventPosition]
    partitions: frozenset[int] | None
    max_events: int | None
    fail_on_data_loss: bool
    include_event_hub: bool

    def start_of(self, partition: int, default: EventPosition) -> EventPosition:
        """Where a partition starts."""
        return self.starts.get(partition) or self.start or default

    def end_of(self, partition: int) -> EventPosition:
        """Where a batch ends in a partition."""
        return self.ends.get(partition, self.end)


@dataclass(frozen=True, kw_only=True)
class WriteSettings:
    """Where rows go. Partition or key, if given, are those of all rows."""

    address: HubAddress
    partition: str | None
    key: str | None


def includes_event_hub(options: Mapping[str, str]) -> bool:
    """Whether rows have the tenth column. Spark asks for the schema before it reads."""
    return checked(options, "read").get("eventhubs.includeEventHub") == "true"


def read_settings(options: Mapping[str, str]) -> ReadSettings:
    """The settings of a read.

    Raises:
        OptionError: an option that is unknown, wrong, missing, or that this engine lacks.
    """
    texts = checked(options, "read")
    address = address_of(texts)

    def position(key: str) -> EventPosition | None:
        return _parsed(key, texts[key], lambda text: _here(position_of(text))) if key in texts else None

    def positions(key: str) -> dict[int, EventPosition]:
        def parse(text: str) -> dict[int, EventPosition]:
            return {partition: _here(each) for partition, each in positions_of(text, address.hub).items()}

        return _parsed(key, texts[key], parse) if key in texts else {}

    most = texts.get("eventhubs.maxEventsPerTrigger")
    only = texts.get("eventhubs.partitions")
    return ReadSettings(
        address=address,
        group=texts.get("eventhubs.consumerGroup", "$Default"),
        start=position("eventhubs.startingPosition"),
        starts=positions("eventhubs.startingPositions"),
        end=position("eventhubs.endingPosition") or EventPosition.latest(),
        ends=positions("eventhubs.endingPositions"),
        partitions=None if only is None else _partitions(only),
        max_events=None if most is None else int(most),
        fail_on_data_loss=texts.get("eventhubs.failOnDataLoss", "true") == "true",
        include_event_hub=texts.get("eventhubs.includeEventHub") == "true",
    )


def write_settings(options: Mapping[str, str]) -> WriteSettings:
    """The settings of a write.

    Raises:
        OptionError: an option that is unknown, wrong, missing, or that this engine lacks.
    """
    texts = checked(options, "write")
    partition, key = texts.get("eventhubs.partitionId"), texts.get("eventhubs.partitionKey")
    if partition is not None and key is not None:
        raise failure(
            "EVENTHUBS_CONFLICTING_OPTIONS",
            what="'eventhubs.partitionId' and 'eventhubs.partitionKey' are both set",
            how="Set one of them.",
        )
    return WriteSettings(address=address_of(texts), partition=partition, key=key)


def _parsed(key: str, text: str, parse: Callable[[str], _T]) -> _T:
    try:
        return parse(text)
    except ValueError as wrong:
        raise failure("EVENTHUBS_INVALID_OPTION", key=key, value=text, expected=f"another value: {wrong}") from None


def _here(position: EventPosition) -> EventPosition:
    if position.by == "checkpoint store":
        raise option_error("the engine in Python reads no checkpoint store; only the jar does")
    return position


def _partitions(text: str) -> frozenset[int]:
    found: set[int] = set()
    for part in text.strip().removeprefix("[").removesuffix("]").split(","):
        bounds = _RANGE.fullmatch(part.strip())
        if bounds is None or int(bounds[2] or bounds[1]) < int(bounds[1]):
            expected = "partition ids with commas, such as 0,2, or a range such as 0-3"
            raise failure("EVENTHUBS_INVALID_OPTION", key="eventhubs.partitions", value=text, expected=expected)
        found.update(range(int(bounds[1]), int(bounds[2] or bounds[1]) + 1))
    return frozenset(found)
