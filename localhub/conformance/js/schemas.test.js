// Azure Schema Registry: the official client and its serializers, with events over the hub.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { createEventDataAdapter } from "@azure/event-hubs";
import { SchemaRegistryClient } from "@azure/schema-registry";
import { AvroSerializer } from "@azure/schema-registry-avro";
import { JsonSchemaSerializer } from "@azure/schema-registry-json";
import { authority, schemaGroup, tlsPort } from "./hub.js";
import { overEach } from "./transports.js";

const user = {
  type: "record",
  name: "User",
  namespace: "com.example.js",
  fields: [{ name: "name", type: "string" }],
};
const older = { ...user, fields: [...user.fields, { name: "age", type: "int" }] };
const jsonUser = { $id: "com.example.js.JsonUser", type: "object", properties: { name: { type: "string" } } };
const messageAdapter = createEventDataAdapter();
const encrypted = { only: ["TLS"] };
let client;

before(async () => {
  await schemaGroup("js-avro", "avro");
  await schemaGroup("js-json", "json");
  client = registry(await authority.token("js-schemas", [{ role: "Schema Registry Contributor" }]));
});

const registry = (token) =>
  new SchemaRegistryClient(`https://localhost:${tlsPort}`, {
    getToken: async () => ({ token, expiresOnTimestamp: Date.now() + 3_600_000 }),
  });

const avro = (schema, name = "com.example.js.User") => ({
  groupName: "js-avro",
  name,
  format: "Avro",
  definition: JSON.stringify(schema, null, 2),
});

test("a schema is registered and found by id, version and content", async () => {
  const registered = await client.registerSchema(avro(user, "found"));
  assert.deepEqual([registered.groupName, registered.name, registered.version], ["js-avro", "found", 1]);
  assert.equal((await client.registerSchema(avro(older, "found"))).version, 2);
  assert.equal((await client.registerSchema(avro(user, "found"))).id, registered.id);
  const byId = await client.getSchema(registered.id);
  assert.equal(byId.definition, JSON.stringify(user));
  assert.equal(byId.properties.format, "Avro");
  const byVersion = await client.getSchema("found", "js-avro", 2);
  assert.deepEqual(JSON.parse(byVersion.definition), older);
  assert.equal((await client.getSchemaProperties(avro(user, "found"))).id, registered.id);
});

test("refusals have status code and text", async () => {
  await assert.rejects(client.getSchema("f".repeat(32)), { statusCode: 404, message: /does not exist/ });
  await assert.rejects(client.getSchemaProperties(avro(user, "never")), { statusCode: 404, code: "ItemNotFound" });
  await assert.rejects(client.registerSchema({ ...avro(user), format: "not-valid" }), /not-valid/);
  const stranger = registry(await authority.token("js-stranger", [{ role: "Data Receiver" }]));
  await assert.rejects(stranger.getSchema("f".repeat(32)), { statusCode: 401, message: /ReadSchemas claim/ });
});

overEach(
  "events of the Avro serializer name the version that they have",
  async (clients) => {
    await client.registerSchema(avro(older));
    await client.registerSchema(avro(user));
    const serializer = new AvroSerializer(client, { groupName: "js-avro", messageAdapter });
    const sent = [
      await serializer.serialize({ name: "Ada" }, JSON.stringify(user)),
      await serializer.serialize({ name: "Ben", age: 7 }, JSON.stringify(older)),
    ];
    await clients.send(sent);
    const read = await clients.read(2);
    assert.deepEqual(read.map((event) => event.contentType), sent.map((event) => event.contentType));
    const versions = read.map(async ({ contentType }) => {
      const [, id] = contentType.match(/^avro\/binary\+([0-9a-f]{32})$/);
      return (await client.getSchema(id)).properties.version;
    });
    assert.deepEqual(await Promise.all(versions), [2, 1]);
    const values = await Promise.all(read.map((event) => serializer.deserialize(event)));
    assert.deepEqual(values.map((value) => ({ ...value })), [{ name: "Ada" }, { name: "Ben", age: 7 }]);
  },
  encrypted,
);

overEach(
  "events of the JSON serializer name their schema",
  async (clients) => {
    const definition = JSON.stringify(jsonUser);
    await client.registerSchema({ groupName: "js-json", name: jsonUser.$id, format: "Json", definition });
    const serializer = new JsonSchemaSerializer(client, { groupName: "js-json", messageAdapter });
    await clients.send([await serializer.serialize({ name: "Ada" }, definition)]);
    const [read] = await clients.read(1, "0", { skipParsingBodyAsJson: true });
    // The one for Python writes `application/json;serialization=Json+<id>`.
    const [, id] = read.contentType.match(/^application\/json\+([0-9a-f]{32})$/);
    assert.equal((await client.getSchema(id)).properties.name, jsonUser.$id);
    assert.deepEqual(await serializer.deserialize(read), { name: "Ada" });
  },
  encrypted,
);
