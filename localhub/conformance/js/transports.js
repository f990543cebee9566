// Runs a test once per transport.
import { test } from "node:test";
import { Clients, transports } from "./clients.js";
import { freshHub } from "./hub.js";

/** `body(clients, test)` runs once for each transport, on a hub of its own. */
export function overEach(name, body, { only = transports, hub = {} } = {}) {
  for (const transport of only) {
    test(`${name} [JS, ${transport}]`, { timeout: 180_000 }, async (context) => {
      await body(new Clients(context, transport, await freshHub(context, hub)), context);
    });
  }
}
