"""Confs whose event hubs are those that match a pattern."""

from __future__ import annotations

import pytest

from spark_eventhubs import DefaultCredential, EventHubsConf
from spark_eventhubs.errors import OptionError

NAMESPACE = "Endpoint=sb://contoso.servicebus.windows.net/;SharedAccessKeyName=p;SharedAccessKey=a2V5"


def test_a_pattern_takes_the_place_of_a_name() -> None:
    conf = EventHubsConf(connection_string=NAMESPACE, name_pattern="orders-.*", name_pattern_interval="10s")

    assert conf["eventhubs.namePattern"] == "orders-.*"
    assert conf["eventhubs.namePatternInterval"] == "10s"
    assert "eventhubs.name" not in conf
    assert conf.eventhub_name is None


def test_a_namespace_with_a_credential_needs_no_name_either() -> None:
    conf = EventHubsConf(
        credential=DefaultCredential(),
        fully_qualified_namespace="contoso.servicebus.windows.net",
        name_pattern="orders-.*",
    )

    assert conf["eventhubs.namespace"] == "contoso.servicebus.windows.net"


def test_the_connection_string_may_name_one_of_the_hubs() -> None:
    conf = EventHubsConf(connection_string=f"{NAMESPACE};EntityPath=orders-1", name_pattern="orders-.*")

    assert conf.eventhub_name == "orders-1"


@pytest.mark.parametrize("name", ["orders-1", ["orders-1", "orders-2"]])
def test_a_name_next_to_a_pattern_is_refused(name: str | list[str]) -> None:
    with pytest.raises(OptionError, match="expected one of the two"):
        EventHubsConf(connection_string=NAMESPACE, eventhub_name=name, name_pattern="orders-.*")


def test_without_a_name_and_a_pattern_the_hub_is_missing() -> None:
    with pytest.raises(OptionError, match="names no hub"):
        EventHubsConf(connection_string=NAMESPACE, name_pattern_interval="10s")
