package localhub.http

import java.time.Instant

import localhub.log.PartitionLog
import localhub.namespace.EventHub

/**
 * Hubs and partitions as JSON. Sequence numbers and sizes are numbers; times are ISO-8601 in UTC, null before the first
 * event.
 */
private[localhub] object HubJson {

  def apply(hub: EventHub): ujson.Obj = ujson.Obj(
    "name" -> hub.name,
    "createdAt" -> hub.createdAt.toString,
    "partitionCount" -> hub.partitions.size,
    "consumerGroups" -> hub.consumerGroups,
    "retention" -> optional(hub.config.retention.time)(limit => ujson.Str(limit.toString)),
    "retentionBytes" -> optional(hub.config.retention.bytesPerPartition)(number),
    "throughputUnits" -> optional(hub.config.throughputUnits)(units => ujson.Num(units.toDouble)),
    "geoReplication" -> hub.config.geoReplication,
    "cleanupPolicy" -> hub.config.compaction.fold("delete")(_ => "compact"),
    "partitions" -> ujson.Arr.from(hub.partitions.zipWithIndex.map { case (log, id) => partition(id, log) })
  )

  private def partition(id: Int, log: PartitionLog): ujson.Obj = {
    val bounds = log.bounds
    ujson.Obj(
      "id" -> id.toString,
      "beginSequenceNumber" -> number(bounds.beginSequenceNumber),
      "lastSequenceNumber" -> number(bounds.lastSequenceNumber),
      "lastOffset" -> bounds.lastOffset.toString,
      "lastEnqueuedTime" -> (if (bounds.lastSequenceNumber < 0) ujson.Null
                             else Instant.ofEpochMilli(bounds.lastEnqueuedMillis).toString),
      "events" -> number(log.retainedEvents),
      "bytes" -> number(log.retainedBytes)
    )
  }

  private def optional[A](value: Option[A])(json: A => ujson.Value): ujson.Value =
    value.fold[ujson.Value](ujson.Null)(json)

  // ujson's numbers are doubles, exact to 2^53: enough for any count of events or bytes on one machine.
  def number(value: Long): ujson.Num = ujson.Num(value.toDouble)
}
