package org.apache.spark.eventhubs.send

import org.apache.spark.eventhubs.amqp.StampProperty
import org.apache.spark.eventhubs.connection.EventBatch

/**
 * A full batch and its attempts, until the service confirms it. Only [[SendRules]] and its [[BatchDelivery]] change it.
 *
 * @param firstStamp the stamp of its first event
 */
private[eventhubs] final class InFlightBatch(
    val queue: DestinationQueue,
    val batch: EventBatch,
    val firstStamp: Option[StampProperty]
) {

  /** Copied, because the SDK owns the batch once it is sent. */
  val bytes: Int = batch.bytes
  val count: Int = batch.count

  /** The number of its first event, which it has once an idempotent producer has sent it. */
  var firstNumber: Option[Int] = None

  /** The number of its last event. That of the first one must be known. */
  def lastNumber: Int = firstNumber.get + count - 1

  private var started = 0
  private var lost = false
  private var spent = 0L
  private var acceptedBefore = 0L

  def attempts: Int = started

  /**
   * Time on the wire and in back-off. Time in which the task does other work does not count. The time that a busy
   * service takes is counted for the whole hub.
   */
  def spentNanos: Long = spent

  /** @return whether it repeats one that was lost, or whose answer was */
  def startAttempt(): Boolean = {
    started += 1
    val repeats = lost
    lost = false
    repeats
  }

  /** The last attempt, or its answer, was lost. A busy service has answered. */
  def attemptLost(): Unit = lost = true

  def addSpent(nanos: Long): Unit = spent += nanos

  /** @param accepted the number of batches that the service has accepted from this JVM so far */
  def startTimeLimit(accepted: Long): Unit = acceptedBefore = accepted

  /** Starts the time limit again if the service has accepted another batch of this JVM since it started. */
  def renewTimeLimit(accepted: Long): Unit = if (accepted > acceptedBefore) {
    acceptedBefore = accepted
    spent = 0
  }
}
