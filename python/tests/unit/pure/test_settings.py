from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone

import pytest

from spark_eventhubs import OPTIONS, ClientSecret, EventHubsConf, EventPosition
from spark_eventhubs.errors import OptionError
from spark_eventhubs.pure._options_here import HAS, LACKS, ONLY_VALUE
from spark_eventhubs.pure._partitions import up_to_millis
from spark_eventhubs.pure._settings import read_settings, write_settings
from spark_eventhubs.pure._signing_in.address import Network, Token

KEY = "c2VjcmV0"
TEXT = f"Endpoint=sb://contoso.servicebus.windows.net/;SharedAccessKeyName=n;SharedAccessKey={KEY};EntityPath=orders"

SOCKETS = {"eventhubs.transport": "AMQPWEBSOCKETS"}


def lower(**options: object) -> dict[str, str]:
    """The options as Spark passes them to a source in Python."""
    conf = EventHubsConf.from_connection_string(TEXT).replace(**options)  # type: ignore[arg-type]
    return {key.lower(): value for key, value in conf.items()}


def test_each_option_of_the_table_is_had_or_refused_with_a_reason() -> None:
    assert sorted([*HAS, *ONLY_VALUE, *LACKS]) == sorted(spec.key for spec in OPTIONS if spec.scope != "registry")


def test_options_become_settings() -> None:
    positions = {0: EventPosition.sequence_number(7), 1: EventPosition.latest()}
    found = read_settings(
        lower(
            starting_position="earliest",
            starting_positions=positions,
            max_events_per_trigger=10,
            partitions=[0, 2],
            fail_on_data_loss=False,
            operation_timeout="90s",
        )
    )

    assert (found.address.host, found.address.hub) == ("contoso.servicebus.windows.net", "orders")
    assert (found.address.timeout, found.group, found.max_events) == (90.0, "$Default", 10)
    assert found.start_of(5, EventPosition.latest()) == EventPosition.earliest()
    assert found.start_of(0, EventPosition.latest()).value == 7
    assert found.partitions == frozenset({0, 2})
    assert not found.fail_on_data_loss
    assert found.end_of(0) == EventPosition.latest()


def test_no_settings_show_the_key() -> None:
    assert KEY not in repr(read_settings(lower()))
    assert KEY not in repr(write_settings(lower()))


@pytest.mark.parametrize("key", sorted(LACKS))
def test_an_option_that_is_lacking_is_refused_with_its_reason(key: str) -> None:
    spec = next(spec for spec in OPTIONS if spec.key == key)
    values = {"int": "1", "long": "1", "bytes": "1m", "boolean": "true", "duration": "PT1S", "position": "earliest"}
    value = values.get(spec.type) or spec.type.split("|")[0]
    read = write_settings if spec.scope == "write" else read_settings

    with pytest.raises(OptionError) as refused:
        read({**lower(), key: value})

    assert refused.value.condition == "EVENTHUBS_INVALID_OPTION"
    assert LACKS[key] in str(refused.value)
    assert key in str(refused.value)


@pytest.mark.parametrize(
    ("options", "condition"),
    [
        ({"eventhubs.connectionstring": "Endpoint=sb://h/"}, "EVENTHUBS_INVALID_CONNECTION_STRING"),
        ({"eventhubs.connectionstring": "{env:SECRET}"}, "EVENTHUBS_INVALID_OPTION"),
        ({"eventhubs.connectionstring": f"{TEXT};TransportType=Pigeons"}, "EVENTHUBS_INVALID_OPTION"),
        ({"eventhubs.auth.type": "default"}, "EVENTHUBS_CONFLICTING_OPTIONS"),
        ({"eventhubs.auth.clientId": "c"}, "EVENTHUBS_MISSING_OPTION"),
        ({"eventhubs.namespace": "other.servicebus.windows.net"}, "EVENTHUBS_CONFLICTING_OPTIONS"),
        ({"eventhubs.proxy.address": "proxy:3128"}, "EVENTHUBS_CONFLICTING_OPTIONS"),
        ({"eventhubs.transport": "amqpWebSockets", "eventhubs.proxy.address": "proxy"}, "EVENTHUBS_INVALID_OPTION"),
        ({"eventhubs.transport": "amqpWebSockets", "eventhubs.proxy.username": "me"}, "EVENTHUBS_MISSING_OPTION"),
        ({"eventhubs.proxy.authentication": "digest"}, "EVENTHUBS_INVALID_OPTION"),
        ({"eventhubs.connectionstring": TEXT.replace(";EntityPath=orders", "")}, "EVENTHUBS_MISSING_OPTION"),
        ({}, "EVENTHUBS_MISSING_OPTION"),
        ({"eventhubs.name": "returns"}, "EVENTHUBS_CONFLICTING_OPTIONS"),
        ({"eventhubs.maxEventsPerTrigger": "5", "maxEventsPerTrigger": "6"}, "EVENTHUBS_CONFLICTING_OPTIONS"),
        ({"eventhubs.startingPosition": "checkpointStore"}, "EVENTHUBS_INVALID_OPTION"),
        ({"eventhubs.compacted": "true"}, "EVENTHUBS_INVALID_OPTION"),
        ({"eventhubs.namespace": "contoso"}, "EVENTHUBS_INVALID_OPTION"),
        ({"eventhubs.customEndpoint": "me:c2VjcmV0@gate"}, "EVENTHUBS_INVALID_OPTION"),
        ({**SOCKETS, "eventhubs.proxy.address": "https://proxy:3128"}, "EVENTHUBS_INVALID_OPTION"),
        ({**SOCKETS, "eventhubs.proxy.address": "http://me:a/c2VjcmV0@p:3128"}, "EVENTHUBS_INVALID_OPTION"),
        ({"eventhubs.partitions": "0,,1"}, "EVENTHUBS_INVALID_OPTION"),
        ({"eventhubs.partitions": "3-1"}, "EVENTHUBS_INVALID_OPTION"),
        ({"eventhubs.partitions": "0-99999999999"}, "EVENTHUBS_INVALID_OPTION"),
        ({"eventhubs.connectionstring": f"{TEXT};OperationTimeout=soon"}, "EVENTHUBS_INVALID_OPTION"),
        ({"eventhubs.threadPoolSize": "4"}, "EVENTHUBS_UNKNOWN_OPTION"),
        ({"startingOffsets": "earliest"}, "EVENTHUBS_UNKNOWN_OPTION"),
    ],
)
def test_a_mistake_has_the_condition_of_the_jar(options: dict[str, str], condition: str) -> None:
    with pytest.raises(OptionError) as refused:
        read_settings({**lower(), **options} if options else {})

    assert refused.value.condition == condition
    assert KEY not in str(refused.value)


CONFLICT = "EVENTHUBS_CONFLICTING_OPTIONS"
HUB = {"eventhubs.namespace": "contoso.servicebus.windows.net", "eventhubs.name": "orders"}


@pytest.mark.parametrize(
    ("options", "condition"),
    [
        ({}, "EVENTHUBS_MISSING_OPTION"),
        ({"type": "clientSecret", "tenantId": "t", "clientId": "c"}, "EVENTHUBS_MISSING_OPTION"),
        ({"type": "clientCertificate", "tenantId": "t", "clientId": "c"}, "EVENTHUBS_MISSING_OPTION"),
        ({"type": "clientSecret", "tenantId": "t", "clientId": "c", "clientSecret": "s", "sasToken": "s"}, CONFLICT),
        ({"type": "managedIdentity", "tenantId": "t"}, CONFLICT),
        ({"type": "default", "clientId": "c"}, CONFLICT),
        ({"type": "sas", "sasToken": "s", "clientId": "c"}, CONFLICT),
        ({"clientId": "c"}, "EVENTHUBS_MISSING_OPTION"),
        ({"type": "sas"}, "EVENTHUBS_MISSING_OPTION"),
        ({"type": "default", "authorityHost": "http://login.contoso.com"}, "EVENTHUBS_INVALID_OPTION"),
        ({"type": "default", "authorityHost": "https://login.contoso.com/tenant"}, "EVENTHUBS_INVALID_OPTION"),
        ({"type": "credentialProvider"}, "EVENTHUBS_INVALID_OPTION"),
        ({"credentialProvider": "com.contoso.Tokens"}, "EVENTHUBS_INVALID_OPTION"),
    ],
)
def test_a_mistake_in_an_identity_is_named(options: dict[str, str], condition: str) -> None:
    with pytest.raises(OptionError) as refused:
        read_settings({**HUB, **{f"eventhubs.auth.{key}": text for key, text in options.items()}})

    assert refused.value.condition == condition


def test_a_type_of_sas_leaves_the_key_in_the_connection_string() -> None:
    assert read_settings({**lower(), "eventhubs.auth.type": "sas"}).address.identity is None


@pytest.mark.parametrize("text", ["sb://Contoso.ServiceBus.Windows.net/", "CONTOSO.servicebus.windows.net"])
def test_a_namespace_may_be_the_address_of_its_endpoint(text: str) -> None:
    assert read_settings({**lower(), "eventhubs.namespace": text}).address.host == HUB["eventhubs.namespace"]


@pytest.mark.parametrize("host", ["AzureChinaCloud", "https://login.contoso.com/"])
def test_an_authority_is_a_cloud_or_an_address(host: str) -> None:
    options = {"eventhubs.auth.type": "default", "eventhubs.auth.authorityHost": host}
    identity = read_settings({**HUB, **options}).address.identity

    assert identity is not None
    assert dict(identity.options) == {"authorityHost": host}


def test_an_identity_signs_in_and_shows_no_secret() -> None:
    secret = ClientSecret(tenant_id="t", client_id="c", client_secret=KEY)
    conf = EventHubsConf.from_credential(
        secret, fully_qualified_namespace=HUB["eventhubs.namespace"], eventhub_name="orders"
    )
    address = read_settings(conf).address

    assert address.connection_string is None
    assert address.identity is not None
    assert address.identity.kind == "clientsecret"
    assert dict(address.identity.options)["clientSecret"] == KEY
    assert KEY not in repr(replace(address, token=Token(KEY, 0)))


def test_the_network_of_the_options_and_of_the_connection_string_is_used() -> None:
    local = TEXT.replace("contoso.servicebus.windows.net", "localhost:5672")
    proxy = {"eventhubs.proxy.address": "p:3128", "eventhubs.proxy.username": "me", "eventhubs.proxy.password": KEY}

    def network(text: str = TEXT, **options: str) -> Network:
        return read_settings({"eventhubs.connectionString": text, **options}).address.network

    assert network() == Network()
    assert network(f"{TEXT};TransportType=AmqpWebSockets") == Network(over_sockets=True)
    assert network(local) == Network(endpoint="localhost:5672")
    assert network(f"{local};UseDevelopmentEmulator=true") == Network(tls=False, endpoint="localhost:5672")
    assert network(local, **{"eventhubs.customEndpoint": "gate"}) == Network(endpoint="gate")
    assert network(**{"eventhubs.customEndpoint": "https://gate:5671/"}) == Network(endpoint="gate:5671")
    assert network(**SOCKETS, **{"eventhubs.proxy.address": "http://p:3128/"}).proxy == "p:3128"
    assert network(**SOCKETS, **{"eventhubs.proxy.address": "[::1]:3128"}).proxy == "[::1]:3128"
    found = network(**SOCKETS, **proxy)
    assert (found.proxy, found.username, found.password) == ("p:3128", "me", KEY)
    assert KEY not in repr(found)


def test_a_connection_string_may_have_spaces_and_a_timeout_which_the_sdk_refuses() -> None:
    text = f" {TEXT.replace(';', ' ; ')} ;; OperationTimeout = PT10S "
    address = read_settings({**lower(), "eventhubs.connectionstring": text}).address

    assert address.connection_string == TEXT
    assert address.timeout == 10


def test_unknown_options_may_be_ignored_and_those_of_spark_always_are() -> None:
    kept = lower()
    ignored = {"eventhubs.consumerGrup": "a", "eventhubs.ignoreunknownoptions": "TRUE"}
    assert read_settings({**kept, **ignored}) == read_settings(kept)
    assert read_settings({**kept, "path": "/data", "topic": "t"}) == read_settings(kept)
    of_writes = {"eventhubs.deliveryGuarantee": "exactly-once"}
    assert read_settings({**kept, **of_writes}) == read_settings(kept)
    with pytest.raises(OptionError, match="expected at-least-once"):
        write_settings({**lower(), "eventhubs.deliveryGuarantee": "exactly-once"})


def test_a_time_is_rounded_up_to_milliseconds() -> None:
    moment = datetime(2026, 1, 31, 12, 0, 59, 999_001, tzinfo=timezone.utc)
    assert up_to_millis(moment) == datetime(2026, 1, 31, 12, 1, tzinfo=timezone.utc)
    assert up_to_millis(up_to_millis(moment)) == up_to_millis(moment)
