// The form that sends one event.

import * as api from "./api.js";
import { byId, message } from "./dom.js";
import { number } from "./format.js";
import { base64OfHex, binaryBody, hex } from "./hex.js";

export function whenSent(hubName, sent) {
  const form = byId("send");
  form.addEventListener("submit", async (submit) => {
    submit.preventDefault();
    try {
      const stored = await api.send(hubName(), event(form.elements));
      message(byId("send-message"), `Stored in partition ${stored.partition} as ${number(stored.sequenceNumber)}.`);
      sent();
    } catch (failure) {
      message(byId("send-message"), failure.message, true);
    }
  });
  form.elements.kind.addEventListener("change", () => { form.elements.body.disabled = form.elements.kind.value === "null"; });
}

/** Fills the form with an event of the list, to change it and send it as a new one. */
export function edit(shown) {
  const bytes = binaryBody(shown);
  const { body, kind, partition, partitionKey, properties } = byId("send").elements;
  kind.value = bytes === null ? "text" : "hex";
  kind.dispatchEvent(new Event("change"));
  body.value = bytes === null ? shown.body : hex(bytes);
  partitionKey.value = shown.partitionKey ?? "";
  partition.value = shown.partitionKey === null ? shown.partition : "";
  properties.value = Object.keys(shown.properties).length > 0 ? JSON.stringify(shown.properties) : "";
  message(byId("send-message"), "");
  byId("send-panel").open = true;
  byId("send-panel").scrollIntoView({ block: "nearest" });
  body.focus();
}

function event({ body, kind, partitionKey, partition, properties }) {
  const made = {};
  if (kind.value === "hex") made.bodyBase64 = base64OfHex(body.value);
  else made.body = kind.value === "null" ? null : body.value;
  if (partitionKey.value !== "") made.partitionKey = partitionKey.value;
  if (partition.value !== "") made.partition = partition.value;
  if (properties.value.trim() !== "") {
    try {
      made.properties = JSON.parse(properties.value);
    } catch {
      throw new Error('Properties are a JSON object such as {"source": "explorer"}.');
    }
  }
  return made;
}
