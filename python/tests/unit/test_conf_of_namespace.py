from __future__ import annotations

import re

import pytest

from spark_eventhubs import ClientSecret, EventHubsConf
from spark_eventhubs.errors import OptionError

HOST = "contoso.servicebus.windows.net"
NAMESPACE = f"Endpoint=sb://{HOST}/;SharedAccessKeyName=send;SharedAccessKey=c2VjcmV0"


def test_a_conf_of_a_namespace_names_no_hub_and_takes_further_options() -> None:
    conf = EventHubsConf.of_namespace(NAMESPACE).replace(max_batch_bytes=2048)

    assert conf.to_options() == {"eventhubs.connectionString": NAMESPACE, "eventhubs.maxBatchBytes": "2048"}
    assert conf.eventhub_name is None
    assert "c2VjcmV0" not in repr(conf)


def test_a_conf_of_a_namespace_signs_in_with_a_credential() -> None:
    credential = ClientSecret(tenant_id="t", client_id="c", client_secret="s")

    conf = EventHubsConf.of_namespace(credential=credential, fully_qualified_namespace=HOST)

    assert conf["eventhubs.namespace"] == HOST
    assert conf["eventhubs.auth.type"] == "clientSecret"
    assert "eventhubs.name" not in conf


def test_a_connection_string_of_a_hub_is_refused() -> None:
    with pytest.raises(OptionError, match=re.escape("the connection string names the hub 'orders'")):
        EventHubsConf.of_namespace(f"{NAMESPACE};EntityPath=orders")


def test_a_missing_namespace_is_refused() -> None:
    with pytest.raises(
        OptionError,
        match=re.escape("fully_qualified_namespace is not set; expected connection_string, or fully_qualified_name"),
    ):
        EventHubsConf.of_namespace()
