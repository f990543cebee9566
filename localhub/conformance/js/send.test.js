import assert from "node:assert/strict";
import { latestEventPosition } from "@azure/event-hubs";
import { overEach } from "./transports.js";

const bodies = (events) => events.map((event) => event.body);

overEach("a batch is received in order, with sequence numbers from 0", async (clients) => {
  await clients.send([{ body: "a" }, { body: { n: 1 } }, { body: [true, null] }]);
  const events = await clients.read(3);
  assert.deepEqual(bodies(events), ["a", { n: 1 }, [true, null]]);
  assert.deepEqual(events.map((event) => event.sequenceNumber), [0, 1, 2]);
});

overEach("a batch that the SDK filled to 1 MB is accepted completely", async (clients) => {
  const producer = clients.producer();
  const batch = await producer.createBatch({ partitionId: "1" });
  assert.equal(batch.maxSizeInBytes, 1024 * 1024);
  while (batch.tryAdd({ body: Buffer.alloc(1000, batch.count % 251) }));
  await producer.sendBatch(batch);
  const { lastEnqueuedSequenceNumber } = await producer.getPartitionProperties("1");
  assert.equal(lastEnqueuedSequenceNumber, batch.count - 1);
  const [last] = await clients.read(1, "1", { from: { sequenceNumber: batch.count - 1, isInclusive: true } });
  assert.ok(last.body.equals(Buffer.alloc(1000, (batch.count - 1) % 251)));
});

overEach("an event near 1 MB is received unchanged over many frames", async (clients) => {
  const body = Buffer.from(Array.from({ length: 1_000_000 }, (_, i) => (i * 31) % 256));
  await clients.send([{ body }]);
  assert.ok((await clients.read(1))[0].body.equals(body));
});

overEach("an event over 1 MB is refused with MessageTooLargeError and not stored", async (clients) => {
  const producer = clients.producer();
  await assert.rejects(producer.sendBatch([{ body: Buffer.alloc(1024 * 1024) }], { partitionId: "0" }), {
    code: "MessageTooLargeError",
  });
  assert.equal((await producer.getPartitionProperties("0")).isEmpty, true);
});

overEach("a partition key maps to the same partition as in every SDK, and readers receive it", async (clients) => {
  await clients.send([{ body: "x" }], { partitionKey: "pk1" });
  const [event] = await clients.read(1, "1");
  assert.equal(event.partitionKey, "pk1");
});

overEach("batches without partition or key are distributed round-robin", async (clients) => {
  const producer = clients.producer();
  for (let i = 0; i < 8; i++) await producer.sendBatch([{ body: i }]);
  const partitions = await Promise.all(["0", "1", "2", "3"].map((id) => producer.getPartitionProperties(id)));
  assert.deepEqual(partitions.map((partition) => partition.lastEnqueuedSequenceNumber), [1, 1, 1, 1]);
});

overEach("10,000 events reach two readers completely and in order", async (clients) => {
  const producer = clients.producer();
  for (let from = 0; from < 10_000; from += 1000) {
    await producer.sendBatch(Array.from({ length: 1000 }, (_, i) => ({ body: from + i })), { partitionId: "0" });
  }
  const expected = Array.from({ length: 10_000 }, (_, i) => i);
  for (const events of await Promise.all([clients.read(10_000), clients.read(10_000)])) {
    assert.deepEqual(bodies(events), expected);
  }
});

overEach("a reader from latest receives only later events", async (clients) => {
  await clients.send([{ body: "before" }]);
  const reader = clients.reader("0", { from: latestEventPosition });
  // A client does not learn that its link is open, so events are sent until one arrives.
  const producer = clients.producer();
  while (reader.events.length === 0 && reader.errors.length === 0) {
    await producer.sendBatch([{ body: "after" }], { partitionId: "0" });
  }
  assert.equal((await reader.take(1))[0].body, "after");
});
