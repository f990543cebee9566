package org.apache.spark.sql.eventhubs.hubs

/** Divides a limit for all partitions of all hubs among them. */
private[eventhubs] object RateLimit {

  /**
   * Each partition's share is proportional to its backlog, so that all partitions catch up together. A share below one
   * event counts as one, so that no partition starves; with more busy partitions than `limit` the sum exceeds the
   * limit.
   *
   * @param limit   events over all partitions, above 0
   * @param backlog events that wait in each partition; a negative number counts as zero
   * @return events to read of each partition, at most its backlog
   */
  def fairShare[K](limit: Long, backlog: Map[K, Long]): Map[K, Long] = {
    val waiting = backlog.map { case (partition, events) => partition -> math.max(0L, events) }
    val total = waiting.values.map(_.toDouble).sum
    if (total <= limit) waiting
    else
      waiting.map { case (partition, events) =>
        val share = limit * (events / total)
        val whole = if (share < 1) math.ceil(share) else math.floor(share)
        partition -> math.min(events, whole.toLong)
      }
  }
}
