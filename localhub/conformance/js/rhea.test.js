// rhea, the library below the official SDK, on its own: its selectors have another key than those of the SDK.
import assert from "node:assert/strict";
import { once } from "node:events";
import rhea from "rhea";
import WebSocket from "ws";
import { overEach } from "./transports.js";

const ROOT = "RootManageSharedAccessKey";

/** A connection that signs in with a policy's name and key, as with the service. */
function connect(clients, test, policy = ROOT) {
  const [host, port] = clients.host.split(":");
  const container = rhea.create_container();
  // Refusals are looked at by the tests that expect them.
  container.on("error", () => {});
  const options = { host, port, username: policy, password: "SAS_KEY_VALUE", reconnect: false };
  if (clients.transport === "TLS") Object.assign(options, { transport: "tls", servername: host });
  if (clients.transport === "WebSockets") {
    const dial = container.websocket_connect(WebSocket);
    options.connection_details = dial(`wss://${clients.host}/$servicebus/websocket`, ["AMQPWSB10"], {});
  }
  const connection = container.connect(options);
  test.after(() => connection.close());
  return connection;
}

async function send(connection, hub, bodies) {
  const sender = connection.open_sender(`${hub}/Partitions/0`);
  await once(sender, "sendable");
  for (const body of bodies) {
    sender.send({ body: rhea.message.data_section(Buffer.from(body)) });
    await once(sender, "accepted");
  }
}

const reader = (connection, hub, filter) =>
  connection.open_receiver({ source: { address: `${hub}/ConsumerGroups/$Default/Partitions/0`, filter } });

const selector = (comparison) => rhea.filter.selector(`amqp.annotation.${comparison}`);

async function first(receiver) {
  const [{ message }] = await once(receiver, "message");
  return { body: message.body.content.toString(), annotations: message.message_annotations };
}

async function refusal(receiver) {
  const [{ receiver: refused }] = await once(receiver, "receiver_error");
  return refused.error;
}

overEach("rhea sends, and reads from the position of its selector", async (clients, test) => {
  const connection = connect(clients, test);
  await send(connection, clients.hub, ["a", "b", "c"]);
  const second = await first(reader(connection, clients.hub, selector("x-opt-sequence-number > '0'")));
  assert.equal(second.body, "b");
  const after = selector(`x-opt-offset > '${second.annotations["x-opt-offset"]}'`);
  assert.equal((await first(reader(connection, clients.hub, after))).body, "c");
  const sameTime = selector(`x-opt-enqueuedtimeutc >= ${second.annotations["x-opt-enqueued-time"].getTime()}`);
  assert.notEqual((await first(reader(connection, clients.hub, sameTime))).body, "c");
});

overEach("rhea gets the service's refusals of a filter, a claim and a partition", async (clients, test) => {
  const connection = connect(clients, test);
  const wrong = await refusal(reader(connection, clients.hub, selector("color > '1'")));
  assert.equal(wrong.condition, "com.microsoft:argument-error");
  assert.match(wrong.description, /^The filter 'amqp\.annotation\.color > '1'' is not a valid amqp filter for EventHub/);
  const foreign = { other: rhea.types.wrap_described("x", "example.com:filter:string") };
  assert.equal((await refusal(reader(connection, clients.hub, foreign))).condition, "amqp:not-allowed");
  const sender = connection.open_sender(`${clients.hub}/Partitions/9`);
  await once(sender, "sender_error");
  assert.equal(sender.error.condition, "com.microsoft:argument-out-of-range");
  const unauthorized = await refusal(reader(connect(clients, test, "sender"), clients.hub));
  assert.equal(unauthorized.condition, "amqp:unauthorized-access");
});
