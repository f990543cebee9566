// The charts of the chosen hub: events per second, and the lag of each consumer group.

import { Chart } from "./chart.js";
import { byId } from "./dom.js";
import { number, rate } from "./format.js";
import { samples, span } from "./history.js";

const kinds = 6;
const charts = { rate: new Chart(byId("rate-chart"), "Events per second", rate), lag: new Chart(byId("lag-chart"), "Lag, events", number) };

const shortest = 60 * 1000;

export function showCharts(hubName, now = Date.now()) {
  const shown = samples(hubName);
  const from = Math.min(now - shortest, Math.max(now - span, shown[0]?.at ?? now));
  const groups = [...new Set(shown.flatMap((each) => Object.keys(each.groups)))].sort();
  const line = (name, kind, value) => ({
    name,
    kind,
    points: shown.map((each) => [each.at, value(each)]).filter(([, each]) => each !== undefined),
  });
  const kind = (index) => `line-${1 + (index % kinds)}`;
  const incoming = line("coming in", "line-0", (each) => each.incoming);
  const read = groups.map((name, index) => line(`read by ${name}`, kind(index), (each) => each.groups[name]?.rate));
  const lag = groups.map((name, index) => line(name, kind(index), (each) => each.groups[name]?.lag));
  charts.rate.show([incoming, ...read], from, now);
  byId("lag-chart").classList.toggle("empty", lag.length === 0);
  charts.lag.show(lag.length > 0 ? lag : [{ name: "no readers", kind: "line-0", points: [] }], from, now);
}
