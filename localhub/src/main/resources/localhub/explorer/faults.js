// The active faults, and the form that injects one into the chosen hub.

import * as api from "./api.js";
import { byId, element, message, table } from "./dom.js";
import { number } from "./format.js";

// Occasions of each action, the usual one first: docs/local-hub/http-api.md, Faults.
const link = ["attach", "send", "stored", "receive"];
const occasions = {
  drop: ["now", ...link, "put-token"],
  detach: ["now", ...link],
  throttle: ["send"],
  delay: ["receive", "stored", "put-token"],
  stall: ["receive", "send", "stored"],
  "refuse-token": ["put-token"],
  "expire-tokens": ["now", "send", "receive"],
  steal: ["now", "receive"],
  "expire-events": ["now", ...link],
  recreate: ["now", ...link],
  lag: ["manage"],
  "older-epoch": ["manage"],
  "lose-answer": ["manage", "manage-hub"],
  "older-first": ["start"],
};

// The actions with a number of events.
const counting = ["lag", "older-first"];

const choices = (values) => values.map((value) => element("option", { value }, value));

/** Fills the form with the partitions and groups of the hub. */
export function offerFaults(hub, partitions) {
  const { partition, consumerGroup } = byId("inject").elements;
  partition.replaceChildren(...partitions);
  consumerGroup.replaceChildren(element("option", { value: "" }, "any"), ...choices(hub.consumerGroups));
  message(byId("faults-message"), "");
}

/** Shows the faults of the hub and those of all hubs. */
export function showFaults(faults, hubName, changed) {
  const here = faults.filter((fault) => !fault.hub || fault.hub.toLowerCase() === hubName.toLowerCase());
  table(byId("faults"), [
    ["Fault", "", (fault) => [fault.action, fault.condition, fault.time, fault.events].filter(Boolean).join(" ")],
    ["On", "", (fault) => fault.on],
    ["Where", "", where],
    ["Chance", "number", (fault) => `${number(fault.probability * 100)} %`],
    ["Happened", "number", (fault) => (fault.count ? `${fault.hits} of ${fault.count}` : number(fault.hits))],
    ["Lasts", "number", (fault) => fault.duration?.replace("PT", "").toLowerCase() ?? "–"],
    ["", "", (fault) => element("button", { type: "button", onclick: () => cancel(fault, changed) }, "Cancel")],
  ], here, "No faults are active.");
}

function where(fault) {
  const parts = [fault.hub ? null : "every hub", fault.partition && `partition ${fault.partition}`, fault.consumerGroup];
  return parts.filter(Boolean).join(", ") || "anywhere";
}

async function cancel(fault, changed) {
  try {
    await api.cancelFault(fault.id);
  } catch {
    // The fault has already ended.
  }
  changed();
}

export function whenInjected(hubName, changed) {
  const form = byId("inject");
  const { action, on } = form.elements;
  const chosen = () => {
    on.replaceChildren(...choices(occasions[action.value]));
    byId("time-label").hidden = action.value !== "delay";
    byId("events-label").hidden = !counting.includes(action.value);
    byId("condition-label").hidden = action.value !== "detach";
  };
  action.replaceChildren(...choices(Object.keys(occasions)));
  action.addEventListener("change", chosen);
  chosen();

  form.addEventListener("submit", async (submit) => {
    submit.preventDefault();
    try {
      const injected = await api.inject({ hub: hubName(), ...fault(form.elements) });
      const result = injected.on === "now" ? `Happened ${injected.hits} time(s).` : `Fault ${injected.id} is active.`;
      message(byId("faults-message"), result);
    } catch (failure) {
      message(byId("faults-message"), failure.message, true);
    }
    changed();
  });
  byId("clear-faults").addEventListener("click", async () => {
    await api.clearFaults();
    message(byId("faults-message"), "All faults are cleared.");
    changed();
  });
}

function fault(fields) {
  const made = { action: fields.action.value, on: fields.on.value };
  for (const name of ["partition", "consumerGroup", "duration"]) if (fields[name].value !== "") made[name] = fields[name].value;
  for (const name of ["probability", "count"]) if (fields[name].value !== "") made[name] = Number(fields[name].value);
  if (made.action === "delay") made.time = fields.time.value;
  if (counting.includes(made.action)) made.events = Number(fields.events.value);
  if (made.action === "detach" && fields.condition.value !== "") made.condition = fields.condition.value;
  return made;
}
