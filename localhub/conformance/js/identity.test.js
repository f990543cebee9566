// Bearer tokens of an authority: roles, and what the hub refuses.
import assert from "node:assert/strict";
import { EventHubProducerClient } from "@azure/event-hubs";
import { authority } from "./hub.js";
import { overEach } from "./transports.js";

const event = [{ body: "x" }];
const encrypted = { only: ["TLS", "WebSockets"] };

let applications = 0;

async function bearer(roles, facts = {}) {
  applications += 1;
  const token = await authority.token(`js-${applications}`, roles, facts);
  return { getToken: async () => ({ token, expiresOnTimestamp: Date.now() + 3_600_000 }) };
}

const producer = (clients, credential) =>
  clients.closing(
    new EventHubProducerClient(clients.host, clients.hub, credential, {
      ...clients.options,
      retryOptions: { maxRetries: 0 },
    }),
  );

overEach(
  "an application with a role sends, and asks for properties",
  async (clients) => {
    const sender = producer(clients, await bearer([{ role: "Data Sender", hub: clients.hub }]));
    await sender.sendBatch(event, { partitionId: "0" });
    assert.equal((await clients.read(1))[0].body, "x");
    assert.equal((await sender.getEventHubProperties()).name, clients.hub);
  },
  encrypted,
);

overEach(
  "an application without the role is refused with the claim that it needs",
  async (clients) => {
    const receiver = producer(clients, await bearer([{ role: "Data Receiver", hub: clients.hub }]));
    await assert.rejects(receiver.sendBatch(event), { code: "UnauthorizedError", message: /'Send' claim\(s\)/ });
  },
  encrypted,
);

overEach(
  "a token of another audience, another issuer, or an earlier time is refused",
  async (clients) => {
    for (const [facts, message] of [
      [{ audience: "https://storage.azure.com" }, /InvalidAudience/],
      [{ issuer: "https://sts.windows.net/other/" }, /InvalidIssuer/],
      [{ lifetime: "-1m" }, /ExpiredToken/],
    ]) {
      const other = producer(clients, await bearer(["Data Owner"], facts));
      await assert.rejects(other.sendBatch(event), { code: "UnauthorizedError", message });
    }
  },
  encrypted,
);

overEach(
  "a text that is not a token is refused",
  async (clients) => {
    const credential = { getToken: async () => ({ token: "x.y.z", expiresOnTimestamp: Date.now() + 3_600_000 }) };
    await assert.rejects(producer(clients, credential).sendBatch(event), { message: /MalformedToken/ });
  },
  { only: ["TLS"] },
);
