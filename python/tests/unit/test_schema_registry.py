"""The schema registry's options, and what its functions refuse before Spark is asked."""

from __future__ import annotations

from typing import Any

import pytest

from spark_eventhubs import ClientSecret, EventHubsConf, ManagedIdentity, SchemaRegistry, SecretReference
from spark_eventhubs.errors import OptionError, OptionTypeError
from spark_eventhubs.functions import from_avro_body, from_json_body, to_avro_body

NAMESPACE = "contoso.servicebus.windows.net"
NOT_ASKED: Any = None


def test_its_options_are_those_of_the_connection_and_the_group() -> None:
    registry = SchemaRegistry(NAMESPACE, ManagedIdentity(client_id="c"), group="readings")
    assert registry.to_options() == {
        "eventhubs.namespace": NAMESPACE,
        "eventhubs.auth.type": "managedIdentity",
        "eventhubs.auth.clientId": "c",
        "eventhubs.registry.group": "readings",
    }


def test_it_takes_the_connection_of_a_conf_and_nothing_of_its_reads() -> None:
    secret = SecretReference.file("/run/secrets/hub")
    conf = EventHubsConf(connection_string=secret, eventhub_name="telemetry", consumer_group="dashboards")
    assert SchemaRegistry.of(conf).to_options() == {
        "eventhubs.connectionString": "{file:/run/secrets/hub}",
        "eventhubs.name": "telemetry",
    }
    with pytest.raises(OptionTypeError, match="expected an EventHubsConf"):
        SchemaRegistry.of("contoso")  # type: ignore[arg-type]


def test_its_repr_has_no_secret() -> None:
    credential = ClientSecret(tenant_id="t", client_id="c", client_secret="s3cret")
    conf = EventHubsConf.from_credential(credential, fully_qualified_namespace=NAMESPACE, eventhub_name="telemetry")
    for registry in (SchemaRegistry(NAMESPACE, credential), SchemaRegistry.of(conf)):
        assert "s3cret" not in repr(registry)
        assert NAMESPACE in repr(registry)


@pytest.mark.parametrize("more", [{}, {"schema": '"long"', "name": "n"}])
def test_a_schema_or_a_name_gives_the_columns(more: dict[str, Any]) -> None:
    registry = SchemaRegistry(NAMESPACE, ManagedIdentity(), group="g")
    with pytest.raises(OptionError, match="either a schema or the name of one"):
        from_avro_body(NOT_ASKED, registry, **more)
    with pytest.raises(OptionError, match="either a schema or the name of one"):
        from_json_body(NOT_ASKED, registry=registry, **more)


def test_values_of_other_types_are_refused() -> None:
    registry = SchemaRegistry(NAMESPACE, ManagedIdentity())
    with pytest.raises(OptionTypeError, match="expected a SchemaRegistry"):
        from_avro_body(NOT_ASKED, NAMESPACE, name="n")  # type: ignore[arg-type]
    with pytest.raises(OptionTypeError, match="expected JSON text"):
        to_avro_body(NOT_ASKED, registry, {"type": "long"})  # type: ignore[arg-type]


def test_json_without_a_registry_takes_no_name_and_with_one_keeps_no_corrupt_text() -> None:
    registry = SchemaRegistry(NAMESPACE, ManagedIdentity())
    with pytest.raises(OptionError, match="need a registry"):
        from_json_body(NOT_ASKED, "id INT", name="n")
    with pytest.raises(OptionError, match="expected a schema"):
        from_json_body(NOT_ASKED)
    with pytest.raises(OptionError, match="keep_corrupt"):
        from_json_body(NOT_ASKED, "id INT", registry=registry, keep_corrupt=True)
