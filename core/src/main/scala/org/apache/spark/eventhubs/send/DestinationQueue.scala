package org.apache.spark.eventhubs.send

import java.util.ArrayDeque

import org.apache.spark.eventhubs.amqp.StampProperty
import org.apache.spark.eventhubs.connection.EventBatch
import org.apache.spark.eventhubs.options.WriteDestination

/**
 * What goes to one destination: the batch being filled, and the full ones behind each other. A partition or key has
 * one batch on the wire at a time, so that a batch that is sent again never lands behind its successor; without
 * either the service promises no order, and batches overlap.
 */
private[eventhubs] final class DestinationQueue(val destination: WriteDestination) {

  val isOrdered: Boolean = destination != WriteDestination.AnyPartition

  /** Full batches, the next to send first. */
  val waiting = new ArrayDeque[InFlightBatch]

  var open: Option[EventBatch] = None

  /** Of the first event in the open batch. */
  var firstStamp: Option[StampProperty] = None
  var inFlight = 0

  /** Whether a batch has been sent because it was full: the next will be as large. */
  var fillsBatches = false

  /** After a failure nothing is sent before this time. */
  var notBeforeNanos: Option[Long] = None

  def isIdle: Boolean = open.isEmpty && waiting.isEmpty && inFlight == 0

  def mayStart(nowNanos: Long): Boolean =
    !waiting.isEmpty && !(isOrdered && inFlight > 0) && notBeforeNanos.forall(_ - nowNanos <= 0)

  def place: String = destination match {
    case WriteDestination.ToPartition(id) => s"partition $id"
    case WriteDestination.ByKey(key) => s"partition key '$key'"
    case WriteDestination.AnyPartition => "any partition"
  }
}

/** A full batch and the story of its attempts. */
private[eventhubs] final class InFlightBatch(
    val lane: DestinationQueue,
    val batch: EventBatch,
    val firstStamp: Option[StampProperty] = None
) {

  /** As it was when filled; the batch itself is the SDK's from then on. */
  val bytes: Int = batch.bytes
  val count: Int = batch.count

  var attempts = 0

  /** On the wire and in back-off, not while the task was busy with other things; of a busy service's time a part only. */
  var spentNanos = 0L

  /** The batches of this JVM that the service had accepted when this one's patience began to count. */
  var acceptedAtStart = 0L
}
