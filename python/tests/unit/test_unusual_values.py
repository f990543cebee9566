"""Values that are nearly right: of NumPy and pandas, at the ends of their ranges, or of another type."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spark_eventhubs import ConnectionString, EventHubsConf, EventPosition, NameAndPartition, WriteOnce
from spark_eventhubs.errors import OptionError, OptionTypeError
from spark_eventhubs.functions import decompressed_body

pandas: Any = pytest.importorskip("pandas")
HUB = "Endpoint=sb://ns.example.net/;SharedAccessKeyName=reader;SharedAccessKey=s3cr3t;EntityPath=telemetry"
CONF = EventHubsConf(connection_string=HUB)


def test_numbers_of_numpy_are_numbers() -> None:
    number: Any = np.int64(7)

    assert CONF.replace(starting_position=number) == CONF.replace(starting_position=7)
    assert CONF.replace(max_events_per_trigger=number) == CONF.replace(max_events_per_trigger=7)
    assert CONF.replace(partitions=[number]) == CONF.replace(partitions=[7])
    assert CONF.replace(starting_positions={number: number}) == CONF.replace(starting_positions={7: 7})
    assert NameAndPartition(name="telemetry", partition_id=number).to_json().endswith("7}")
    with pytest.raises(OptionTypeError):
        CONF.replace(starting_position=np.bool_(True))  # type: ignore[arg-type]


def test_positions_by_partition_are_whatever_has_items() -> None:
    assert CONF.replace(starting_positions=pandas.Series({0: 5})) == CONF.replace(starting_positions={0: 5})
    with pytest.raises(OptionError, match="the positions are empty"):
        CONF.replace(starting_positions=pandas.Series(dtype=int))


def test_times_of_pandas_are_times() -> None:
    moment = pandas.Timestamp("2026-01-31T12:00:00.123456789", tz="Europe/Berlin")

    assert EventPosition.enqueued_time(moment).to_dict()["enqueuedTime"] == "2026-01-31T11:00:00.123Z"
    with pytest.raises(OptionError, match="NaT has no time zone"):
        CONF.replace(starting_position=pandas.NaT)


def test_the_earliest_time_has_four_digits_of_the_year() -> None:
    earliest = datetime.min.replace(tzinfo=timezone.utc)
    assert EventPosition.enqueued_time(earliest).to_dict()["enqueuedTime"] == "0001-01-01T00:00:00.000Z"


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+05:00", "9999-12-31T23:00:00-05:00"])
def test_a_time_that_utc_does_not_have_is_refused(text: str) -> None:
    moment = datetime.fromisoformat(text)
    with pytest.raises(OptionError, match="use earliest or latest"):
        EventPosition.enqueued_time(moment)


def test_numbers_of_more_than_64_bits_are_refused() -> None:
    with pytest.raises(OptionError, match="64 bits"):
        CONF.replace(starting_position=2**63)
    with pytest.raises(OptionError, match="whole number from 1"):
        CONF.replace(max_events_per_trigger="9" * 5000)  # type: ignore[arg-type]
    assert json.loads(CONF.replace(starting_position=2**63 - 1)["eventhubs.startingPosition"])["seqNo"] == 2**63 - 1


def test_a_duration_of_less_than_a_millisecond_is_refused_and_not_zero() -> None:
    with pytest.raises(OptionError, match="or a duration as text"):
        CONF.replace(receiver_timeout=timedelta(microseconds=999))


@pytest.mark.parametrize("key", [1, None, ("a",)])
def test_a_key_that_is_no_text_is_not_in_a_conf(key: Any) -> None:  # noqa: ANN401
    assert key not in CONF
    assert CONF.get(key) is None
    with pytest.raises(OptionTypeError, match="not the key of an option"):
        EventHubsConf.from_options({key: "text"})


@pytest.mark.parametrize("options", [None, "text", [("a", "b")]])
def test_options_that_are_no_mapping_are_refused(options: Any) -> None:  # noqa: ANN401
    with pytest.raises(OptionTypeError, match="expected a dict"):
        EventHubsConf.from_options(options)


def test_the_name_of_another_hub_than_the_connection_strings_is_refused_later_too() -> None:
    with pytest.raises(OptionError, match="names the hub 'telemetry', but eventhub_name is 'alerts'"):
        CONF.replace(eventhub_name="alerts")
    with pytest.raises(OptionError, match="names the hub 'alerts', but eventhub_name is 'Telemetry'"):
        CONF.replace(eventhub_name="Telemetry", connection_string=HUB.replace("=telemetry", "=alerts"))


def test_a_string_that_the_legacy_connector_encrypted_is_accepted() -> None:
    encrypted = "bm8gcmVhbCBjaXBoZXIgdGV4dCwgYnV0IG9mIGl0cyBmb3Jt" * 4
    conf = EventHubsConf(connection_string=encrypted, consumer_group="dashboards")

    assert conf["eventhubs.connectionString"] == encrypted
    assert encrypted not in repr(conf)
    with pytest.raises(OptionError, match="malformed"):
        EventHubsConf(connection_string="c2VjcmV0" * 5 + "c2U=")


def test_a_path_is_a_value_of_an_option_of_spark() -> None:
    options: dict[str, Any] = {"eventhubs.connectionString": HUB, "checkpointLocation": Path("/checkpoints/a")}
    assert EventHubsConf.from_options(options)["checkpointLocation"] == "/checkpoints/a"


@pytest.mark.parametrize("host", ["[ns", "ns.example.net:port", "a\u2100b"])
def test_an_endpoint_that_is_no_url_is_a_malformed_connection_string(host: str) -> None:
    with pytest.raises(OptionError, match="its Endpoint is not a URL"):
        ConnectionString(HUB.replace("ns.example.net", host))


@pytest.mark.parametrize("wrong", [1e6, True, None, "16m"])
def test_a_number_of_bytes_of_another_type_is_refused_at_the_call(wrong: Any) -> None:  # noqa: ANN401
    with pytest.raises(OptionTypeError, match=r"max_bytes is .* whole number of bytes"):
        decompressed_body(max_bytes=wrong)


@pytest.mark.parametrize("wrong", [0, -1, np.int64(0)])
def test_a_number_of_bytes_below_1_is_refused_at_the_call(wrong: Any) -> None:  # noqa: ANN401
    with pytest.raises(OptionError, match="above 0"):
        decompressed_body(max_bytes=wrong)


@pytest.mark.parametrize("wrong", [1.5, True, None, "7"])
def test_a_version_of_another_type_is_refused_at_the_call(wrong: Any) -> None:  # noqa: ANN401
    with pytest.raises(OptionTypeError, match=r"version is .* whole number"):
        WriteOnce(write_id="alerts", version=wrong, log_location="/log").to_options()
