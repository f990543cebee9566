// Rules for readers of the same partition, and the SDK's errors.
import assert from "node:assert/strict";
import { eventually, readers } from "./hub.js";
import { overEach } from "./transports.js";

const send = (clients) => clients.send([{ body: "x" }]);

/** A reader that is certainly there: it has had the one event. */
async function reading(clients, options) {
  const reader = clients.reader("0", options);
  await reader.take(1);
  return reader;
}

overEach("five readers share a partition and group; the sixth gets QuotaExceededError until one closes", async (clients) => {
  await send(clients);
  const five = await Promise.all(Array.from({ length: 5 }, () => reading(clients)));
  const error = await clients.reader().error();
  assert.equal(error.code, "QuotaExceededError");
  assert.match(error.message, /maximum number of allowed receivers per partition in a consumer group which is 5/);
  await five[0].subscription.close();
  await eventually("one reader is closed", async () => (await readers(clients.hub)).length === 4);
  await reading(clients);
});

overEach("an owner level disconnects and refuses readers without one: ReceiverDisconnectedError", async (clients) => {
  await send(clients);
  const plain = await reading(clients);
  await reading(clients, { ownerLevel: 1 });
  const error = await plain.error();
  assert.equal(error.code, "ReceiverDisconnectedError");
  assert.match(error.message, /New receiver .* with higher epoch of '1' is created/);
  assert.equal((await clients.reader().error()).code, "ReceiverDisconnectedError");
});

overEach("a higher owner level takes over; a lower one gets ReceiverDisconnectedError", async (clients) => {
  await send(clients);
  const first = await reading(clients, { ownerLevel: 1 });
  await reading(clients, { ownerLevel: 2 });
  assert.equal((await first.error()).code, "ReceiverDisconnectedError");
  const lower = await clients.reader("0", { ownerLevel: 1 }).error();
  assert.equal(lower.code, "ReceiverDisconnectedError");
  assert.match(lower.message, /with a higher epoch '2' already exists/);
});
