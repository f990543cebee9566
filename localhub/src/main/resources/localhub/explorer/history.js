// Keeps what the refreshes of the last minutes saw of every hub: how many events came in, how many each consumer group
// read, and how far each group is behind.

import { groupsOf } from "./groups.js";

export const span = 5 * 60 * 1000;
// Rates are over this time, because readers take events in portions.
const window = 5500;
const hubs = new Map();

/** Adds a sample for each hub. A hub that was recreated starts again. */
export function record(shown, readers, at = Date.now()) {
  for (const hub of shown) {
    const known = hubs.get(hub.name);
    const kept = known?.createdAt === hub.createdAt ? known : { createdAt: hub.createdAt, samples: [], recent: [] };
    const now = positions(hub, readers.filter((reader) => reader.hub === hub.name), at);
    kept.recent = kept.recent.filter((each) => each.at >= at - window);
    if (kept.recent.length > 0) kept.samples.push(sample(kept.recent[0], now));
    kept.recent.push(now);
    kept.samples = kept.samples.filter((each) => each.at >= at - span);
    hubs.set(hub.name, kept);
  }
  for (const name of hubs.keys()) if (!shown.some((hub) => hub.name === name)) hubs.delete(name);
}

/**
 * The samples of a hub, oldest first: {at, partitions: {id: rate}, incoming: rate, groups: {name: {rate, lag}}}.
 * Rates are events per second.
 */
export const samples = (hubName) => hubs.get(hubName)?.samples ?? [];

function positions(hub, readers, at) {
  const partitions = Object.fromEntries(hub.partitions.map((each) => [each.id, each.lastSequenceNumber]));
  const groups = Object.fromEntries(groupsOf(readers).map((group) => [group.name, group]));
  return { at, partitions, groups };
}

function sample(before, now) {
  const seconds = Math.max(0.001, (now.at - before.at) / 1000);
  const perSecond = (to, from) => (from === undefined ? 0 : Math.max(0, (to - from) / seconds));
  const partitions = {};
  for (const [id, last] of Object.entries(now.partitions)) partitions[id] = perSecond(last, before.partitions[id]);
  const groups = {};
  for (const [name, group] of Object.entries(now.groups)) {
    let rate = 0;
    for (const [id, next] of Object.entries(group.next)) rate += perSecond(next, before.groups[name]?.next[id]);
    groups[name] = { rate, lag: group.lag };
  }
  const incoming = Object.values(partitions).reduce((sum, each) => sum + each, 0);
  return { at: now.at, partitions, incoming, groups };
}
