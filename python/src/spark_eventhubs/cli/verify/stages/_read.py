"""Reads by each kind of position."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

from spark_eventhubs import EventPosition
from spark_eventhubs.cli.verify._stage import DifferenceError

if TYPE_CHECKING:
    from pyspark.sql import Row

    from spark_eventhubs.cli.verify._run import Run


def check_read(run: Run) -> str:
    """A read from the middle of a partition has the same events, whatever names the position."""
    hub = run.setting.first
    rows = [row for row in run.rows(run.of_run(hub), "partition") if row["partition"] == 0]
    if not rows:
        raise DifferenceError("the events that were written to partition 0 are not there")
    middle = rows[len(rows) // 2]
    moment = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=middle["millis"])
    after = [row for row in rows if row["sequenceNumber"] >= middle["sequenceNumber"]]
    expected: dict[str, tuple[EventPosition, list[Row]]] = {
        "sequence number": (EventPosition.sequence_number(middle["sequenceNumber"]), after),
        "offset": (EventPosition.offset(middle["offset"]), after),
        "offset, exclusive": (EventPosition.offset(middle["offset"], inclusive=False), after[1:]),
        "enqueued time": (
            EventPosition.enqueued_time(moment),
            [row for row in rows if row["millis"] >= middle["millis"]],
        ),
        "latest": (EventPosition.latest(), []),
    }
    for kind, (position, wanted) in expected.items():
        conf = run.conf(hub).replace(starting_position=position, partitions=[0])
        found = [row["sequenceNumber"] for row in run.rows(conf, "partition")]
        if found != [row["sequenceNumber"] for row in wanted]:
            raise DifferenceError(f"a read from a position by {kind} has {len(found)} events instead of {len(wanted)}")
    form = "numbers" if str(middle["offset"]).isdecimal() else f"texts such as '{middle['offset']}'"
    return f"by {', '.join(expected)}; offsets are {form}"
