"""Durations as text: Python accepts what the connector accepts."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest

from spark_eventhubs import EventHubsConf, _durations
from spark_eventhubs.errors import OptionError

CONF = EventHubsConf(
    connection_string="Endpoint=sb://ns.example.net/;SharedAccessKeyName=reader;SharedAccessKey=k;EntityPath=telemetry"
)
SCALA = Path(__file__).parents[4] / "core/src/main/scala/org/apache/spark/eventhubs/options/DurationText.scala"


@pytest.mark.parametrize(
    "text",
    [
        *("30 sec", "30s", " 5 Minutes ", "1\tday", "500 ms", "1h", "36500d"),
        *("PT30S", "pt30s", "P1D", "P1DT2H3M4.5S", "PT0.000000001S", "PT1.S", "PT1,5S", "+PT30S", "-PT-30S"),
        *("PT-1M90S", "PT2H", "P1DT"),
    ],
)
def test_a_text_that_the_connector_accepts(text: str) -> None:
    assert CONF.replace(receiver_timeout=text)["eventhubs.receiverTimeout"] == text


@pytest.mark.parametrize(
    "text",
    [
        *("500us", "30 secs", "5 mins", "1 week", "30", "s", "1 s 5 ms", "1.5s", "-5s", "٣s", "30\u00a0s\u00a0"),
        *("0s", "0 days", "PT0S", "P0D", "PT0.0S", "PT-30S", "-PT30S", "PT1M-60S"),
        *("P", "PT", "PT30", "P1Y", "PT1.0000000001S", "36501d", "PT876001H", "9" * 5000 + "s"),
    ],
)
def test_a_text_that_the_connector_refuses(text: str) -> None:
    with pytest.raises(OptionError, match="expected a timedelta"):
        CONF.replace(receiver_timeout=text)


@pytest.mark.parametrize("duration", [timedelta(0), timedelta(seconds=-1), timedelta(days=36501)])
def test_a_timedelta_that_the_connector_refuses(duration: timedelta) -> None:
    with pytest.raises(OptionError, match="expected a timedelta"):
        CONF.replace(receiver_timeout=duration)


def test_the_units_are_those_of_the_connector() -> None:
    lists = re.findall(r"ChronoUnit\.\w+ -> Seq\((.+?)\)", SCALA.read_text(encoding="utf-8"))

    assert sorted(_durations._UNITS) == sorted(re.findall(r'"(\w+)"', "".join(lists)))  # noqa: SLF001
