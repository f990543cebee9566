from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from confs import conf_of, from_earliest
from events import all_events, numbered_rows, numbers_in_hub, once
from spark_eventhubs import read, read_stream
from spark_eventhubs.errors import InvalidEventError, OptionError
from streams import run_available

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from spark_eventhubs import LocalEventHub


def write_python(df: DataFrame, hub: LocalEventHub, **more: str) -> None:
    df.write.format("eventhubs_python").options(**{**conf_of(hub), **more}).mode("append").save()


def test_rows_become_events_of_their_partition_and_key(both: SparkSession, event_hub: LocalEventHub) -> None:
    rows = numbered_rows(
        both,
        200,
        "if(id < 100, cast(id % 4 as int), null) as partitionId",
        "if(id < 100, null, concat('key-', id % 3)) as partitionKey",
        "map('n', id, 'none', null) as properties",
        "concat('m-', id) as messageId",
        "'application/x' as contentType",
    )
    write_python(rows, event_hub)

    events = all_events(event_hub)
    bodies = {partition: [int(event.body_as_str()) for event in found] for partition, found in events.items()}
    assert numbers_in_hub(event_hub) == once(range(200))
    for partition in range(4):
        assert [number for number in bodies[partition] if number < 100] == list(range(partition, 100, 4))
    by_key: dict[object, set[int]] = {}
    for partition, found in events.items():
        for event in found:
            by_key.setdefault(event.partition_key, set()).add(partition)
    assert {key: len(partitions) for key, partitions in by_key.items() if key} == {
        b"key-0": 1,
        b"key-1": 1,
        b"key-2": 1,
    }
    sample = events[0][0]
    assert sample.properties == {b"n": int(sample.body_as_str()), b"none": None}
    assert (sample.message_id, sample.content_type) == (f"m-{sample.body_as_str()}", "application/x")


@pytest.mark.event_hub(partitions=1)
@pytest.mark.parametrize(
    ("values", "text"),
    [
        ("map('v', 9007199254740993)", "9007199254740993"),
        ("map('v', cast(7 as tinyint))", "7"),
        ("map('v', cast(1.5 as float))", "1.5"),
        ("map('v', X'00ff')", "[0,-1]"),
        ("map('v', timestamp '2026-01-31 12:30:15.25')", '"2026-01-31T12:30:15.250Z"'),
        ("map('v', true)", "true"),
    ],
)
def test_a_property_keeps_its_type(both: SparkSession, event_hub: LocalEventHub, values: str, text: str) -> None:
    write_python(numbered_rows(both, 1, f"{values} as properties"), event_hub)

    assert read(both, from_earliest(event_hub)).select("properties").collect()[0][0] == {"v": text}


def test_a_stream_is_written_by_the_python_engine(
    both: SparkSession, event_hub: LocalEventHub, another_hub: Callable[..., LocalEventHub], tmp_path: Path
) -> None:
    copy = another_hub()
    write_python(numbered_rows(both, 300), event_hub)
    stream = read_stream(both, from_earliest(event_hub)).select("body")
    writer = stream.writeStream.format("eventhubs_python").options(**conf_of(copy))

    run_available(writer.option("checkpointLocation", str(tmp_path)))

    assert numbers_in_hub(copy) == once(range(300))


def test_busy_service_and_lost_connections_are_waited_out(both: SparkSession, event_hub: LocalEventHub) -> None:
    with (
        event_hub.faults.inject("throttle", on="send", count=2),
        event_hub.faults.inject("drop", on="send", skip=2, count=1),
    ):
        write_python(numbered_rows(both, 500), event_hub)

    assert set(numbers_in_hub(event_hub)) == set(range(500))


@pytest.mark.event_hub(partitions=1)
def test_what_cannot_be_written_is_refused(both: SparkSession, event_hub: LocalEventHub) -> None:
    rows = numbered_rows(both, 1)

    with pytest.raises(OptionError, match="expected at-least-once with the engine in Python"):
        write_python(rows, event_hub, **{"eventhubs.deliveryGuarantee": "exactly-once"})
    with pytest.raises(OptionError, match="EVENTHUBS_UNSUPPORTED_SAVE_MODE"):
        rows.write.format("eventhubs_python").options(**conf_of(event_hub)).mode("overwrite").save()
    with pytest.raises(InvalidEventError, match="name one 'body'"):
        write_python(both.range(1), event_hub)
    with pytest.raises(InvalidEventError, match="Both a partitionKey"):
        write_python(numbered_rows(both, 1, "0 as partitionId", "'k' as partitionKey"), event_hub)
    with pytest.raises(InvalidEventError, match="Its partition is 7, and the hub has 0"):
        write_python(numbered_rows(both, 1, "7 as partitionId"), event_hub)
    with pytest.raises(InvalidEventError, match="has 129 characters, and the service allows 128"):
        write_python(numbered_rows(both, 1, "repeat('k', 129) as partitionKey"), event_hub)
    with pytest.raises(InvalidEventError, match="EVENTHUBS_EVENT_TOO_LARGE"):
        write_python(both.range(1).selectExpr("repeat('x', 3000000) as body"), event_hub)
    with pytest.raises(InvalidEventError, match="Its body is null"):
        write_python(both.range(1).selectExpr("cast(null as string) as body"), event_hub)
    assert event_hub.events() == []
