"""Writes by partition and by key."""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING, Final

from spark_eventhubs import write
from spark_eventhubs.cli._sdk import limited, sending
from spark_eventhubs.cli.verify._stage import DifferenceError
from spark_eventhubs.cli.verify._volumes import WRITE_EVENTS as EVENTS

if TYPE_CHECKING:
    from spark_eventhubs.cli.verify._run import Run

_KEYS: Final = 10
# Its hash is that of a key outside ASCII, about which SDKs disagree.
_WIDE: Final = "schlüssel"


def check_write(run: Run) -> str:
    """Events go to their partition. Those of a key go where the service sends that key of the Azure SDK."""
    hub = run.setting.first
    count = len(run.starts(hub))
    by_partition, by_key = run.prefix("partition"), run.prefix("key")
    numbers = run.spark.range(EVENTS)
    write(
        numbers.selectExpr(f"concat('{by_partition}', id) AS body", f"cast(id % {count} AS int) AS partitionId"),
        run.conf(hub),
    )
    key = f"if(id % {_KEYS} = 0, '{_WIDE}', concat('key-', id % {_KEYS})) AS partitionKey"
    write(numbers.selectExpr(f"concat('{by_key}', id) AS body", key), run.conf(hub))
    _send_with_sdk(run)

    to_partitions, late = run.arrived(hub, "partition", [f"{by_partition}{n}" for n in range(EVENTS)])
    misplaced = [row for row in to_partitions if row["partition"] != int(_number(row["body"])) % count]
    if misplaced:
        raise DifferenceError(f"{len(misplaced)} of {EVENTS} events are not in the partition that they name")
    with_keys, _ = run.arrived(hub, "key", [f"{by_key}{n}" for n in range(EVENTS)])
    of_sdk, _ = run.arrived(hub, "sdk", [f"{run.prefix('sdk')}{n}" for n in range(_KEYS)])
    places: dict[int, set[int]] = defaultdict(set)
    for row in [*with_keys, *of_sdk]:
        places[int(_number(row["body"])) % _KEYS].add(row["partition"])
    apart = [key for key, partitions in places.items() if len(partitions) > 1]
    if apart:
        raise DifferenceError(f"the events of {len(apart)} of {_KEYS} keys are in several partitions")
    return f"{2 * EVENTS} events are in the partitions of their ids and keys, as those of the Azure SDK{late}"


def _send_with_sdk(run: Run) -> None:
    from azure.eventhub import EventData  # noqa: PLC0415 - the SDK is an optional dependency

    with sending(run.setting.target(run.setting.first)) as client:
        for key in range(_KEYS):
            batch = limited(partial(client.create_batch, partition_key=f"key-{key}" if key > 0 else _WIDE))
            batch.add(EventData(f"{run.prefix('sdk')}{key}"))
            limited(partial(client.send_batch, batch))


def _number(body: str) -> str:
    return body.rpartition("-")[2]
