// The page's calls of the hub's HTTP API.

// A request whose connection was lost without a word must end, or what waits for it would wait for ever.
const longestWait = 30000;

async function call(method, path, body) {
  const signal = AbortSignal.timeout(longestWait);
  const response = await fetch(path, { method, signal, body: body === undefined ? undefined : JSON.stringify(body) });
  const text = await response.text();
  const answer = text ? JSON.parse(text) : null;
  if (!response.ok) throw new Error(answer?.error ?? `${method} ${path}: ${response.status}`);
  return answer;
}

const hubPath = (hub) => `/hubs/${encodeURIComponent(hub)}`;

export const namespace = () => call("GET", "/namespace");
export const hubs = async () => (await call("GET", "/hubs")).hubs;
export const readers = async () => (await call("GET", "/readers")).readers;
export const createHub = (name, partitions) => call("PUT", `${hubPath(name)}?partitions=${partitions}`);
export const deleteHub = (name) => call("DELETE", hubPath(name));
export const send = (hub, event) => call("POST", `${hubPath(hub)}/events`, event);

export const faults = async () => (await call("GET", "/faults")).faults;
export const inject = (fault) => call("POST", "/faults", fault);
export const cancelFault = (id) => call("DELETE", `/faults/${id}`);
export const clearFaults = () => call("DELETE", "/faults");

export const schemaGroups = async () => (await call("GET", "/schema-groups")).groups;
const groupPath = (group) => `/schema-groups/${encodeURIComponent(group)}/schemas`;
export const schemas = async (group) => (await call("GET", groupPath(group))).schemas;
export const schemaVersions = async (group, name) =>
  (await call("GET", `${groupPath(group)}/${encodeURIComponent(name)}`)).versions;

// partition "" stands for all partitions.
export function events(hub, partition, parameters) {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== "" && value !== null));
  const place = partition === "" ? "" : `/partitions/${partition}`;
  return call("GET", `${hubPath(hub)}${place}/events?${query}`);
}

export const resend = (hub, partition, sequenceNumber) =>
  call("POST", `${hubPath(hub)}/partitions/${partition}/events/${sequenceNumber}/resend`);

export const event = (hub, partition, sequenceNumber) =>
  call("GET", `${hubPath(hub)}/partitions/${partition}/events/${sequenceNumber}`);
