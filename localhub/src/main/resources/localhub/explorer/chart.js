// Draws lines over the last minutes as SVG. While the pointer is over a chart, the legend shows the values at that
// time.

import { element } from "./dom.js";
import { clock } from "./format.js";

const space = { left: 52, right: 8, top: 8, bottom: 20 };
const height = 150;
const gap = 5000; // Longer than this between two samples, the page was hidden: the line has a gap.

function svg(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// 1, 2 or 5 times a power of 10, not below the value.
function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= value);
}

export class Chart {
  #pointer = null;
  #draw = () => {};

  /** `format` makes the text of a value. */
  constructor(target, title, format) {
    this.format = format;
    this.legend = element("div", { class: "legend" });
    this.canvas = element("div", { class: "canvas" });
    this.title = element("h3", {}, title);
    target.append(this.title, this.canvas, this.legend);
    this.canvas.addEventListener("pointermove", (move) => this.#point(move.offsetX));
    this.canvas.addEventListener("pointerleave", () => this.#point(null));
    new ResizeObserver(() => this.#draw()).observe(this.canvas);
  }

  /** Lines are {name, kind, points: [[time, value], ...]}; `kind` is a CSS class. */
  show(lines, from, to) {
    this.#draw = () => this.#render(lines, from, to);
    this.#draw();
  }

  #point(x) {
    this.#pointer = x;
    this.#draw();
  }

  #render(lines, from, to) {
    const width = Math.max(120, this.canvas.clientWidth);
    const inner = { width: width - space.left - space.right, height: height - space.top - space.bottom };
    const top = roundUp(Math.max(1, ...lines.flatMap((line) => line.points.map(([, value]) => value))));
    const x = (at) => space.left + ((at - from) / (to - from)) * inner.width;
    const y = (value) => space.top + (1 - value / top) * inner.height;
    const at = this.#pointer === null ? null : from + ((this.#pointer - space.left) / inner.width) * (to - from);
    const picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": this.title.textContent });
    for (const value of [0, top / 2, top]) {
      picture.append(
        svg("line", { class: "grid", x1: space.left, x2: width - space.right, y1: y(value), y2: y(value) }),
        svg("text", { x: space.left - 6, y: y(value) + 4, "text-anchor": "end" }, this.format(value)),
      );
    }
    const step = to - from > 150000 ? 60000 : 15000;
    for (let age = 0; age <= to - from; age += step) {
      const label = age === 0 ? "now" : age % 60000 === 0 ? `−${age / 60000} min` : `−${age / 1000} s`;
      const place = x(to - age);
      if (place > space.left + 12 || age === 0) {
        picture.append(svg("text", { x: place, y: height - 5, "text-anchor": age === 0 ? "end" : "middle" }, label));
      }
    }
    for (const line of lines) {
      const path = pathOf(line.points, x, y);
      if (path) picture.append(svg("path", { class: line.kind, d: path }));
    }
    if (at !== null && at >= from && at <= to) {
      picture.append(svg("line", { class: "cursor", x1: this.#pointer, x2: this.#pointer, y1: space.top, y2: height - space.bottom }));
    }
    this.canvas.replaceChildren(picture);
    this.#describe(lines, at);
  }

  #describe(lines, at) {
    const entries = lines.map((line) => {
      const point = at === null ? line.points.at(-1) : nearest(line.points, at);
      return element("span", {}, element("i", { class: `swatch ${line.kind}` }), `${line.name} `, element("b", {}, point ? this.format(point[1]) : "–"));
    });
    const point = at === null ? null : nearest(lines[0].points, at);
    this.legend.replaceChildren(...entries, ...(point ? [element("span", { class: "muted" }, clock(point[0]))] : []));
  }
}

function pathOf(points, x, y) {
  let path = "";
  points.forEach(([at, value], index) => {
    const starts = index === 0 || at - points[index - 1][0] > gap;
    path += `${starts ? "M" : "L"}${x(at).toFixed(1)} ${y(value).toFixed(1)}`;
  });
  return points.length < 2 ? "" : path;
}

function nearest(points, at) {
  return points.reduce((best, point) => (best === null || Math.abs(point[0] - at) < Math.abs(best[0] - at) ? point : best), null);
}
