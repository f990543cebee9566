// Lists events newest first, or forward from a sequence number or a time. A click opens an event.

import * as api from "./api.js";
import { details, summary } from "./detail.js";
import { byId, element, message } from "./dom.js";
import { number, size, time } from "./format.js";

const columns = [["Partition", "number"], ["Sequence", "number"], ["Enqueued", "number"], ["Key", "key"], ["Body", "text"], ["Size", "number"]];
const pageSize = 50;

export class EventBrowser {
  #hub = null;
  #next = null;
  #request = 0;
  #answered = 0;

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
    const { follow, from, time: start } = this.form.elements;
    return follow.checked && from.value === "" && start.value === "";
  }

  show() {
    return this.#load(false);
  }

  // Reloads the list for new events, except while it loads, an event is open, or older events are shown.
  refresh() {
    if (this.following && this.#answered === this.#request && !this.#opened) this.#load(false, () => !this.#opened);
  }

  get #opened() {
    return byId("events").querySelector(".opened") !== null;
  }

  // isWanted is asked when the answer is there, because the reader may have opened an event in the meantime.
  async #load(further, isWanted = () => true) {
    const request = ++this.#request;
    try {
      const page = await api.events(this.#hub, this.form.elements.partition.value, this.#parameters(further));
      // Ignores the answer when a later request was sent.
      if (request === this.#request && isWanted()) this.#show(page, further);
    } catch (failure) {
      message(byId("events-message"), failure.message, true);
    } finally {
      if (request === this.#request) this.#answered = request;
    }
  }

  #parameters(further) {
    const { partition, from, time: start, contains } = this.form.elements;
    if (from.value !== "" && start.value !== "") throw new Error("Start from a sequence number or from a time, not from both.");
    if (from.value !== "" && partition.value === "") throw new Error("Choose a partition to start from a sequence number.");
    const parameters = { limit: pageSize, contains: contains.value };
    // The field has the time of this browser's zone.
    const fromTime = start.value === "" ? "" : new Date(start.value).toISOString();
    if (partition.value === "") return { ...parameters, fromTime, cursor: further ? this.#next : "" };
    if (!further) return { ...parameters, fromTime, from: from.value };
    const forward = from.value !== "" || fromTime !== "";
    return { ...parameters, [forward ? "from" : "before"]: this.#next };
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
      element("td", { class: "key", title: event.partitionKey }, event.partitionKey ?? ""),
      element("td", { class: "text" }, summary(event)),
      element("td", { class: "number" }, size(event.bytes)),
    );
    return row;
  }

  async #toggle(row, event) {
    if (row.classList.toggle("opened")) {
      const whole = event.bodyTruncated ? await api.event(this.#hub, event.partition, event.sequenceNumber) : event;
      row.after(element("tr", { class: "detail" }, element("td", { colspan: columns.length }, ...details(this.#hub, whole, () => this.refresh()))));
    } else if (row.nextSibling?.classList.contains("detail")) row.nextSibling.remove();
  }
}
