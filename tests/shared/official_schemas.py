"""Azure's own clients and serializers of the schema registry, on a local hub."""

from __future__ import annotations

import json
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Final

from azure.eventhub import EventData
from azure.schemaregistry import SchemaRegistryClient
from azure.schemaregistry.encoder.avroencoder import AvroEncoder
from azure.schemaregistry.encoder.jsonencoder import JsonSchemaEncoder

from identities import with_secret

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import Self

    from spark_eventhubs import LocalHub
    from spark_eventhubs.local_hub import LocalAuthority

AVRO_GROUP: Final = "official-avro"
JSON_GROUP: Final = "official-json"


class OfficialSchemas:
    """A signed-in client, which may register schemas, and one serializer for each format. Its groups exist.

    Args:
        hub: has a port with TLS, which the clients need.
        authority: of this hub.
    """

    def __init__(self, hub: LocalHub, authority: LocalAuthority) -> None:
        hub.create_schema_group(AVRO_GROUP, "avro")
        hub.create_schema_group(JSON_GROUP, "json")
        self._open = ExitStack()
        self._trusted = authority.ca_file
        application = authority.register("schemas", roles=["Schema Registry Contributor"])
        self.credential = with_secret(authority, application)
        self.namespace = f"localhost:{hub.tls_port}"
        self.client: SchemaRegistryClient = self.connected(self.credential)
        self.avro = AvroEncoder(client=self.client, group_name=AVRO_GROUP, auto_register=True)
        self.json = JsonSchemaEncoder(client=self.client, group_name=JSON_GROUP, validate=_is_valid)

    def connected(self, credential: Any) -> SchemaRegistryClient:  # noqa: ANN401 - any credential
        """A further client."""
        client = SchemaRegistryClient(
            self.namespace, credential, connection_verify=str(self._trusted), retry_total=0, logging_enable=False
        )
        return self._open.enter_context(client)

    def avro_event(self, value: Mapping[str, Any], schema: Mapping[str, Any]) -> EventData:
        """An event of the official serializer, which registers the schema by its full name."""
        made: EventData = self.avro.encode(value, schema=json.dumps(schema), message_type=EventData)
        return made

    def json_event(self, value: Mapping[str, Any], schema: Mapping[str, Any]) -> EventData:
        """An event of the official serializer. It looks schemas up by their `title`, so this registers it."""
        text = json.dumps(schema)
        self.client.register_schema(JSON_GROUP, str(schema["title"]), text, "Json")
        made: EventData = self.json.encode(value, schema=text, message_type=EventData)
        return made

    def close(self) -> None:
        """Closes the clients."""
        self._open.close()

    def __enter__(self) -> Self:
        """Returns these clients."""
        return self

    def __exit__(self, *_: object) -> None:
        """Closes the clients."""
        self.close()


def _is_valid(schema: Mapping[str, Any], content: Mapping[str, Any]) -> None:
    missing = set(schema.get("required", ())) - set(content)
    if missing:
        raise ValueError(f"{sorted(missing)} are required")


def written(event: EventData) -> tuple[str, bytes]:
    """Content type and body of an event, as a reader of the hub has them."""
    parts: Any = event.body
    return str(event.content_type), b"".join(parts)
