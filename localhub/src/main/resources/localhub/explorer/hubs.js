// The list of event hubs on the left: choose one, create one.

import * as api from "./api.js";
import { byId, element, message } from "./dom.js";
import { number } from "./format.js";

export function showHubs(hubs, chosen, choose) {
  byId("hubs").replaceChildren(
    ...hubs.map((hub) => {
      const events = hub.partitions.reduce((sum, partition) => sum + partition.events, 0);
      return element("li", {}, element(
        "button",
        { type: "button", "aria-current": String(hub.name === chosen), onclick: () => choose(hub.name), title: hub.name },
        element("span", { class: "name" }, hub.name),
        element("span", { class: "muted" }, `${number(events)} · ${hub.partitionCount}p`),
      ));
    }),
  );
}

export function whenCreated(choose) {
  const form = byId("new-hub");
  form.addEventListener("submit", async (submit) => {
    submit.preventDefault();
    try {
      const hub = await api.createHub(form.elements.name.value.trim(), form.elements.partitions.value);
      form.elements.name.value = "";
      message(byId("hub-message"), "");
      choose(hub.name);
    } catch (failure) {
      message(byId("hub-message"), failure.message, true);
    }
  });
}
