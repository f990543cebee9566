from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone

import pytest

from spark_eventhubs import EventHubsConf, EventPosition, NameAndPartition
from spark_eventhubs.errors import OptionError


def test_earliest_and_latest_have_the_offsets_of_the_legacy_connector() -> None:
    assert EventPosition.earliest().to_dict() == {
        "offset": "-1",
        "seqNo": -1,
        "enqueuedTime": None,
        "isInclusive": True,
    }
    assert EventPosition.latest().to_dict()["offset"] == "@latest"


def test_a_position_by_sequence_number_has_no_offset_and_no_time() -> None:
    assert EventPosition.sequence_number(0).to_dict() == {
        "offset": None,
        "seqNo": 0,
        "enqueuedTime": None,
        "isInclusive": True,
    }


def test_an_offset_can_be_exclusive() -> None:
    assert EventPosition.offset("4711", inclusive=False).to_dict() == {
        "offset": "4711",
        "seqNo": -1,
        "enqueuedTime": None,
        "isInclusive": False,
    }


def test_an_enqueued_time_is_converted_to_utc_and_truncated_to_milliseconds() -> None:
    moment = datetime(2019, 4, 26, 2, 0, 0, 123_999, tzinfo=timezone(timedelta(hours=2)))

    assert EventPosition.enqueued_time(moment).to_dict()["enqueuedTime"] == "2019-04-26T00:00:00.123Z"


def test_the_json_text_is_the_same_as_the_dict() -> None:
    position = EventPosition.sequence_number(7)

    assert json.loads(position.to_json()) == position.to_dict()


def test_a_time_without_a_time_zone_is_rejected() -> None:
    with pytest.raises(ValueError, match=r"2019-04-26T00:00:00 has no time zone; expected one such as"):
        EventPosition.enqueued_time(datetime(2019, 4, 26))  # noqa: DTZ001 - the time zone is missing on purpose


def test_a_negative_sequence_number_is_rejected() -> None:
    with pytest.raises(ValueError, match="sequence number -1 is negative"):
        EventPosition.sequence_number(-1)


def test_an_empty_offset_is_rejected() -> None:
    with pytest.raises(ValueError, match="the offset is empty"):
        EventPosition.offset(" ")


def test_a_partition_has_the_json_form_of_the_legacy_connector() -> None:
    assert NameAndPartition(name="telemetry", partition_id=3).to_json() == '{"ehName": "telemetry", "partitionId": 3}'


@pytest.mark.parametrize(("name", "partition_id", "why"), [("", 0, "is empty"), ("telemetry", -1, "is negative")])
def test_an_empty_hub_name_and_a_negative_partition_id_are_rejected(name: str, partition_id: int, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        NameAndPartition(name=name, partition_id=partition_id)


def test_the_checkpoint_store_is_a_position_by_its_name() -> None:
    stored = EventPosition.checkpoint_store()
    assert json.loads(stored.to_json()) == "checkpointStore"
    text = "Endpoint=sb://c.servicebus.windows.net/;SharedAccessKeyName=k;SharedAccessKey=a2V5;EntityPath=h"
    conf = EventHubsConf.from_connection_string(text).replace(starting_positions={0: stored, 1: 5})
    positions = json.loads(
        conf.replace(starting_position="checkpointStore").to_options()["eventhubs.startingPositions"]
    )
    assert next(iter(positions.values())) == "checkpointStore"
    with pytest.raises(OptionError, match="has no fields"):
        stored.to_dict()
