package org.apache.spark.eventhubs.receive

import org.apache.spark.eventhubs.connection.SdkErrors
import org.apache.spark.eventhubs.retry.BackOff
import org.apache.spark.eventhubs.{ErrorCondition, EventHubsErrors, EventHubsException}
import org.apache.spark.internal.Logging
import org.apache.spark.util.Clock

/**
 * What follows the end of a receiver's link: a delay, after which the receiver opens another one, or an error. It
 * counts the failures in a row.
 *
 * @param onTooManyReceivers called when the service refuses the link because the partition has too many
 */
private[receive] final class LinkRecovery(
    key: ReceiverKey,
    timeouts: ReceiverTimeouts,
    metrics: ReceiverMetrics,
    clock: Clock,
    onTooManyReceivers: () => Unit
) extends Logging {

  import LinkRecovery._

  private var failedAttempts = 0
  private var lastFailure = Option.empty[Throwable]
  private var progressMillis = clock.getTimeMillis()
  private var saidMillis = 0L

  /** The last failure since the last event. */
  def failure: Option[EventHubsException] =
    lastFailure.filter(_ => failedAttempts > 0).map(translated)

  /** An event has come. */
  def succeeded(): Unit = failedAttempts = 0

  /** The time for which failures may last starts again. */
  def rangeBegins(): Unit = progressMillis = clock.getTimeMillis()

  /** The time for failures starts again, unless the link has failed since the last event. */
  def waitBegins(): Unit = if (failedAttempts == 0) rangeBegins()

  /**
   * Notes the end of a link.
   *
   * @param nextSeqNo where reading resumes
   * @return milliseconds to wait before the receiver opens another link
   * @throws EventHubsException when the failure is permanent, or transient for longer than `timeouts.operation`
   */
  def delay(ending: PrefetchQueue.Ending, link: OpenLink, nextSeqNo: Long): Long = {
    // The link of an idle partition works too, although no event shows it.
    if (clock.getTimeMillis() - link.openedMillis >= timeouts.operation.toMillis) {
      failedAttempts = 0
      progressMillis = clock.getTimeMillis()
    }
    failedAttempts += 1
    ending match {
      case PrefetchQueue.Ending.Completed =>
        sayRarely(s"The connection of $key was lost; reading resumes at sequence number $nextSeqNo")
        if (failedAttempts == 1) 0L else timeouts.backOff.millis(failedAttempts)
      case PrefetchQueue.Ending.Failed(error) => afterFailure(error, isBeyondEnd(ending), link, nextSeqNo)
    }
  }

  /** How long to wait. */
  private def afterFailure(error: Throwable, isBeyondEnd: Boolean, link: OpenLink, nextSeqNo: Long): Long = {
    lastFailure = Some(error)
    val tooMany = SdkErrors.isTooManyReceivers(error)
    if (tooMany) onTooManyReceivers()
    // How a working link ends when its hub is deleted. The hub may have been recreated since.
    val deleted = link.hasDelivered && SdkErrors.isNotFound(error)
    val mayPass = tooMany || deleted || SdkErrors.isTransient(error)
    if (!isBeyondEnd && (!mayPass || isOutOfTime)) throw translated(error)
    val busy = SdkErrors.isServerBusy(error)
    if (busy) metrics.throttled += 1
    val millis = if (busy) BackOff.BusyPause.toMillis else timeouts.backOff.millis(failedAttempts)
    sayRarely(
      s"The link of $key failed; reading resumes at sequence number $nextSeqNo in $millis ms: ${SdkErrors.shown(error)}"
    )
    millis
  }

  private def translated(error: Throwable): EventHubsException =
    SdkErrors.translate(error, key.connection, key.doing) match {
      case stolen if key.isOwned && stolen.condition == ErrorCondition.ReceiverDisconnected =>
        val how = "another receiver of its owner level took it over"
        EventHubsErrors.ownershipLost(key.hub, key.consumerGroup, key.partitionId, how, Some(stolen))
      case other => other
    }

  private def isOutOfTime: Boolean = clock.getTimeMillis() - progressMillis >= timeouts.operation.toMillis

  /** The first failure in a row, and then one a minute: a hub that is away fails each attempt of each of its links. */
  private def sayRarely(text: String): Unit = {
    val now = clock.getTimeMillis()
    if (failedAttempts == 1 || now - saidMillis >= SayAgainAfterMillis) {
      saidMillis = now
      logWarning(text)
    } else logDebug(text)
  }

  /**
   * Waits.
   *
   * @param end     in milliseconds of the clock
   * @param stopped whether the task was killed, which ends the wait
   */
  def sleepUntil(end: Long, stopped: () => Boolean): Unit =
    while (clock.getTimeMillis() < end && !stopped()) clock.waitTillTime(math.min(end, clock.getTimeMillis() + 100))
}

private[receive] object LinkRecovery {

  private val SayAgainAfterMillis = 60000L

  /** Whether the partition ends before the start position. */
  def isBeyondEnd(ending: PrefetchQueue.Ending): Boolean = ending match {
    case PrefetchQueue.Ending.Failed(error) => SdkErrors.isBeyondEnd(error)
    case PrefetchQueue.Ending.Completed => false
  }
}
