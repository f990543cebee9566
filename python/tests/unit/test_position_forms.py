from __future__ import annotations

from datetime import datetime, timezone

import pytest

from spark_eventhubs import EventPosition
from spark_eventhubs._conf.position_forms import position_of, positions_of
from spark_eventhubs.errors import OptionError


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("earliest", EventPosition.earliest()),
        ("-1", EventPosition.earliest()),
        ("@LATEST", EventPosition.latest()),
        (" 17 ", EventPosition.sequence_number(17)),
        ('{"offset":null,"seqNo":-1,"enqueuedTime":null,"offset":"-1","isInclusive":true}', EventPosition.earliest()),
        ('{"seqNo":"5","offset":"9"}', EventPosition.sequence_number(5)),
        ('{"offset":"9","isInclusive":false}', EventPosition.offset("9", inclusive=False)),
        ('"latest"', EventPosition.latest()),
        *[
            (text, EventPosition.enqueued_time(datetime(2026, 1, 31, 12, 0, 0, 1, tzinfo=timezone.utc)))
            for text in (
                "2026-01-31T12:00:00.000001Z",
                "2026-01-31 13:00:00.000001+0100",
                "2026-01-31T13:00:00.000000001+01:00",
            )
        ],
    ],
)
def test_a_position_is_read_in_each_form(text: str, position: EventPosition) -> None:
    assert position_of(text) == position


def test_positions_are_by_partition() -> None:
    named = '{"{\\"ehName\\":\\"Orders\\",\\"partitionId\\":1}": {"seqNo": 4}, "0": 3}'
    assert {key: each.value for key, each in positions_of(named, "orders").items()} == {0: 3, 1: 4}
    for wrong in ('{"x": 1}', "[1]", '{"{\\"ehName\\":\\"other\\",\\"partitionId\\":1}": 4}'):
        with pytest.raises(OptionError):
            positions_of(wrong, "orders")
