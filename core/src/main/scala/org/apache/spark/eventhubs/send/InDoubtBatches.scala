package org.apache.spark.eventhubs.send

import java.time.Duration

import scala.collection.mutable

import org.apache.spark.eventhubs.EventHubName
import org.apache.spark.eventhubs.connection.ProducerFailure.NotProcessed
import org.apache.spark.eventhubs.connection.{EventHubsProducer, ProducerFailure}
import org.apache.spark.eventhubs.retry.CancellableWait
import org.apache.spark.internal.Logging
import org.apache.spark.util.Clock

/**
 * The batches of one task that were sent and have an unknown result. Used by the task's thread, except for
 * [[noteFailure]].
 *
 * @param lookup     None where such batches are just sent again; then none is in doubt
 * @param idempotent knows the result of the batches that it has sent, so that nothing has to be waited for
 */
private[eventhubs] final class InDoubtBatches(
    lookup: Option[InDoubtBatchLookup],
    idempotent: Option[IdempotentSends],
    hub: EventHubName,
    clock: Clock,
    permit: SendPermit
) extends Logging {

  /** With the producer of the last attempt. */
  private val batches = mutable.LinkedHashMap.empty[InFlightBatch, EventHubsProducer]

  def isEmpty: Boolean = batches.isEmpty

  /** Whether a batch without an answer is in doubt, and must not be sent again before a look into the hub. */
  def isChecked: Boolean = lookup.isDefined

  /** @param unansweredNanos of the last attempt, over this producer, until the connection was aborted */
  def add(batch: InFlightBatch, producer: EventHubsProducer, unansweredNanos: Long): Unit = {
    batches(batch) = producer
    noteAge(producer, unansweredNanos)
  }

  /** The service has answered, and does not know the result. Nothing of the batch is on its way. */
  def addAnswered(batch: InFlightBatch, producer: EventHubsProducer): Unit = batches(batch) = producer

  def producers: Iterable[EventHubsProducer] = batches.values.toSeq

  def all: Iterable[InFlightBatch] = batches.keys.toSeq

  /**
   * Notes whether a connection has stalled. At once and from any thread, because other tasks that share the connection
   * look. Also where no batch is in doubt: the others may be of exactly-once writes.
   */
  def noteFailure(result: SendResult): Unit =
    if (result.error.exists(ProducerFailure.isTimeout)) result.producer.markStalled()
    else if (ProducerFailure.isNoAnswer(result.error) && !result.error.map(ProducerFailure.of).contains(NotProcessed))
      noteAge(result.producer, result.endedNanos - result.startedNanos)

  /**
   * Finds out which batches are in the hub: from the service's answer to a new link of their producer, or else by
   * waiting until no batch can still arrive, and looking into the hub. Returns the batches that are there.
   */
  def resolve(): Seq[InFlightBatch] = {
    val answers = batches.keys.toSeq.map(batch => batch -> idempotent.flatMap(_.isStored(batch)))
    val unknown = answers.collect { case (batch, None) => batch }
    val found = if (unknown.isEmpty) Nil else lookup.toSeq.flatMap(lookUp(_, unknown))
    batches.clear()
    answers.collect { case (batch, Some(true)) => batch } ++ found
  }

  private def lookUp(of: InDoubtBatchLookup, unknown: Seq[InFlightBatch]): Seq[InFlightBatch] = {
    settle(of)
    val unsure = unknown.flatMap(batch => batch.firstStamp.map(batch -> _))
    val stored = of.areStored(unsure.map { case (batch, stamp) =>
      InDoubtBatch(stamp, batch.queue.destination, batch.count)
    })
    unsure.zip(stored).collect { case ((batch, _), true) => batch }
  }

  /** How long something may still arrive over these connections, which were aborted. Zero when none has stalled. */
  def arrivalTime(aborted: Iterable[EventHubsProducer]): Duration =
    lookup.filter(_ => aborted.exists(_.isStalled)).fold(Duration.ZERO)(_.settleTimeAfterStall)

  /** The settle time covers only what is answered in less than that. */
  private def noteAge(producer: EventHubsProducer, unansweredNanos: Long): Unit =
    if (lookup.exists(unansweredNanos >= _.settleTime.toNanos)) producer.markStalled()

  private def settle(of: InDoubtBatchLookup): Unit = {
    await(of.settleTime)
    // Only now, because another task may notice it first.
    if (producers.exists(_.isStalled)) {
      logWarning(s"A connection to $hub gave no answer. What was sent over it may arrive late, so the task waits " +
        s"${of.settleTimeAfterStall} before it looks into the hub")
      await(of.settleTimeAfterStall.minus(of.settleTime))
    }
  }

  private def await(time: Duration): Unit = CancellableWait(clock, time.toNanos, () => permit.check())
}
