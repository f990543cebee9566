// Idempotent producers: repeated events are stored once, and a producer's epoch fences older links.
import assert from "node:assert/strict";
import { EventHubProducerClient } from "@azure/event-hubs";
import { inject } from "./hub.js";
import { overEach } from "./transports.js";

const patient = { maxRetries: 5, retryDelayInMs: 20, maxRetryDelayInMs: 100, timeoutInMs: 10_000 };

function producer(clients, partitionOptions, retryOptions = { maxRetries: 0 }) {
  return clients.closing(
    new EventHubProducerClient(clients.connectionString(), {
      ...clients.options,
      retryOptions,
      enableIdempotentRetries: true,
      ...(partitionOptions && { partitionOptions: { 0: partitionOptions } }),
    }),
  );
}

const bodies = async (clients, count) => (await clients.read(count)).map((event) => event.body);

overEach("a new producer gets an id, an epoch and the sequence number before the first", async (clients) => {
  const client = producer(clients);
  const before = await client.getPartitionPublishingProperties("0");
  assert.equal(before.isIdempotentPublishingEnabled, true);
  assert.ok(before.producerGroupId > 0);
  assert.equal(before.ownerLevel, 0);
  assert.equal(before.lastPublishedSequenceNumber, -1);
  await client.sendBatch([{ body: 0 }, { body: 1 }], { partitionId: "0" });
  assert.equal((await client.getPartitionPublishingProperties("0")).lastPublishedSequenceNumber, 1);
});

overEach("events whose answer was lost are stored once, although the SDK sends them again", async (clients) => {
  const client = producer(clients, undefined, patient);
  await client.sendBatch([{ body: "first" }], { partitionId: "0" });
  await inject({ action: "drop", on: "stored", hub: clients.hub, count: 1 });
  await client.sendBatch([{ body: "again" }, { body: "again 2" }], { partitionId: "0" });
  await client.sendBatch([{ body: "last" }], { partitionId: "0" });
  assert.deepEqual(await bodies(clients, 4), ["first", "again", "again 2", "last"]);
  assert.equal((await client.getPartitionProperties("0")).lastEnqueuedSequenceNumber, 3);
});

overEach("a producer with the same id and a higher owner level fences the older one", async (clients) => {
  const older = producer(clients);
  await older.sendBatch([{ body: "older" }], { partitionId: "0" });
  const { producerGroupId, ownerLevel, lastPublishedSequenceNumber } = await older.getPartitionPublishingProperties("0");
  const newer = producer(clients, {
    producerGroupId,
    ownerLevel: ownerLevel + 1,
    startingSequenceNumber: lastPublishedSequenceNumber,
  });
  await newer.sendBatch([{ body: "newer" }], { partitionId: "0" });
  await assert.rejects(older.sendBatch([{ body: "too late" }], { partitionId: "0" }), { code: "ProducerDisconnectedError" });
  await newer.sendBatch([{ body: "newest" }], { partitionId: "0" });
  assert.deepEqual(await bodies(clients, 3), ["older", "newer", "newest"]);
});
