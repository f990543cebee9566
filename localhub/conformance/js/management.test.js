import assert from "node:assert/strict";
import { overEach } from "./transports.js";

overEach("hub properties have the name, the creation time and the partitions", async (clients) => {
  const properties = await clients.producer().getEventHubProperties();
  assert.equal(properties.name, clients.hub);
  assert.deepEqual(properties.partitionIds, ["0", "1", "2", "3"]);
  assert.ok(Math.abs(Date.now() - properties.createdOn.getTime()) < 60_000);
});

overEach("a partition without events is empty, and one with events reports its last event", async (clients) => {
  const empty = await clients.consumer().getPartitionProperties("2");
  assert.deepEqual([empty.isEmpty, empty.beginningSequenceNumber, empty.lastEnqueuedSequenceNumber], [true, 0, -1]);
  await clients.send([{ body: "a" }, { body: "b" }], { partitionId: "2" });
  const [, last] = await clients.read(2, "2");
  const full = await clients.consumer().getPartitionProperties("2");
  assert.deepEqual([full.isEmpty, full.beginningSequenceNumber, full.lastEnqueuedSequenceNumber], [false, 0, 1]);
  assert.equal(full.lastEnqueuedOffset, last.offset);
  assert.equal(full.lastEnqueuedOnUtc.getTime(), last.enqueuedTimeUtc.getTime());
});

overEach(
  "a hub of 64 partitions is read over 64 links of one connection",
  async (clients) => {
    const producer = clients.producer();
    const ids = await producer.getPartitionIds();
    assert.equal(ids.length, 64);
    for (const id of ids) await producer.sendBatch([{ body: id }], { partitionId: id });
    const seen = new Set();
    const client = clients.consumer();
    await new Promise((resolve, reject) => {
      for (const id of ids) {
        client.subscribe(
          id,
          {
            processEvents: async (events) => {
              events.forEach((event) => seen.add(event.body));
              if (seen.size === 64) resolve();
            },
            processError: async (error) => reject(error),
          },
          { startPosition: { sequenceNumber: -1 }, maxWaitTimeInSeconds: 1 },
        );
      }
    });
    assert.deepEqual([...seen].sort(), [...ids].sort());
  },
  { hub: { partitions: 64 } },
);
