import assert from "node:assert/strict";
import { earliestEventPosition } from "@azure/event-hubs";
import { eventually, readers } from "./hub.js";
import { overEach } from "./transports.js";

const bodies = (events) => events.map((event) => event.body);
const letters = ["a", "b", "c", "d"];
const sendLetters = (clients) => clients.send(letters.map((body) => ({ body })));

overEach("reading starts at the earliest event", async (clients) => {
  await sendLetters(clients);
  assert.deepEqual(bodies(await clients.read(4, "0", { from: earliestEventPosition })), letters);
});

overEach("reading starts after a sequence number, or at it with isInclusive", async (clients) => {
  await sendLetters(clients);
  assert.deepEqual(bodies(await clients.read(2, "0", { from: { sequenceNumber: 1 } })), ["c", "d"]);
  assert.deepEqual(bodies(await clients.read(3, "0", { from: { sequenceNumber: 1, isInclusive: true } })), ["b", "c", "d"]);
});

overEach("reading starts after an offset, or at it with isInclusive", async (clients) => {
  await sendLetters(clients);
  const { offset } = (await clients.read(2))[1];
  assert.equal(typeof offset, "string");
  assert.deepEqual(bodies(await clients.read(2, "0", { from: { offset } })), ["c", "d"]);
  assert.deepEqual(bodies(await clients.read(3, "0", { from: { offset, isInclusive: true } })), ["b", "c", "d"]);
});

overEach("reading starts after an enqueued time", async (clients) => {
  await clients.send([{ body: "early" }]);
  const [{ enqueuedTimeUtc }] = await clients.read(1);
  await eventually("the clock has advanced", () => Date.now() > enqueuedTimeUtc.getTime() + 1);
  await clients.send([{ body: "late" }]);
  assert.deepEqual(bodies(await clients.read(1, "0", { from: { enqueuedOn: enqueuedTimeUtc } })), ["late"]);
});

overEach("a reader at the end receives later events", async (clients) => {
  const reader = clients.reader();
  await eventually("the reader is connected", async () => (await readers(clients.hub)).length === 1);
  await clients.send([{ body: "later" }]);
  assert.equal((await reader.take(1))[0].body, "later");
});

overEach("runtime metrics report the end of the partition with each event", async (clients) => {
  await sendLetters(clients);
  const reader = clients.reader("0", { trackLastEnqueuedEventProperties: true });
  await reader.take(4);
  const partition = await clients.consumer().getPartitionProperties("0");
  assert.equal(reader.lastEnqueued.sequenceNumber, 3);
  assert.equal(reader.lastEnqueued.offset, partition.lastEnqueuedOffset);
  assert.equal(reader.lastEnqueued.enqueuedOn.getTime(), partition.lastEnqueuedOnUtc.getTime());
});

overEach(
  "hub and consumer group are found in upper or lower case",
  async (clients) => {
    await sendLetters(clients);
    const upper = { hub: clients.hub.toUpperCase() };
    assert.deepEqual(bodies(await clients.read(4, "0", { connection: upper, group: "AUDIT" })), letters);
  },
  { hub: { consumerGroups: "audit" } },
);
