// The SDK's idempotent retries: an event whose answer was lost is sent again with its number, and stored once.
import assert from "node:assert/strict";
import { activeFaults, inject } from "./hub.js";
import { overEach } from "./transports.js";

const patient = { maxRetries: 5, retryDelayInMs: 20, maxRetryDelayInMs: 100, timeoutInMs: 5_000 };
const number = "com.microsoft:producer-sequence-number";

/** Sends two events to partition 0, of which the second one is stored and has no answer. */
async function sendWithLostAnswer(clients, enableIdempotentRetries) {
  const producer = clients.bufferedProducer({ enableIdempotentRetries, retryOptions: patient });
  await producer.enqueueEvent({ body: 0 }, { partitionId: "0" });
  await producer.flush();
  await inject({ action: "detach", on: "stored", condition: "amqp:link:detach-forced", hub: clients.hub, count: 1 });
  await producer.enqueueEvent({ body: 1 }, { partitionId: "0" });
  await producer.flush();
  await producer.enqueueEvent({ body: 2 }, { partitionId: "0" });
  await producer.flush();
  assert.deepEqual(producer.failures, []);
  assert.deepEqual(await activeFaults(clients.hub), []);
}

overEach("with idempotent retries an event whose answer was lost is stored once", async (clients) => {
  await sendWithLostAnswer(clients, true);
  const events = await clients.read(3);
  assert.deepEqual(events.map((event) => event.body), [0, 1, 2]);
  assert.deepEqual(events.map((event) => event.systemProperties[number]), [0, 1, 2]);
});

overEach("without them it is stored twice", async (clients) => {
  await sendWithLostAnswer(clients, false);
  assert.deepEqual((await clients.read(4)).map((event) => event.body), [0, 1, 1, 2]);
});
