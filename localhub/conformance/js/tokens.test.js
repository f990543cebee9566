// $cbs: tokens are renewed before they expire, and links with an expired token are closed.
import assert from "node:assert/strict";
import { activeFaults, inject, injectNow } from "./hub.js";
import { overEach } from "./transports.js";

// The SDK sometimes waits for an answer on a closed link until its time-out.
const patient = { maxRetries: 5, retryDelayInMs: 20, maxRetryDelayInMs: 100, timeoutInMs: 10_000 };

overEach("a reader whose token has expired is detached, with the claims that it needs", async (clients) => {
  await clients.send([{ body: "x" }]);
  const reader = clients.reader();
  await reader.take(1);
  await injectNow({ action: "expire-tokens", hub: clients.hub, consumerGroup: "$Default" });
  const error = await reader.error();
  assert.equal(error.code, "DetachForcedError");
  assert.match(error.message, /'Listen' claim\(s\) are required/);
});

overEach("a sender with an expired token puts a new one on the same connection and continues", async (clients) => {
  const producer = clients.producer({}, patient);
  await producer.sendBatch([{ body: 0 }], { partitionId: "0" });
  await injectNow({ action: "expire-tokens", hub: clients.hub });
  await producer.sendBatch([{ body: 1 }], { partitionId: "0" });
  assert.deepEqual((await clients.read(2)).map((event) => event.body), [0, 1]);
});

overEach("the SDK puts a token again that was refused once, without an error for its user", async (clients) => {
  await inject({ action: "refuse-token", hub: clients.hub, count: 1 });
  await clients.producer({}, patient).sendBatch([{ body: 1 }], { partitionId: "0" });
  assert.equal((await clients.read(1, "0", { retryOptions: patient }))[0].body, 1);
  assert.deepEqual(await activeFaults(clients.hub), []);
});
