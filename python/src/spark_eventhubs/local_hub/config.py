"""Settings of the event hubs in a local hub."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from spark_eventhubs._durations import duration_text
from spark_eventhubs.local_hub._arguments import listed

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, kw_only=True)
class Compaction:
    """The cleanup policy `compact`: a partition keeps only the latest event of each partition key.

    Attributes:
        tombstone_retention: how long a tombstone is kept, an event without a value.
        min_lag: younger events are not compacted.
    """

    tombstone_retention: timedelta = timedelta(hours=1)
    min_lag: timedelta = timedelta(minutes=1)


@dataclass(frozen=True, kw_only=True)
class LocalEventHubConfig:
    """Settings of an event hub. The hub checks them, and refuses wrong ones with a ValueError.

    Attributes:
        partitions: 1 to 1024.
        consumer_groups: in addition to `$Default`, which every hub has.
        retention: how long events are kept. None: for ever.
        retention_bytes: payload bytes that each partition keeps. None: no limit.
        throughput_units: 1 to 40. Producers may send 1 MB or 1000 events a second for each unit. None: no limit.
        compaction: keeps only the latest event of each partition key. None: keeps all.
        geo_replication: whether the hub has a secondary region, which `promote` makes the primary one. Its events are
            in memory.
    """

    partitions: int
    consumer_groups: Sequence[str] = ()
    retention: timedelta | None = None
    retention_bytes: int | None = None
    throughput_units: int | None = None
    compaction: Compaction | None = None
    geo_replication: bool = False

    def query(self) -> dict[str, str | int]:
        """The parameters of `PUT /hubs/{name}`. A setting of None leaves an existing hub's setting unchanged."""
        values: dict[str, str | int | None] = {
            "partitions": self.partitions,
            "consumerGroups": ",".join(listed("consumer_groups", self.consumer_groups)),
            "retention": None if self.retention is None else duration_text(self.retention),
            "retentionBytes": self.retention_bytes,
            "throughputUnits": self.throughput_units,
            "geoReplication": "true" if self.geo_replication else None,
        }
        if self.compaction is not None:
            values["cleanupPolicy"] = "compact"
            values["tombstoneRetention"] = duration_text(self.compaction.tombstone_retention)
            values["minCompactionLag"] = duration_text(self.compaction.min_lag)
        return {name: value for name, value in values.items() if value is not None}
