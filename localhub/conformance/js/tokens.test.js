// $cbs: tokens are put again before they end, and links whose token has ended are closed.
import assert from "node:assert/strict";
import { activeFaults, inject, strike } from "./hub.js";
import { overEach } from "./transports.js";

// The SDK sometimes waits for an answer on the link that was closed, until its time is over.
const patient = { maxRetries: 5, retryDelayInMs: 20, maxRetryDelayInMs: 100, timeoutInMs: 10_000 };

overEach("a reader whose token has ended is UnauthorizedError", async (clients) => {
  await clients.send([{ body: "x" }]);
  const reader = clients.reader();
  await reader.take(1);
  await strike({ action: "expire-tokens", hub: clients.hub, consumerGroup: "$Default" });
  const error = await reader.error();
  assert.equal(error.code, "UnauthorizedError");
  assert.match(error.message, /ExpiredToken/);
});

overEach("a sender whose token has ended puts a new one on the same connection and goes on", async (clients) => {
  const producer = clients.producer({}, patient);
  await producer.sendBatch([{ body: 0 }], { partitionId: "0" });
  await strike({ action: "expire-tokens", hub: clients.hub });
  await producer.sendBatch([{ body: 1 }], { partitionId: "0" });
  assert.deepEqual((await clients.read(2)).map((event) => event.body), [0, 1]);
});

overEach("a token that is refused once is put again by the SDK, and its user hears nothing of it", async (clients) => {
  await inject({ action: "refuse-token", hub: clients.hub, count: 1 });
  await clients.producer({}, patient).sendBatch([{ body: 1 }], { partitionId: "0" });
  assert.equal((await clients.read(1, "0", { retryOptions: patient }))[0].body, 1);
  assert.deepEqual(await activeFaults(clients.hub), []);
});
