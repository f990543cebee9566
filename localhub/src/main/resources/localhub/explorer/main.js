// Refreshes the page once a second while it is visible.

import * as api from "./api.js";
import { byId, copy, element, message } from "./dom.js";
import { EventBrowser } from "./events.js";
import { offerFaults, showFaults, whenInjected } from "./faults.js";
import { record } from "./history.js";
import { showHubs, whenCreated } from "./hubs.js";
import { showOverview } from "./overview.js";
import { showSchemas } from "./schemas.js";
import { whenSent } from "./send.js";

let chosen = decodeURIComponent(location.hash.slice(1));
let shown = null;
let connectionString = "";
const browser = new EventBrowser();

function choose(name) {
  chosen = name;
  location.hash = encodeURIComponent(name);
  refresh();
}

function open(hub) {
  shown = { name: hub.name, partitions: hub.partitionCount };
  const options = (none) => [
    element("option", { value: "" }, none),
    ...hub.partitions.map((partition) => element("option", { value: partition.id }, partition.id)),
  ];
  byId("search").elements.partition.replaceChildren(...options("all"));
  byId("send").elements.partition.replaceChildren(...options("any"));
  offerFaults(hub, options("any"));
  message(byId("send-message"), "");
  browser.choose(hub.name);
}

async function refresh() {
  try {
    const [hubs, readers, faults, groups] = await Promise.all([api.hubs(), api.readers(), api.faults(), api.schemaGroups()]);
    health("healthy", "good");
    record(hubs, readers);
    const hub = hubs.find((each) => each.name === chosen) ?? null;
    showHubs(hubs, hub?.name, choose);
    await showSchemas(groups);
    byId("hub").hidden = hub === null;
    byId("nothing").hidden = hub !== null;
    if (hub === null) shown = null;
    else {
      if (shown?.name !== hub.name || shown.partitions !== hub.partitionCount) open(hub);
      else browser.refresh();
      showOverview(hub, readers.filter((reader) => reader.hub === hub.name));
      showFaults(faults, hub.name, refresh);
    }
  } catch {
    health("not reachable", "bad");
  }
}

function health(text, kind) {
  byId("health").textContent = text;
  byId("health").className = `badge ${kind}`;
}

async function start() {
  whenCreated(choose);
  whenSent(() => chosen, refresh);
  whenInjected(() => chosen, refresh);
  byId("schemas-panel").addEventListener("toggle", refresh);
  byId("copy-connection").addEventListener("click", (click) => copy(click.target, connectionString));
  byId("copy-hub").addEventListener("click", (click) => copy(click.target, `${connectionString};EntityPath=${chosen}`));
  byId("delete-hub").addEventListener("click", async () => {
    if (confirm(`Delete the event hub '${chosen}' with its events?`)) {
      await api.deleteHub(chosen);
      choose("");
    }
  });
  addEventListener("hashchange", () => {
    chosen = decodeURIComponent(location.hash.slice(1));
    refresh();
  });
  try {
    connectionString = (await api.namespace()).connectionString;
    byId("connection").textContent = connectionString;
  } catch {
    // The health badge shows the failure.
  }
  await refresh();
  setInterval(() => document.hidden || refresh(), 1000);
}

start();
