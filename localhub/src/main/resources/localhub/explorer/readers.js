// The connected readers by consumer group. A click on a group hides or shows its readers.

import { byId, element } from "./dom.js";
import { number, rate } from "./format.js";
import { groupsOf } from "./groups.js";
import { samples } from "./history.js";

const columns = [["Consumer group", ""], ["Partition", "number"], ["Next", "number"], ["Lag", "number"], ["Read", "number wide"], ["Credit", "number wide"], ["Epoch", "number wide"], ["Link", "text wide"]];
const many = 32;
const toggled = new Set();

export function showReaders(hub, readers) {
  const groups = groupsOf(readers);
  const head = element("tr", {}, ...columns.map(([title, kind]) => element("th", { class: kind }, title)));
  const empty = element("tbody", {}, element("tr", {}, element("td", { class: "empty", colspan: columns.length }, "No readers are connected.")));
  const bodies = groups.map((group) => groupRows(hub, group, () => showReaders(hub, readers)));
  byId("readers").replaceChildren(element("thead", {}, head), ...(bodies.length > 0 ? bodies : [empty]));
}

function groupRows(hub, group, redraw) {
  const key = `${hub.name}/${group.name}`;
  const open = toggled.has(key) !== (group.readers.length <= many);
  const toggle = () => {
    if (!toggled.delete(key)) toggled.add(key);
    redraw();
  };
  const read = samples(hub.name).at(-1)?.groups[group.name]?.rate ?? 0;
  const count = `${number(group.readers.length)} ${group.readers.length === 1 ? "reader" : "readers"}`;
  const title = element(
    "tr",
    { class: "group" },
    element("th", { scope: "rowgroup" }, element("button", { type: "button", "aria-expanded": String(open), onclick: toggle }, element("span", { class: "name" }, group.name), element("span", { class: "muted" }, count))),
    element("td", { class: "number" }, `${number(group.partitions)} of ${number(hub.partitionCount)}`),
    element("td", {}),
    element("td", { class: "number" }, lag(group.lag)),
    element("td", { class: "number wide" }, rate(read)),
    element("td", { class: "wide", colspan: 3 }),
  );
  return element("tbody", {}, title, ...(open ? group.readers.map(readerRow) : []));
}

function readerRow(reader) {
  return element(
    "tr",
    { class: "reader" },
    element("td", {}),
    element("td", { class: "number" }, reader.partition),
    element("td", { class: "number" }, number(reader.nextSequenceNumber)),
    element("td", { class: "number" }, lag(reader.lag)),
    element("td", { class: "wide" }),
    element("td", { class: "number wide" }, number(reader.credit)),
    element("td", { class: "number wide" }, reader.epoch === null ? "–" : number(reader.epoch)),
    element("td", { class: "text wide", title: `${reader.connection} ${reader.link}` }, reader.link),
  );
}

const lag = (events) => element("span", { class: events > 0 ? "lag behind" : "lag" }, number(events));
