"""A run on a Spark session: its events, and how they are found again."""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from spark_eventhubs import EventHubsConf, read
from spark_eventhubs.cli._bounds import retained
from spark_eventhubs.cli._properties import all_partitions
from spark_eventhubs.cli.verify._stage import DifferenceError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import Row, SparkSession

    from spark_eventhubs.cli.verify._setting import Setting

_ANSWER_SECONDS: Final = 60
# Long enough for properties that lag behind by 30 s, and are asked for once a second.
PATIENCE_SECONDS: Final = 120
_SLOW_SECONDS: Final = 10
_COLUMNS: Final = ("cast(body AS string) AS body", "cast(partition AS int) AS partition", "sequenceNumber", "offset")
_MILLIS: Final = "unix_millis(enqueuedTime) AS millis"


class Run:
    """One run. Bodies of its events begin with `prefix`, so other events in the hubs do not disturb it."""

    def __init__(self, spark: SparkSession, setting: Setting, folder: str) -> None:
        """Notes where the events of this run begin."""
        self.spark = spark
        self.setting = setting
        self.folder = Path(folder)
        self._starts: dict[str, dict[int, int]] = {}

    def prefix(self, stage: str) -> str:
        """Begins the bodies of a stage's events."""
        return f"{self.setting.run}-{stage}-"

    def conf(self, hub: str) -> EventHubsConf:
        """For a write."""
        return EventHubsConf.from_options(self.setting.connector(hub))

    def starts(self, hub: str) -> dict[int, int]:
        """The ends of the hub's partitions at the beginning, which the service may report late."""
        if hub not in self._starts:
            found = all_partitions(self.setting.target(hub), _ANSWER_SECONDS)
            self._starts[hub] = {int(partition): retained(each)[1] for partition, each in found.items()}
        return self._starts[hub]

    def of_run(self, hub: str) -> EventHubsConf:
        """For a read from the beginning of the run."""
        starts = json.dumps({str(partition): number for partition, number in self.starts(hub).items()})
        return EventHubsConf.from_options(self.setting.connector(hub) | {"eventhubs.startingPositions": starts})

    def rows(self, conf: EventHubsConf, stage: str) -> list[Row]:
        """The events of a stage that a batch read finds now, in their order."""
        own = read(self.spark, conf).selectExpr(*_COLUMNS, _MILLIS).where(f"body LIKE '{self.prefix(stage)}%'")
        return sorted(own.collect(), key=lambda row: (row["partition"], row["sequenceNumber"]))

    def arrived(self, hub: str, stage: str, bodies: Iterable[str]) -> tuple[list[Row], str]:
        """The events, each once, and a remark if the service reported them late."""
        expected = list(bodies)
        began = time.monotonic()
        while True:
            found = self.rows(self.of_run(hub), stage)
            waited = time.monotonic() - began
            if len(found) >= len(expected) or waited > PATIENCE_SECONDS:
                break
            time.sleep(1)
        require_once((row["body"] for row in found), expected)
        late = f"; the service reported them only after {waited:.0f} s" if waited > _SLOW_SECONDS else ""
        return found, late


def require_once(found: Iterable[Any], expected: Iterable[Any]) -> None:
    """Each expected event is there once, and no other."""
    there, wanted = Counter(found), Counter(expected)
    missing, surplus = wanted - there, there - wanted
    if missing or surplus:
        raise DifferenceError(
            f"of {wanted.total()} events, {missing.total()} are missing and {surplus.total()} are there too often"
        )
