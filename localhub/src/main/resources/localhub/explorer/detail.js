// One open event: its complete body, its properties, and what can be done with it.

import * as api from "./api.js";
import { copy, element, message } from "./dom.js";
import { body, number } from "./format.js";
import { binaryBody, bytesOf, dump, hex } from "./hex.js";
import { edit } from "./send.js";

const shownBytes = 64 * 1024;

/** The text of a body in a list. */
export function summary(event) {
  if (event.decoded !== undefined) return JSON.stringify(event.decoded).slice(0, 300);
  const bytes = binaryBody(event);
  return bytes === null ? event.body.slice(0, 300) : hex(bytes.subarray(0, 100));
}

/** `event` has its complete body. `sent` is called after it was sent again. */
export function details(hubName, event, sent) {
  const facts = [
    ["Offset", event.offset],
    ["Enqueued", event.enqueuedTime],
    ["Partition key", event.partitionKey],
    ["Body kind", event.bodyKind],
    ["Schema", schemaOf(event)],
    ...Object.entries(event.systemProperties),
    ...Object.entries(event.properties).map(([name, value]) => [`property ${name}`, value]),
    ...Object.entries(event.annotations),
  ].filter(([, value]) => value !== null);
  const shown = (value) => (typeof value === "string" ? value : JSON.stringify(value));
  const list = facts.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, shown(value))]);
  const texts = [event.decodingError ? `${event.decodingError}\n\n${bodyText(event)}` : bodyText(event)];
  if (event.decoded !== undefined && event.schema.format !== "Json") texts.unshift(JSON.stringify(event.decoded, null, 2));
  return [actions(hubName, event, sent), ...texts.map((text) => element("pre", {}, text)), element("dl", {}, ...list)];
}

function schemaOf({ schema }) {
  if (!schema) return null;
  return schema.name ? `${schema.group}/${schema.name}, version ${schema.version} (${schema.format}), ${schema.id}` : schema.id;
}

function bodyText(event) {
  const bytes = binaryBody(event);
  if (bytes !== null) return dump(bytes, shownBytes);
  if (event.bodyKind !== "undecodable") return body(event.body);
  const [base64] = event.body.split("\n").slice(-1);
  return `${event.body.slice(0, -base64.length)}${dump(bytesOf(base64), shownBytes)}`;
}

function actions(hubName, event, sent) {
  const result = element("span", { class: "message", role: "status" });
  const button = (title, act) => element("button", { type: "button", onclick: act }, title);
  const resend = async () => {
    try {
      const stored = await api.resend(hubName, event.partition, event.sequenceNumber);
      message(result, `Stored again in partition ${stored.partition} as ${number(stored.sequenceNumber)}.`);
      sent();
    } catch (failure) {
      message(result, failure.message, true);
    }
  };
  const bytes = binaryBody(event);
  const editable = bytes !== null || event.bodyKind === "text";
  return element(
    "div",
    { class: "actions" },
    button(bytes === null ? "Copy body" : "Copy hex", (click) => copy(click.target, bytes === null ? event.body : hex(bytes))),
    button("Copy as JSON", (click) => copy(click.target, JSON.stringify(event, null, 2))),
    button("Resend", resend),
    editable ? button("Edit and send", () => edit(event)) : null,
    result,
  );
}
