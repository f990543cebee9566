// Readers by consumer group. Where several readers of a group share a partition, the one that is furthest behind
// counts.

export function groupsOf(readers) {
  const groups = new Map();
  for (const reader of readers) {
    const name = reader.consumerGroup;
    if (!groups.has(name)) groups.set(name, { name, readers: [], next: {}, behind: {} });
    const group = groups.get(name);
    group.readers.push(reader);
    group.next[reader.partition] = Math.min(reader.nextSequenceNumber, group.next[reader.partition] ?? Infinity);
    group.behind[reader.partition] = Math.max(reader.lag, group.behind[reader.partition] ?? 0);
  }
  const lagOf = (group) => Object.values(group.behind).reduce((sum, lag) => sum + lag, 0);
  return [...groups.values()].map((group) => ({ ...group, lag: lagOf(group), partitions: Object.keys(group.next).length }));
}
