package org.apache.spark.eventhubs.receive

import java.time.Duration

/**
 * How long a receiver waits for what.
 *
 * @param silence   after this long without an event the reader asks whether the events it waits for are still there
 * @param operation failures are retried for this long since the last progress; then they fail the task
 * @param idle      a receiver that no task has used for this long is closed
 */
final case class ReceiverTimeouts(silence: Duration, operation: Duration, idle: Duration) {

  /** Waiting time that the service asks for when it is busy. */
  def busyMillis: Long = 4000L

  /** 50 ms, doubled with each failed attempt, at most 5 s. */
  def backoffMillis(attempt: Int): Long = math.min(5000L, 50L << math.min(attempt - 1, 10))
}
