// The schema registry: each schema with its versions. A click opens a schema.

import * as api from "./api.js";
import { byId, element, message } from "./dom.js";
import { body, time } from "./format.js";

const columns = [["Group", "key"], ["Schema", "text"], ["Format", "key"], ["Versions", "number"], ["Newest", "number"]];
let shown = "";

/** Shows the registry. Its panel is hidden while there are no groups, and asks for schemas only while it is open. */
export async function showSchemas(groups) {
  const panel = byId("schemas-panel");
  panel.hidden = groups.length === 0;
  if (panel.hidden || !panel.open) return;
  const lists = await Promise.all(groups.map((group) => api.schemas(group.name)));
  const all = lists.flat();
  const state = JSON.stringify([groups, all]);
  if (state === shown) return;
  shown = state;
  const empty = groups.filter((group) => group.schemas === 0).map((group) => `${group.name} (${group.format})`);
  message(byId("schemas-message"), empty.length === 0 ? "" : `Groups without a schema: ${empty.join(", ")}`);
  const head = element("tr", {}, ...columns.map(([title, kind]) => element("th", { class: kind }, title)));
  byId("schemas").replaceChildren(element("thead", {}, head), element("tbody", {}, ...all.map(row)));
}

function row(schema) {
  const cells = [schema.group, schema.name, schema.format, schema.version, time(schema.createdAt)];
  const made = element(
    "tr",
    { class: "event", tabindex: 0, onclick: () => toggle(made, schema), onkeydown: (key) => key.key === "Enter" && toggle(made, schema) },
    ...cells.map((cell, index) => element("td", { class: columns[index][1], title: cell }, String(cell))),
  );
  return made;
}

async function toggle(opened, schema) {
  if (!opened.classList.toggle("opened")) {
    if (opened.nextSibling?.classList.contains("detail")) opened.nextSibling.remove();
    return;
  }
  try {
    const versions = await api.schemaVersions(schema.group, schema.name);
    const parts = versions.toReversed().flatMap((each) => [
      element("h3", {}, `Version ${each.version}, id ${each.id}`),
      element("pre", {}, body(each.content)),
    ]);
    opened.after(element("tr", { class: "detail" }, element("td", { colspan: columns.length }, ...parts)));
  } catch (failure) {
    message(byId("schemas-message"), failure.message, true);
  }
}
