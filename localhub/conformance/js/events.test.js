// AMQP 1.0 part 3 (message format): a consumer reads what a producer wrote, with the same types.
import assert from "node:assert/strict";
import rhea from "rhea";
import { overEach } from "./transports.js";

const { types } = rhea;

/** A date and bytes inside a map come as other classes than they went. */
const plain = (value) => (value instanceof Date ? value.getTime() : value?.["1"] === 255 ? Buffer.from(Object.values(value)) : value);

overEach("3.2.5 application properties of every AMQP type arrive with type and value", async (clients) => {
  const properties = {
    string: "Grüße 😀",
    boolean: true,
    no: null,
    ubyte: types.wrap_ubyte(255),
    ushort: types.wrap_ushort(65_535),
    uint: types.wrap_uint(4_294_967_295),
    ulong: types.wrap_ulong(9_007_199_254_740_991),
    byte: types.wrap_byte(-128),
    short: types.wrap_short(-32_768),
    int: types.wrap_int(-2_147_483_648),
    long: types.wrap_long(-9_007_199_254_740_991),
    float: types.wrap_float(1.5),
    double: types.wrap_double(-0.1),
    timestamp: types.wrap_timestamp(1_234_567_890_123),
    binary: types.wrap_binary(Buffer.from([0, 255])),
    symbol: types.wrap_symbol("sym"),
  };
  await clients.send([{ body: "x", properties }]);
  const received = (await clients.read(1))[0].properties;
  assert.deepEqual(Object.keys(received).sort(), Object.keys(properties).sort());
  for (const [name, sent] of Object.entries(properties)) {
    const expected = sent !== null && typeof sent === "object" ? sent.value : sent;
    const actual = plain(received[name]);
    assert.deepEqual(actual, expected, name);
  }
});

overEach("3.2.4 message properties arrive with the types of their ids", async (clients) => {
  await clients.send([{ body: "x", messageId: "m-1", correlationId: 42, contentType: "application/json" }]);
  const [event] = await clients.read(1);
  assert.equal(event.messageId, "m-1");
  assert.equal(event.correlationId, 42);
  assert.equal(event.contentType, "application/json");
});

overEach("3.2.4 all further properties of an annotated message arrive", async (clients) => {
  const properties = {
    to: "there",
    subject: "s",
    replyTo: "back",
    contentEncoding: "utf-8",
    groupId: "g",
    groupSequence: 7,
    replyToGroupId: "rg",
  };
  await clients.send([{ body: "x", bodyType: "data", properties }]);
  const received = (await clients.read(1))[0].getRawAmqpMessage().properties;
  for (const [name, value] of Object.entries(properties)) assert.deepEqual(received[name], value, name);
});

overEach("3.2.6 to 3.2.8 a body of data, sequence and value sections keeps its section and content", async (clients) => {
  await clients.send([
    { bodyType: "data", body: Buffer.from([1, 2, 3]) },
    { bodyType: "sequence", body: [1, "two", null] },
    { bodyType: "value", body: "a value" },
    { bodyType: "value", body: { map: 1 } },
    { bodyType: "value", body: null },
  ]);
  const events = await clients.read(5, "0", { skipParsingBodyAsJson: true });
  assert.deepEqual(events.map((event) => event.getRawAmqpMessage().bodyType), ["data", "sequence", "value", "value", "value"]);
  assert.deepEqual(events.map((event) => event.body), [Buffer.from([1, 2, 3]), [1, "two", null], "a value", { map: 1 }, null]);
});

overEach("3.2.3 a producer's annotations are kept, and the broker sets its own", async (clients) => {
  const messageAnnotations = { "x-custom": "mine", "x-opt-sequence-number": 99, "x-opt-offset": "77" };
  await clients.send([{ body: "x", bodyType: "data", messageAnnotations }]);
  const [event] = await clients.read(1);
  assert.equal(event.systemProperties["x-custom"], "mine");
  assert.equal(event.sequenceNumber, 0);
  assert.equal(event.offset, "0");
});

