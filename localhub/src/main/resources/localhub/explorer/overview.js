// Figures of the chosen hub: cards, charts, partitions, readers. Rates are the difference of two refreshes.

import { showCharts } from "./charts.js";
import { byId, element, table } from "./dom.js";
import { number, rate, size, time } from "./format.js";
import { samples } from "./history.js";
import { showReaders } from "./readers.js";

export function showOverview(hub, readers) {
  const rates = samples(hub.name).at(-1)?.partitions ?? {};
  byId("hub-name").textContent = hub.name;
  byId("hub-facts").textContent = facts(hub);
  cards(hub, readers, rates);
  partitions(hub, rates);
  showReaders(hub, readers);
  showCharts(hub.name);
}

function facts(hub) {
  return [
    `created ${time(hub.createdAt)}`,
    `groups ${hub.consumerGroups.join(", ")}`,
    hub.retention ? `keeps ${hub.retention.replace("PT", "").toLowerCase()}` : null,
    hub.retentionBytes ? `keeps ${size(hub.retentionBytes)} per partition` : null,
    hub.throughputUnits ? `${hub.throughputUnits} throughput units` : null,
  ].filter(Boolean).join(" · ");
}

const sum = (values) => values.reduce((total, value) => total + value, 0);

function cards(hub, readers, rates) {
  const lag = Math.max(0, ...readers.map((reader) => reader.lag));
  const all = [
    [number(sum(hub.partitions.map((each) => each.events))), "events"],
    [size(sum(hub.partitions.map((each) => each.bytes))), "stored"],
    [rate(sum(Object.values(rates))), "coming in"],
    [number(readers.length), readers.length === 1 ? "reader" : "readers"],
    [readers.length ? number(lag) : "–", "largest lag"],
  ];
  byId("cards").replaceChildren(
    ...all.map(([value, label]) => element("div", { class: "card" }, element("b", {}, value), element("span", {}, label))),
  );
}

function partitions(hub, rates) {
  const most = Math.max(1, ...hub.partitions.map((each) => each.events));
  table(byId("partitions"), [
    ["Partition", "number", (each) => each.id],
    ["First", "number wide", (each) => (each.events ? number(each.beginSequenceNumber) : "–")],
    ["Last", "number", (each) => (each.lastSequenceNumber >= 0 ? number(each.lastSequenceNumber) : "–")],
    ["Events", "number", (each) => number(each.events)],
    ["", "wide", (each) => share(each.events / most)],
    ["Size", "number wide", (each) => size(each.bytes)],
    ["Coming in", "number", (each) => rate(rates[each.id] ?? 0)],
    ["Last event", "number", (each) => time(each.lastEnqueuedTime)],
  ], hub.partitions, "");
}

function share(part) {
  const fill = element("span", { class: "bar-fill" });
  fill.style.width = `${Math.round(part * 100)}%`;
  return element("span", { class: "bar-back" }, fill);
}
