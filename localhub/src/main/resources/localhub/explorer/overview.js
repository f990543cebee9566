// Figures of the chosen hub: cards, partitions, readers. Rates are the difference of two refreshes.

import { byId, element, table } from "./dom.js";
import { number, rate, size, time } from "./format.js";

let before = null;

export function forgetRates() {
  before = null;
}

export function showOverview(hub, readers) {
  const now = performance.now();
  const seconds = before && before.hub === hub.createdAt ? (now - before.at) / 1000 : 0;
  const perSecond = (partition) => {
    const last = before?.last[partition.id];
    return seconds > 0 && last !== undefined ? Math.max(0, (partition.lastSequenceNumber - last) / seconds) : 0;
  };
  const rates = Object.fromEntries(hub.partitions.map((partition) => [partition.id, perSecond(partition)]));
  before = { hub: hub.createdAt, at: now, last: Object.fromEntries(hub.partitions.map((each) => [each.id, each.lastSequenceNumber])) };

  byId("hub-name").textContent = hub.name;
  byId("hub-facts").textContent = facts(hub);
  cards(hub, readers, rates);
  partitions(hub, rates);
  showReaders(readers);
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
    ["First", "number", (each) => (each.events ? number(each.beginSequenceNumber) : "–")],
    ["Last", "number", (each) => (each.lastSequenceNumber >= 0 ? number(each.lastSequenceNumber) : "–")],
    ["Events", "number", (each) => number(each.events)],
    ["", "", (each) => share(each.events / most)],
    ["Size", "number", (each) => size(each.bytes)],
    ["Coming in", "number", (each) => rate(rates[each.id])],
    ["Last event", "number", (each) => time(each.lastEnqueuedTime)],
  ], hub.partitions, "");
}

function share(part) {
  const fill = element("span", { class: "bar-fill" });
  fill.style.width = `${Math.round(part * 100)}%`;
  return element("span", { class: "bar-back" }, fill);
}

function showReaders(readers) {
  table(byId("readers"), [
    ["Consumer group", "", (reader) => reader.consumerGroup],
    ["Partition", "number", (reader) => reader.partition],
    ["Next", "number", (reader) => number(reader.nextSequenceNumber)],
    ["Lag", "number", (reader) => element("span", { class: reader.lag > 0 ? "lag behind" : "lag" }, number(reader.lag))],
    ["Credit", "number", (reader) => number(reader.credit)],
    ["Epoch", "number", (reader) => (reader.epoch === null ? "–" : number(reader.epoch))],
    ["Link", "text", (reader) => reader.link],
  ], readers, "No readers are connected.");
}
