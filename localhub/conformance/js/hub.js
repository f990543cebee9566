// The hub under test, started by tools/run_conformance.py. Its HTTP API manages hubs and faults.
import { env } from "node:process";

export const amqpPort = env.LOCALHUB_AMQP_PORT;
export const tlsPort = env.LOCALHUB_TLS_PORT;

if (!env.LOCALHUB_HTTP_URL) throw new Error("No hub: run this with `.venv/bin/python tools/run_conformance.py js`.");

let hubs = 0;

/** Creates an event hub and returns its name. It is deleted after the test. */
export async function freshHub(test, { partitions = 4, consumerGroups = "" } = {}) {
  hubs += 1;
  const name = `js-${process.pid}-${hubs}`;
  await call("PUT", `/hubs/${name}?partitions=${partitions}&consumerGroups=${consumerGroups}`);
  test.after(() => call("DELETE", `/hubs/${name}`));
  return name;
}

/** Injects a fault; see docs/local-hub/http-api.md, Faults. */
export const inject = (fault) => call("POST", "/faults", fault);

/** Injects a fault that happens at once. Fails if it hits nothing. */
export async function injectNow(fault) {
  const { hits } = await inject(fault);
  if (hits === 0) throw new Error(`the fault hit nothing: ${JSON.stringify(fault)}`);
}

/** The faults that can still happen to this hub. */
export const activeFaults = async (hub) => (await call("GET", "/faults")).faults.filter((fault) => fault.hub === hub);

/** The connected readers of this hub. */
export const readers = async (hub) =>
  (await call("GET", "/readers")).readers.filter((reader) => reader.hub === hub);

/** Creates a group of the schema registry, or finds it. */
export const schemaGroup = (name, format) => call("PUT", `/schema-groups/${name}?format=${format}`);

/** The stand-in for Microsoft Entra ID. tools/run_conformance.py starts it, because files run side by side. */
export const authority = {
  /** A token of an application with these roles; `facts` are for a token that the hub is to refuse. */
  token: async (application, roles, facts) => {
    await call("PUT", `/authority/applications/${application}`, { roles });
    return (await call("POST", `/authority/applications/${application}/tokens`, facts)).token;
  },
};

/** Waits until `condition` is true. */
export async function eventually(what, condition) {
  const deadline = Date.now() + 60_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`not true within 60 s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function call(method, path, body) {
  const response = await fetch(env.LOCALHUB_HTTP_URL + path, { method, body: body && JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text && JSON.parse(text);
}
