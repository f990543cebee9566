// Lists events newest first, or forward from a sequence number. A click opens an event.

import * as api from "./api.js";
import { byId, element, message } from "./dom.js";
import { body, number, size, time } from "./format.js";

const columns = [["Partition", "number"], ["Sequence", "number"], ["Enqueued", "number"], ["Key", ""], ["Body", "text"], ["Size", "number"]];
const pageSize = 50;

export class EventBrowser {
  #hub = null;
  #next = null;
  #request = 0;

  constructor() {
    this.form = byId("search");
    this.form.addEventListener("submit", (submit) => {
      submit.preventDefault();
      this.show();
    });
    this.form.elements.partition.addEventListener("change", () => this.show());
    this.form.elements.follow.addEventListener("change", () => this.show());
    byId("more").addEventListener("click", () => this.#load(true));
  }

  choose(hub) {
    this.#hub = hub;
    this.form.reset();
    byId("events").replaceChildren();
    this.show();
  }

  get following() {
    return this.form.elements.follow.checked && this.form.elements.from.value === "";
  }

  show() {
    return this.#load(false);
  }

  // Reloads the list for new events, except while an event is open or older events are shown.
  refresh() {
    if (this.following && !byId("events").querySelector(".opened")) this.show();
  }

  async #load(further) {
    const { partition, from, contains } = this.form.elements;
    const parameters = { limit: pageSize, contains: contains.value };
    if (partition.value !== "") {
      if (further) parameters[from.value === "" ? "before" : "from"] = this.#next;
      else if (from.value !== "") parameters.from = from.value;
    } else if (from.value !== "") {
      message(byId("events-message"), "Choose a partition to start from a sequence number.", true);
      return;
    }
    const request = ++this.#request;
    try {
      const page = await api.events(this.#hub, partition.value, parameters);
      // Ignores the answer when a later request was sent.
      if (request === this.#request) this.#show(page, further);
    } catch (failure) {
      message(byId("events-message"), failure.message, true);
    }
  }

  #show(page, further) {
    const rows = page.events.map((event) => this.#row(event));
    if (further) byId("events").tBodies[0].append(...rows);
    else {
      const head = element("tr", {}, ...columns.map(([title, kind]) => element("th", { class: kind }, title)));
      byId("events").replaceChildren(element("thead", {}, head), element("tbody", {}, ...rows));
    }
    this.#next = page.next;
    byId("more").hidden = page.next === null;
    const shown = byId("events").querySelectorAll("tr.event").length;
    message(byId("events-message"), shown === 0 ? "No events." : `${number(shown)} shown${page.next === null ? "" : ", there are more"}`);
  }

  #row(event) {
    const row = element(
      "tr",
      { class: "event", tabindex: 0, onclick: () => this.#toggle(row, event), onkeydown: (key) => key.key === "Enter" && this.#toggle(row, event) },
      element("td", { class: "number" }, event.partition),
      element("td", { class: "number" }, number(event.sequenceNumber)),
      element("td", { class: "number" }, time(event.enqueuedTime)),
      element("td", {}, event.partitionKey ?? ""),
      element("td", { class: "text" }, event.body.slice(0, 300)),
      element("td", { class: "number" }, size(event.bytes)),
    );
    return row;
  }

  async #toggle(row, event) {
    if (row.classList.toggle("opened")) {
      const whole = event.bodyTruncated ? await api.event(this.#hub, event.partition, event.sequenceNumber) : event;
      row.after(element("tr", { class: "detail" }, element("td", { colspan: columns.length }, ...details(whole))));
    } else if (row.nextSibling?.classList.contains("detail")) row.nextSibling.remove();
  }
}

function details(event) {
  const facts = [
    ["Offset", event.offset],
    ["Enqueued", event.enqueuedTime],
    ["Body kind", event.bodyKind],
    ...Object.entries(event.systemProperties),
    ...Object.entries(event.properties).map(([name, value]) => [`property ${name}`, value]),
    ...Object.entries(event.annotations),
  ];
  const shown = (value) => (typeof value === "string" ? value : JSON.stringify(value));
  const list = facts.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, shown(value))]);
  return [element("pre", {}, body(event.body)), element("dl", {}, ...list)];
}
