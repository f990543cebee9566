"""What stays of a conf when its credential, its connection string or another option is replaced."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from spark_eventhubs import ClientSecret, ConnectionString, EventHubsConf, ManagedIdentity, SasToken, SecretReference
from spark_eventhubs.errors import OptionError

NAMESPACE = "Endpoint=sb://ns.example.net/;SharedAccessKeyName=reader;SharedAccessKey=s3cr3t"
HUB = f"{NAMESPACE};EntityPath=telemetry"
KEYLESS = "Endpoint=sb://ns.example.net/;EntityPath=telemetry"
LOCAL = "Endpoint=sb://localhost:5672;SharedAccessKeyName=a;SharedAccessKey=b;UseDevelopmentEmulator=true"
ENCRYPTED = "bm8gcmVhbCBjaXBoZXIgdGV4dCwgYnV0IG9mIGl0cyBmb3Jt" * 4
MANAGED = {"eventhubs.auth.type": "managedIdentity"}


def conf() -> EventHubsConf:
    return EventHubsConf(connection_string=HUB)


def signed_in() -> EventHubsConf:
    return EventHubsConf(
        credential=ClientSecret(tenant_id="t", client_id="c", client_secret="s3cr3t"),
        fully_qualified_namespace="ns.example.net",
        eventhub_name="telemetry",
    )


def test_a_replaced_credential_leaves_nothing_of_the_one_before() -> None:
    secret = ClientSecret(tenant_id="t", client_id="c", client_secret="s3cr3t")
    first = EventHubsConf(credential=secret, fully_qualified_namespace="ns.example.net", eventhub_name="telemetry")

    managed = first.replace(credential=ManagedIdentity(), consumer_group="a")
    assert managed.to_options() == {
        "eventhubs.namespace": "ns.example.net",
        "eventhubs.name": "telemetry",
        "eventhubs.auth.type": "managedIdentity",
        "eventhubs.consumerGroup": "a",
    }
    other = NAMESPACE.replace("s3cr3t", "an0ther")
    keyed = managed.replace(credential=ConnectionString(other))
    assert keyed.to_options() == {
        "eventhubs.connectionString": other,
        "eventhubs.name": "telemetry",
        "eventhubs.consumerGroup": "a",
    }
    assert keyed.replace(credential=ConnectionString(HUB))["eventhubs.connectionString"] == HUB
    with pytest.raises(OptionError, match="expected one of the two"):
        keyed.replace(credential=ConnectionString(HUB), connection_string=HUB)


@pytest.mark.parametrize(
    ("before", "identity"),
    [
        (conf(), {"eventhubs.namespace": "ns.example.net", "eventhubs.name": "telemetry"}),
        (EventHubsConf.of_namespace(NAMESPACE), {"eventhubs.namespace": "ns.example.net"}),
        (
            EventHubsConf(connection_string=NAMESPACE, name_pattern="t.*"),
            {"eventhubs.namespace": "ns.example.net", "eventhubs.namePattern": "t.*"},
        ),
        (
            EventHubsConf(connection_string=f"{HUB};TransportType=AmqpWebSockets", eventhub_name=["telemetry", "b"]),
            {
                "eventhubs.namespace": "ns.example.net",
                "eventhubs.name": "telemetry,b",
                "eventhubs.transport": "AmqpWebSockets",
            },
        ),
        (
            EventHubsConf(
                connection_string="Endpoint=sb://ns.example.net/;SharedAccessSignature=sig=s3cr3t",
                eventhub_name="telemetry",
            ),
            {"eventhubs.namespace": "ns.example.net", "eventhubs.name": "telemetry"},
        ),
    ],
    ids=["hub", "namespace", "pattern", "list", "signature"],
)
def test_a_new_credential_leaves_nothing_of_the_key(before: EventHubsConf, identity: dict[str, str]) -> None:
    managed = before.replace(credential=ManagedIdentity())
    token = before.replace(credential=SasToken(token="another"))

    assert managed.to_options() == identity | MANAGED
    assert token.to_options() == identity | {"eventhubs.auth.type": "sas", "eventhubs.auth.sasToken": "another"}
    for after in (managed, token):
        assert b"s3cr3t" not in pickle.dumps(after)
        assert "s3cr3t" not in str(after.to_options())


@pytest.mark.parametrize("string", [ENCRYPTED, SecretReference.environment("EVENTHUBS")], ids=["encrypted", "place"])
def test_a_new_credential_needs_the_namespace_of_a_string_that_is_not_readable_here(string: str) -> None:
    before = EventHubsConf(connection_string=string)

    with pytest.raises(
        OptionError, match=r"only the connector can read .* also set fully_qualified_namespace and event"
    ):
        before.replace(credential=ManagedIdentity())
    with pytest.raises(OptionError, match="eventhub_name is not set"):
        before.replace(credential=ManagedIdentity(), fully_qualified_namespace="ns.example.net")
    managed = before.replace(
        credential=ManagedIdentity(), fully_qualified_namespace="ns.example.net", eventhub_name="telemetry"
    )
    assert managed.to_options() == MANAGED | {"eventhubs.namespace": "ns.example.net", "eventhubs.name": "telemetry"}


def test_a_string_without_a_key_stays_with_a_new_credential() -> None:
    before = EventHubsConf(connection_string=KEYLESS, credential=SasToken(token="s3cr3t"))

    assert before.replace(credential=ManagedIdentity()).to_options() == MANAGED | {
        "eventhubs.connectionString": KEYLESS
    }


def test_a_conf_of_production_becomes_one_of_the_local_hub() -> None:
    local = signed_in().replace(consumer_group="a").replace(connection_string=LOCAL)

    assert local == EventHubsConf(connection_string=LOCAL, eventhub_name="telemetry", consumer_group="a")
    assert signed_in().replace(connection_string=HUB) == conf()
    place = SecretReference.environment("EVENTHUBS")
    assert signed_in().replace(connection_string=place) == EventHubsConf(
        connection_string=place, eventhub_name="telemetry"
    )


def test_a_string_without_a_key_takes_the_place_of_the_namespace_only() -> None:
    changed = signed_in().replace(connection_string=KEYLESS)

    assert changed["eventhubs.auth.type"] == "clientSecret"
    assert "eventhubs.namespace" not in changed


def test_none_removes_an_option() -> None:
    full = conf().replace(consumer_group="a", starting_positions={0: 5}, fail_on_data_loss=False)

    assert full.replace(consumer_group=None, starting_positions=None, fail_on_data_loss=None) == conf()
    assert conf().replace(consumer_group=None) == conf()
    assert not [key for key in signed_in().replace(credential=None) if key.startswith("eventhubs.auth.")]
    pattern = EventHubsConf(connection_string=NAMESPACE, name_pattern="t.*")
    assert pattern.replace(name_pattern=None, eventhub_name="telemetry").eventhub_name == "telemetry"
    moved = conf().replace(
        connection_string=None,
        fully_qualified_namespace="ns.example.net",
        eventhub_name="b",
        credential=ManagedIdentity(),
    )
    assert moved.to_options() == MANAGED | {"eventhubs.namespace": "ns.example.net", "eventhubs.name": "b"}
    assert conf().replace(credential=ConnectionString(NAMESPACE), connection_string=None, eventhub_name="b")


@pytest.mark.parametrize(
    ("before", "removed", "expected"),
    [
        (
            conf(),
            "connection_string",
            "fully_qualified_namespace and eventhub_name are not set; expected connection_str",
        ),
        (signed_in(), "fully_qualified_namespace", "fully_qualified_namespace is not set; expected connection_string"),
        (signed_in(), "eventhub_name", "eventhub_name is not set; expected connection_string, or fully_qualified_name"),
        (
            EventHubsConf(connection_string=NAMESPACE, eventhub_name="a"),
            "eventhub_name",
            "the connection string names no hub; add ';EntityPath=<hub>' to it, or set eventhub_name=",
        ),
        (EventHubsConf(connection_string=NAMESPACE, name_pattern="a.*"), "name_pattern", "names no hub"),
        (EventHubsConf(connection_string=KEYLESS, credential=ManagedIdentity()), "credential", "has neither a Shared"),
    ],
)
def test_what_a_conf_needs_cannot_be_removed(before: EventHubsConf, removed: str, expected: str) -> None:
    options: dict[str, Any] = {removed: None}
    with pytest.raises(OptionError) as refused:
        before.replace(**options)

    assert expected in str(refused.value)


def test_a_conf_from_options_may_get_its_parts_one_after_another() -> None:
    conf = EventHubsConf.from_options({"checkpointLocation": "/checkpoints/a"})
    for options in ({"eventhub_name": "b"}, {"consumer_group": "c"}, {"fully_qualified_namespace": "ns.example.net"}):
        conf = conf.replace(**options)  # type: ignore[arg-type]

    assert len(conf) == 4
