// The SDK under injected faults: it retries, or its user gets the right error.
import assert from "node:assert/strict";
import { activeFaults, inject, injectNow } from "./hub.js";
import { overEach } from "./transports.js";

const patient = { maxRetries: 5, retryDelayInMs: 20, maxRetryDelayInMs: 100, timeoutInMs: 30_000 };
const event = [{ body: "x" }];
const toZero = { partitionId: "0" };

overEach("a throttled send is ServerBusyError and retryable", async (clients) => {
  await inject({ action: "throttle", hub: clients.hub, count: 1 });
  await assert.rejects(clients.producer().sendBatch(event, toZero), { code: "ServerBusyError", retryable: true });
});

overEach("the SDK retries a throttled send, and the event is stored once", async (clients) => {
  await inject({ action: "throttle", hub: clients.hub, count: 2 });
  const producer = clients.producer({}, patient);
  await producer.sendBatch(event, toZero);
  assert.equal((await producer.getPartitionProperties("0")).lastEnqueuedSequenceNumber, 0);
  assert.deepEqual(await activeFaults(clients.hub), []);
});

overEach("a reader continues after its connection was dropped, without gaps or duplicates", async (clients) => {
  const producer = clients.producer({}, patient);
  await producer.sendBatch([{ body: 0 }, { body: 1 }], toZero);
  const reader = clients.reader("0", { retryOptions: patient });
  await reader.take(2);
  await injectNow({ action: "drop", hub: clients.hub, consumerGroup: "$Default" });
  await producer.sendBatch([{ body: 2 }, { body: 3 }], toZero);
  assert.deepEqual((await reader.take(2)).map((next) => next.body), [2, 3]);
});

overEach("a sender continues after its connection was dropped before the event was stored", async (clients) => {
  // The SDK waits for an answer on the dropped connection until its time-out. With this short time-out it may send an
  // event twice, so a client with the default time-out sends the first one.
  await clients.send(event);
  const producer = clients.producer({}, { ...patient, timeoutInMs: 3_000 });
  await producer.getPartitionProperties("0");
  await inject({ action: "drop", on: "send", hub: clients.hub, count: 1 });
  await producer.sendBatch([{ body: "again" }], toZero);
  const events = await clients.read(2);
  assert.deepEqual(events.map((each) => each.body), ["x", "again"]);
  assert.deepEqual(await activeFaults(clients.hub), []);
});

overEach("the SDK reopens a link that was detached with server-busy", async (clients) => {
  await clients.send(event);
  const reader = clients.reader("0", { retryOptions: patient });
  await reader.take(1);
  await injectNow({ action: "detach", condition: "com.microsoft:server-busy", hub: clients.hub, consumerGroup: "$Default" });
  await clients.send([{ body: "later" }]);
  assert.equal((await reader.take(1))[0].body, "later");
});

overEach("readers of a recreated hub get an error that the old one was deleted", async (clients) => {
  await clients.send(event);
  const reader = clients.reader();
  await reader.take(1);
  await fetch(`${process.env.LOCALHUB_HTTP_URL}/hubs/${clients.hub}/recreate`, { method: "POST" });
  const error = await reader.error();
  assert.match(error.message, /was deleted/);
  await clients.send([{ body: "new" }]);
  assert.equal((await clients.read(1))[0].body, "new");
});
