// The SDK's error classes for refusals of the hub.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { overEach } from "./transports.js";

const event = [{ body: "x" }];

/** A signature of the root policy that is good until `expiry` (seconds since 1970). */
function signature(hub, expiry) {
  const resource = encodeURIComponent(`sb://localhost/${hub}`);
  const signed = createHmac("sha256", "SAS_KEY_VALUE").update(`${resource}\n${expiry}`, "utf8").digest("base64");
  return `SharedAccessSignature sr=${resource}&sig=${encodeURIComponent(signed)}&se=${expiry}&skn=RootManageSharedAccessKey`;
}

overEach("a wrong key causes UnauthorizedError for sending, receiving and properties", async (clients) => {
  const wrong = { key: "WRONG" };
  const unauthorized = { code: "UnauthorizedError" };
  await assert.rejects(clients.producer(wrong).sendBatch(event), unauthorized);
  await assert.rejects(clients.producer(wrong).getEventHubProperties(), unauthorized);
  assert.equal((await clients.reader("0", { connection: wrong }).error()).code, "UnauthorizedError");
});

overEach("an unknown policy causes UnauthorizedError that names it", async (clients) => {
  await assert.rejects(clients.producer({ policy: "nobody" }).sendBatch(event), { code: "UnauthorizedError", message: /nobody/ });
});

overEach("an expired signature causes UnauthorizedError; a valid one is accepted", async (clients) => {
  const now = Math.floor(Date.now() / 1000);
  await assert.rejects(clients.producer({ signature: signature(clients.hub, now - 1) }).sendBatch(event), {
    code: "UnauthorizedError",
    message: /ExpiredToken/,
  });
  await clients.producer({ signature: signature(clients.hub, now + 60) }).sendBatch(event);
});

overEach("a policy without the Listen claim can send but not receive", async (clients) => {
  const sender = { policy: "sender" };
  await clients.producer(sender).sendBatch(event, { partitionId: "0" });
  const error = await clients.reader("0", { connection: sender }).error();
  assert.equal(error.code, "UnauthorizedError");
  assert.match(error.message, /'Listen' claim\(s\) are required/);
});

overEach("a policy without the Send claim can receive but not send", async (clients) => {
  const listener = { policy: "listener" };
  await clients.send(event);
  assert.equal((await clients.read(1, "0", { connection: listener }))[0].body, "x");
  await assert.rejects(clients.producer(listener).sendBatch(event), {
    code: "UnauthorizedError",
    message: /'Send' claim\(s\) are required/,
  });
});

overEach("the error names an unknown hub for sending, receiving and properties", async (clients) => {
  const unknown = { hub: "nohub" };
  const named = { message: /nohub/ };
  await assert.rejects(clients.producer(unknown).sendBatch(event), named);
  await assert.rejects(clients.producer(unknown).getEventHubProperties(), named);
  assert.match((await clients.reader("0", { connection: unknown }).error()).message, /nohub/);
});

overEach("the error names an unknown consumer group", async (clients) => {
  assert.match((await clients.reader("0", { group: "nogroup" }).error()).message, /no consumer group 'nogroup'/);
});

overEach("the error names an unknown partition and the existing ones", async (clients) => {
  const named = /between 0 and 3/;
  await assert.rejects(clients.producer().sendBatch(event, { partitionId: "9" }), { message: named });
  await assert.rejects(clients.producer().getPartitionProperties("9"), { message: named });
  assert.match((await clients.reader("9").error()).message, named);
});
