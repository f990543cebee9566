package org.apache.spark.eventhubs.receive

import java.time.Duration

import org.apache.spark.eventhubs.retry.BackOff

/**
 * How long a receiver waits for what.
 *
 * @param silence   after this long without an event the reader asks whether the events it waits for are still there
 * @param operation failures are retried for this long since the last progress; then they fail the task
 * @param idle      a receiver that no task has used for this long is closed
 * @param backOff   how long to wait after a failure in which the service asked for no pause
 */
private[eventhubs] final case class ReceiverTimeouts(
    silence: Duration,
    operation: Duration,
    idle: Duration,
    backOff: BackOff = BackOff.ForReceiving
)
