"""A conf is a mapping of options, and its constructor has a keyword for each of them."""

from __future__ import annotations

import inspect
import pickle
from datetime import datetime, timedelta, timezone
from typing import Any, cast

import pytest

from conf_examples import example
from spark_eventhubs import (
    OPTIONS,
    ClientSecret,
    ConnectionString,
    EventHubsConf,
    EventPosition,
    ManagedIdentity,
    OptionSpec,
)

NAMESPACE = "Endpoint=sb://ns.example.net/;SharedAccessKeyName=reader;SharedAccessKey=s3cr3t"
HUB = f"{NAMESPACE};EntityPath=telemetry"
NAMES = {
    "timedelta": timedelta,
    "datetime": datetime,
    "timezone": timezone,
    "EventPosition": EventPosition,
    "text": HUB,
}


@pytest.mark.parametrize("spec", [spec for spec in OPTIONS if spec.keyword], ids=lambda spec: spec.key)
def test_every_option_has_a_keyword_that_takes_its_example(spec: OptionSpec) -> None:
    keyword, value = cast("str", spec.keyword), eval(example(spec), NAMES)  # noqa: S307 - our own text
    values: dict[str, Any] = {keyword: value}

    assert spec.key in EventHubsConf.from_options({}).replace(**values)
    for method in (EventHubsConf.__init__, EventHubsConf.replace):
        assert keyword in inspect.signature(method).parameters
        assert f"{keyword}: {spec.doc}" in (method.__doc__ or "")
    assert keyword in inspect.signature(EventHubsConf).parameters


def test_a_credential_has_the_options_for_signing_in() -> None:
    assert {spec.key for spec in OPTIONS if spec.keyword is None and spec.scope != "registry"} == {
        spec.key for spec in OPTIONS if spec.key.startswith("eventhubs.auth.")
    }


def test_the_constructor_sets_what_is_not_none() -> None:
    conf = EventHubsConf(
        connection_string=HUB, consumer_group="dashboards", starting_position=5, receiver_timeout=timedelta(seconds=9)
    )
    same = EventHubsConf.from_connection_string(HUB).replace(
        consumer_group="dashboards", starting_position=EventPosition.sequence_number(5), receiver_timeout="PT9S"
    )

    assert conf == same
    assert len(conf) == 4


def test_a_conf_goes_where_options_go() -> None:
    def options(**given: object) -> dict[str, object]:
        return given

    conf = EventHubsConf(connection_string=HUB, proxy_address="proxy:3128")

    assert options(**conf) == dict(conf) == conf.to_options()
    assert dict(conf) == {"eventhubs.connectionString": HUB, "eventhubs.proxy.address": "proxy:3128"}
    assert conf["EVENTHUBS.PROXY.ADDRESS"] == "proxy:3128"
    assert "eventhubs.name" not in conf
    assert pickle.loads(pickle.dumps(conf)) == conf  # noqa: S301 - our own bytes


def test_no_text_about_a_conf_shows_a_secret() -> None:
    secret = ClientSecret(tenant_id="t", client_id="c", client_secret="s3cr3t")
    conf = EventHubsConf(
        credential=secret,
        fully_qualified_namespace="ns.example.net",
        eventhub_name="telemetry",
        proxy_password="s3cr3t",
    )

    for shown in (repr(conf), str(conf), f"{conf}", repr(conf.items()), repr(conf.values()), repr(conf.keys())):
        assert "s3cr3t" not in shown
    assert list(conf.values()).count("s3cr3t") == 2


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            {"credential": ManagedIdentity()},
            "fully_qualified_namespace and eventhub_name are not set; expected connection_string, or",
        ),
        (
            {"credential": ManagedIdentity(), "fully_qualified_namespace": "ns.example.net"},
            "eventhub_name is not set; expected connection_string, or fully_qualified_namespace and eventhub_name",
        ),
        (
            {"connection_string": None},
            "fully_qualified_namespace and eventhub_name are not set",
        ),
        ({"connection_string": NAMESPACE}, "the connection string names no hub"),
        ({"connection_string": HUB, "eventhub_name": "alerts"}, "but eventhub_name is 'alerts'; give only one"),
        ({"connection_string": "Endpoint=sb://ns.example.net/;EntityPath=a"}, "neither a SharedAccessKey nor"),
        (
            {"fully_qualified_namespace": "ns", "eventhub_name": "a"},
            "fully_qualified_namespace is 'ns'; expected a host such as",
        ),
        (
            {"fully_qualified_namespace": "sb://ns.example.net/", "eventhub_name": "a"},
            "fully_qualified_namespace is 'sb://ns.example.net/'; expected a host such as",
        ),
        (
            {"connection_string": NAMESPACE, "name_pattern": "a.*", "eventhub_name": "a"},
            "name_pattern is 'a.*' and eventhub_name is 'a'; expected one of the two",
        ),
        (
            {"connection_string": HUB, "credential": ManagedIdentity()},
            "the connection string has a key, and credential is another way to sign in; expected one of the two",
        ),
        (
            {"connection_string": "nonsense", "credential": ManagedIdentity(), "eventhub_name": "a"},
            "the connection string is malformed: part 1 is not <name>=<value>",
        ),
        (
            {"connection_string": "EntityPath=a", "credential": ManagedIdentity()},
            "the connection string is malformed: it has no Endpoint with a host",
        ),
        (
            {"connection_string": HUB, "fully_qualified_namespace": "other.example.net"},
            "the connection string is for 'ns.example.net', but fully_qualified_namespace is 'other.example.net'",
        ),
        (
            {"connection_string": HUB, "credential": ConnectionString(HUB)},
            "connection_string is set and credential is a connection string; expected one of the two",
        ),
    ],
)
def test_contradictions_are_rejected(arguments: dict[str, object], expected: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - the text is checked below, without a pattern
        EventHubsConf(**arguments)  # type: ignore[arg-type]

    assert expected in str(refused.value)
    nothing = dict.fromkeys(("credential", "connection_string", "fully_qualified_namespace", "eventhub_name"))
    with pytest.raises(type(refused.value)) as replaced:
        EventHubsConf(connection_string=HUB).replace(**nothing | arguments)
    assert str(replaced.value) == str(refused.value)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"connection_string": 5}, "connection_string is a int"),
        ({"credential": "key"}, "credential is a str; expected a credential of spark_eventhubs, such as"),
        ({"fully_qualified_namespace": 5, "eventhub_name": "a"}, "fully_qualified_namespace is 5; expected a host"),
    ],
)
def test_wrong_types_of_the_identity_are_rejected(arguments: dict[str, object], expected: str) -> None:
    with pytest.raises(TypeError, match=expected):
        EventHubsConf(**arguments)  # type: ignore[arg-type]


def test_a_connection_string_that_is_none_is_rejected() -> None:
    with pytest.raises(TypeError, match="the connection string is None; expected the text that the Azure portal shows"):
        EventHubsConf.from_connection_string(None)  # type: ignore[arg-type]


def test_a_connection_string_without_a_key_goes_with_a_credential() -> None:
    conf = EventHubsConf(
        connection_string="Endpoint=sb://ns.example.net/;EntityPath=telemetry", credential=ManagedIdentity()
    )

    assert conf.eventhub_name == "telemetry"
    assert conf["eventhubs.auth.type"] == "managedIdentity"
