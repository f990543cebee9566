"""Azure Schema Registry: the official client and its serializers, unmodified, with events over the hub."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from azure.core.exceptions import ClientAuthenticationError, HttpResponseError, ResourceNotFoundError
from azure.eventhub import EventData
from azure.schemaregistry import SchemaFormat

from identities import with_secret
from official_schemas import AVRO_GROUP, JSON_GROUP, OfficialSchemas, written
from spark_eventhubs.local_hub import LocalAuthority

if TYPE_CHECKING:
    from collections.abc import Iterator

    from azure.eventhub.amqp import AmqpAnnotatedMessage

    from hub_clients import Clients
    from spark_eventhubs import LocalHub

FIRST: dict[str, Any] = {
    "type": "record",
    "name": "User",
    "namespace": "com.example",
    "fields": [{"name": "name", "type": "string"}],
}
SECOND = FIRST | {"fields": [*FIRST["fields"], {"name": "age", "type": ["null", "int"], "default": None}]}
JSON_USER = {"title": "com.example.JsonUser", "type": "object", "required": ["name"]}
over_tls = pytest.mark.parametrize("clients", ["TLS"], indirect=True)


@pytest.fixture(scope="module")
def authority(hub: LocalHub) -> Iterator[LocalAuthority]:
    with LocalAuthority(hub) as running:
        yield running


@pytest.fixture(scope="module")
def schemas(hub: LocalHub, authority: LocalAuthority) -> Iterator[OfficialSchemas]:
    with OfficialSchemas(hub, authority) as made:
        yield made


def test_a_schema_is_registered_and_found_by_id_version_and_content(schemas: OfficialSchemas) -> None:
    client = schemas.client
    first, second = json.dumps(FIRST), json.dumps(SECOND)
    registered = client.register_schema(AVRO_GROUP, "found", first, "Avro")
    assert (registered.group_name, registered.name, registered.version) == (AVRO_GROUP, "found", 1)
    assert registered.format is SchemaFormat.AVRO
    assert client.register_schema(AVRO_GROUP, "found", second, SchemaFormat.AVRO).version == 2
    assert client.register_schema(AVRO_GROUP, "found", first, "Avro").id == registered.id
    by_id = client.get_schema(registered.id)
    assert json.loads(by_id.definition) == FIRST
    assert by_id.definition == json.dumps(FIRST, separators=(",", ":"))
    assert by_id.properties.format is SchemaFormat.AVRO
    by_version = client.get_schema(group_name=AVRO_GROUP, name="found", version=2)
    assert json.loads(by_version.definition) == SECOND
    assert client.get_schema_properties(AVRO_GROUP, "found", first, "Avro").id == registered.id


def test_refusals_are_the_errors_of_the_sdk(schemas: OfficialSchemas, authority: LocalAuthority) -> None:
    client = schemas.client
    with pytest.raises(ResourceNotFoundError, match=f"Schema {AVRO_GROUP}/never does not exist"):
        client.get_schema_properties(AVRO_GROUP, "never", json.dumps(FIRST), "Avro")
    with pytest.raises(ResourceNotFoundError, match="does not exist"):
        client.get_schema("f" * 32)
    with pytest.raises(HttpResponseError, match="SubCode=40000") as malformed:
        client.get_schema("fakeschemaid")
    assert malformed.value.status_code == 400
    with pytest.raises(HttpResponseError, match="Invalid schema type for PUT request") as unsupported:
        client.register_schema(AVRO_GROUP, "never", json.dumps(FIRST), "invalid-format")
    assert unsupported.value.status_code == 415
    stranger = with_secret(authority, authority.register("stranger", roles=["Data Receiver"]))
    with pytest.raises(ClientAuthenticationError, match="ReadSchemas claim required"):
        schemas.connected(stranger).get_schema("f" * 32)


@over_tls
def test_events_of_the_avro_serializer_name_the_version_that_they_have(
    clients: Clients, schemas: OfficialSchemas
) -> None:
    sent: list[EventData | AmqpAnnotatedMessage] = [
        schemas.avro_event({"name": "Ada"}, FIRST),
        schemas.avro_event({"name": "Ben", "age": 7}, SECOND),
        schemas.avro_event({"name": "Eve"}, FIRST),
    ]
    clients.producer().send_batch(sent, partition_id="0")
    read = clients.read(3)
    kinds = [written(event)[0] for event in read]
    assert kinds == [str(event.content_type) for event in sent if isinstance(event, EventData)]
    ids = [kind.removeprefix("avro/binary+") for kind in kinds]
    assert [schemas.client.get_schema(each).properties.version for each in ids] == [1, 2, 1]
    assert written(read[0])[1] == b"\x06Ada"
    decoded = [schemas.avro.decode(event) for event in read]
    assert decoded == [{"name": "Ada"}, {"name": "Ben", "age": 7}, {"name": "Eve"}]


@over_tls
def test_events_of_the_json_serializer_name_their_schema(clients: Clients, schemas: OfficialSchemas) -> None:
    clients.producer().send_batch([schemas.json_event({"name": "Ada"}, JSON_USER)], partition_id="0")
    read = clients.read(1)[0]
    kind, body = written(read)
    found = schemas.client.get_schema(kind.removeprefix("application/json;serialization=Json+"))
    assert (found.properties.group_name, found.properties.name) == (JSON_GROUP, "com.example.JsonUser")
    assert json.loads(body) == {"name": "Ada"}
    assert schemas.json.decode(read) == {"name": "Ada"}
