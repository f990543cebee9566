from __future__ import annotations

import json
import pickle
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from spark_eventhubs import (
    OPTIONS,
    ClientSecret,
    ConnectionString,
    EventHubsConf,
    EventPosition,
    ManagedIdentity,
    NameAndPartition,
    OptionSpec,
)
from spark_eventhubs.errors import OptionTypeError

if TYPE_CHECKING:
    from spark_eventhubs._conf.option_values import OptionValue

NAMESPACE = "Endpoint=sb://ns.example.net/;SharedAccessKeyName=reader;SharedAccessKey=s3cr3t"
HUB = f"{NAMESPACE};EntityPath=telemetry"


def conf() -> EventHubsConf:
    return EventHubsConf.from_connection_string(HUB)


def changed(key: str, value: OptionValue) -> EventHubsConf:
    return EventHubsConf.from_options({**conf(), key: value})


def test_a_connection_string_with_a_hub_is_enough() -> None:
    assert conf().to_options() == {"eventhubs.connectionString": HUB}
    assert conf().eventhub_name == "telemetry"


def test_name_chooses_the_hub_of_a_string_without_one() -> None:
    named = EventHubsConf.from_connection_string(NAMESPACE, eventhub_name="telemetry")

    assert named.to_options()["eventhubs.name"] == "telemetry"
    assert named.eventhub_name == "telemetry"


def test_a_connection_string_without_a_hub_is_rejected() -> None:
    with pytest.raises(ValueError, match=r"names no hub; add ';EntityPath=<hub>' to it, or set eventhub_name="):
        EventHubsConf.from_connection_string(NAMESPACE)


def test_two_different_hub_names_are_rejected() -> None:
    with pytest.raises(ValueError, match="names the hub 'telemetry', but eventhub_name is 'alerts'"):
        EventHubsConf.from_connection_string(HUB, eventhub_name="alerts")


def test_a_credential_needs_a_namespace_and_a_name() -> None:
    identity = EventHubsConf.from_credential(
        ManagedIdentity(), fully_qualified_namespace="ns.example.net", eventhub_name="telemetry"
    )

    assert identity.to_options() == {
        "eventhubs.namespace": "ns.example.net",
        "eventhubs.name": "telemetry",
        "eventhubs.auth.type": "managedIdentity",
    }
    with pytest.raises(ValueError, match="fully_qualified_namespace is 'ns'; expected a host such as"):
        EventHubsConf.from_credential(ManagedIdentity(), fully_qualified_namespace="ns", eventhub_name="telemetry")


def test_a_connection_string_of_another_namespace_is_rejected() -> None:
    credential = ConnectionString(NAMESPACE)

    same = EventHubsConf.from_credential(
        credential, fully_qualified_namespace="NS.example.net", eventhub_name="telemetry"
    )
    assert same == EventHubsConf.from_connection_string(NAMESPACE, eventhub_name="telemetry")
    with pytest.raises(
        ValueError,
        match=r"is for 'ns\.example\.net', but fully_qualified_namespace is 'other\.example\.net'",
    ):
        EventHubsConf.from_credential(
            credential, fully_qualified_namespace="other.example.net", eventhub_name="telemetry"
        )


def test_replace_sets_options() -> None:
    full = conf().replace(
        consumer_group="dashboards",
        max_events_per_trigger=100_000,
        fail_on_data_loss=False,
        partitions=[0, 2],
        min_partitions=8,
        receiver_timeout=timedelta(seconds=90),
        operation_timeout=timedelta(milliseconds=2500),
        transport="amqpWebSockets",
        partition_id=1,
        partition_key="blue",
    )

    assert full.to_options() == {
        "eventhubs.connectionString": HUB,
        "eventhubs.consumerGroup": "dashboards",
        "eventhubs.maxEventsPerTrigger": "100000",
        "eventhubs.failOnDataLoss": "false",
        "eventhubs.partitions": "0,2",
        "eventhubs.minPartitions": "8",
        "eventhubs.receiverTimeout": "PT90S",
        "eventhubs.operationTimeout": "PT2.500S",
        "eventhubs.transport": "amqpWebSockets",
        "eventhubs.partitionId": "1",
        "eventhubs.partitionKey": "blue",
    }


def test_max_partitions_is_an_option() -> None:
    assert conf().replace(max_partitions=16).to_options()["eventhubs.maxPartitions"] == "16"


def test_positions_have_the_json_form_of_the_legacy_connector() -> None:
    earliest, latest = EventPosition.earliest(), EventPosition.latest()
    options = (
        conf()
        .replace(
            starting_position=earliest,
            ending_position=latest,
            starting_positions={0: earliest, 2: EventPosition.sequence_number(100)},
            ending_positions={NameAndPartition(name="telemetry", partition_id=1): latest},
        )
        .to_options()
    )

    assert json.loads(options["eventhubs.startingPosition"]) == earliest.to_dict()
    assert json.loads(options["eventhubs.endingPosition"]) == latest.to_dict()
    assert json.loads(options["eventhubs.startingPositions"]) == {
        '{"ehName": "telemetry", "partitionId": 0}': earliest.to_dict(),
        '{"ehName": "telemetry", "partitionId": 2}': EventPosition.sequence_number(100).to_dict(),
    }
    assert json.loads(options["eventhubs.endingPositions"]) == {
        '{"ehName": "telemetry", "partitionId": 1}': latest.to_dict(),
    }


def test_positions_of_another_hub_and_empty_positions_are_rejected() -> None:
    elsewhere = NameAndPartition(name="alerts", partition_id=0)

    with pytest.raises(ValueError, match="for the hub 'alerts', but this conf is for 'telemetry'"):
        conf().replace(starting_positions={elsewhere: EventPosition.latest()})
    with pytest.raises(ValueError, match="the positions are empty"):
        conf().replace(starting_positions={})


def test_replace_returns_a_new_conf_and_the_last_value_wins() -> None:
    first = conf().replace(consumer_group="a")
    second = first.replace(consumer_group="b")

    assert first.to_options()["eventhubs.consumerGroup"] == "a"
    assert second.to_options()["eventhubs.consumerGroup"] == "b"
    with pytest.raises(AttributeError, match=r"a conf never changes; use the new conf that replace\(consumer_group="):
        first.consumer_group = "c"


def test_a_conf_can_be_pickled_compared_and_hashed() -> None:
    assert pickle.loads(pickle.dumps(conf())) == conf()  # noqa: S301 - our own bytes
    assert len({conf(), conf(), conf().replace(consumer_group="a")}) == 2


def test_the_repr_of_a_conf_shows_no_secret() -> None:
    secret = ClientSecret(tenant_id="t", client_id="c", client_secret="s3cr3t")
    signed_in = EventHubsConf.from_credential(
        secret, fully_qualified_namespace="ns.example.net", eventhub_name="telemetry"
    )

    assert "s3cr3t" not in repr(conf())
    assert "s3cr3t" not in repr(signed_in)
    assert "eventhubs.auth.clientSecret=***" in repr(signed_in)


KEYLESS = "Endpoint=sb://ns.example.net/;EntityPath=telemetry"
ENCRYPTED = "bm8gcmVhbCBjaXBoZXIgdGV4dCwgYnV0IG9mIGl0cyBmb3Jt"


def test_the_hub_of_a_connection_string_without_a_key_is_known() -> None:
    keyless = EventHubsConf.from_options(
        {"eventhubs.connectionString": KEYLESS, "eventhubs.auth.type": "managedIdentity"}
    )
    positioned = keyless.replace(starting_positions={0: EventPosition.latest()}).to_options()

    assert keyless.eventhub_name == "telemetry"
    assert repr(keyless).startswith("EventHubsConf(eventhub_name=telemetry, eventhubs.connectionString=***")
    assert '{"ehName": "telemetry", "partitionId": 0}' in json.loads(positioned["eventhubs.startingPositions"])


def test_an_encrypted_connection_string_has_no_known_hub_and_accepts_positions_by_partition_id() -> None:
    latest = EventPosition.latest()
    encrypted = EventHubsConf.from_options({"eventhubs.connectionString": ENCRYPTED})
    named = NameAndPartition(name="telemetry", partition_id=1)
    positioned = encrypted.replace(starting_positions={0: latest}, ending_positions={named: latest}).to_options()

    assert encrypted.eventhub_name is None
    assert ENCRYPTED not in repr(encrypted)
    assert json.loads(positioned["eventhubs.startingPositions"]) == {"0": latest.to_dict()}
    assert json.loads(positioned["eventhubs.endingPositions"]) == {named.to_json(): latest.to_dict()}
    with pytest.raises(ValueError, match=r"partition id -1 of .* is negative; ids start at 0"):
        encrypted.replace(starting_positions={-1: latest})


def test_every_option_can_be_set_by_its_key_or_alias_in_any_case() -> None:
    assert changed("eventhubs.PREFETCHCOUNT", 10).to_options()["eventhubs.prefetchCount"] == "10"
    assert changed("maxEventsPerTrigger", 5).to_options()["eventhubs.maxEventsPerTrigger"] == "5"


def test_the_error_for_an_invalid_secret_does_not_show_it() -> None:
    with pytest.raises(ValueError, match=r"'eventhubs\.auth\.sasToken' is '   '; expected some text"):
        changed("eventhubs.auth.sasToken", "   ")
    with pytest.raises(ValueError, match="expected") as refused:
        changed("eventhubs.auth.sasToken", ["s3cr3t"])
    assert "s3cr3t" not in str(refused.value)


def test_from_options_takes_the_options_of_an_existing_job() -> None:
    legacy = EventHubsConf.from_options({"eventhubs.connectionString": HUB, "maxEventsPerTrigger": 100})

    assert legacy == conf().replace(max_events_per_trigger=100)


def test_from_options_keeps_the_options_of_a_legacy_job_and_of_spark() -> None:
    legacy = EventHubsConf.from_options(
        {
            "eventhubs.connectionString": HUB,
            "eventhubs.THREADPOOLSIZE": 16,
            "eventhubs.useAadAuth": True,
            "checkpointLocation": "checkpoints/alerts",
            "eventhubs.partitionKey": None,
        }
    )

    assert legacy.to_options() == {
        "eventhubs.connectionString": HUB,
        "eventhubs.THREADPOOLSIZE": "16",
        "eventhubs.useAadAuth": "true",
        "checkpointLocation": "checkpoints/alerts",
    }


def test_unknown_options_are_kept_with_ignore_unknown_options() -> None:
    options = {"eventhubs.connectionStrng": HUB, "eventhubs.IgnoreUnknownOptions": "True"}
    lenient = EventHubsConf.from_options(options)

    assert lenient.to_options()["eventhubs.connectionStrng"] == HUB
    assert "s3cr3t" not in repr(lenient)
    with pytest.raises(ValueError, match=r"did you mean 'eventhubs\.connectionString'\?"):
        EventHubsConf.from_options(options | {"eventhubs.IgnoreUnknownOptions": False})


@pytest.mark.parametrize("spec", [spec for spec in OPTIONS if spec.default is not None], ids=lambda spec: spec.key)
def test_every_default_is_valid_for_its_option(spec: OptionSpec) -> None:
    assert spec.default is not None

    assert changed(spec.key, spec.default).to_options()[spec.key] == spec.default


def test_every_option_key_and_alias_is_unique() -> None:
    names = [name.lower() for spec in OPTIONS for name in (spec.key, *spec.aliases)]

    assert len(names) == len(set(names))


def test_a_position_s_function_that_is_not_called_is_refused() -> None:
    with pytest.raises(OptionTypeError, match=r"call it, as in EventPosition\.earliest\(\)"):
        conf().replace(starting_position=EventPosition.earliest)  # type: ignore[arg-type]


def test_replace_checks_names_before_positions_in_any_order() -> None:
    named = EventHubsConf.of_namespace(NAMESPACE).replace(starting_positions={0: 5}, eventhub_name="telemetry")

    assert '{"ehName": "telemetry", "partitionId": 0}' in json.loads(named["eventhubs.startingPositions"])
