// Builds elements. Texts are set as text, never as HTML, because an event may contain anything.

export const byId = (id) => document.getElementById(id);

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

// Columns are [title, class, row => cell content].
export function table(target, columns, rows, emptyText) {
  const head = element("tr", {}, ...columns.map(([title, kind]) => element("th", { class: kind }, title)));
  const body = rows.map((row) => element("tr", {}, ...columns.map(([, kind, cell]) => element("td", { class: kind }, cell(row)))));
  const empty = element("tr", {}, element("td", { class: "empty", colspan: columns.length }, emptyText));
  target.replaceChildren(element("thead", {}, head), element("tbody", {}, ...(body.length ? body : [empty])));
}

export function message(target, text, bad = false) {
  target.textContent = text;
  target.classList.toggle("bad", bad);
}

export async function copy(button, text) {
  const title = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Copying is not allowed here";
  }
  setTimeout(() => { button.textContent = title; }, 1500);
}
