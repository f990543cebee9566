// The form that sends one event.

import * as api from "./api.js";
import { byId, message } from "./dom.js";
import { number } from "./format.js";

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
}

function event({ body, partitionKey, partition, properties }) {
  const made = { body: body.value };
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
