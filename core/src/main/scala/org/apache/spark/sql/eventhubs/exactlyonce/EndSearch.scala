package org.apache.spark.sql.eventhubs.exactlyonce

import org.apache.spark.eventhubs.amqp.ReceivedEvent
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.receive.CachedEventHubsReceiver
import org.apache.spark.eventhubs.{EventHubName, EventHubsErrors}
import org.apache.spark.util.Clock

/**
 * The search for the end of one partition, over a link of its own. It waits for nothing, so that a thread can have many
 * of them.
 *
 * @param startedMillis when the search began, in milliseconds since 1970, as events have them
 * @param use           gets each event
 */
private[exactlyonce] final class EndSearch(
    receiver: CachedEventHubsReceiver,
    hub: EventHubName,
    settings: ReadSettings,
    clock: Clock,
    startedMillis: Long,
    stopped: () => Boolean,
    use: ReceivedEvent => Unit
) extends AutoCloseable {

  import EndSearch._

  private var events = 0L
  private var progressMillis = clock.getTimeMillis()
  private var lookedMillis = progressMillis
  private var reportedAgain = Option.empty[Long]
  private var lastEnqueuedMillis = Long.MinValue

  receiver.startRange(Long.MaxValue, isFollowed = false)

  /** The number of events that came. */
  def received: Long = events

  /** Takes what has come. The sequence number after the last event, once it is the end. */
  def step(): Option[Long] = {
    // While the thread waited for other links, nothing was seen of this one.
    val away = clock.getTimeMillis() - lookedMillis
    if (away > LookEveryMillis) progressMillis += away
    if (!receiver.isAskedIfEmpty) receiver.askIfEmpty()
    val before = events
    while (events - before < AtOnce && receiver.advanceWithin(Never, 0)) {
      events += 1
      lastEnqueuedMillis = receiver.event.enqueuedMillis
      use(receiver.event)
    }
    val now = clock.getTimeMillis()
    lookedMillis = now
    if (events > before) progressMillis = now
    if (isAtEnd) Some(receiver.nextSeqNo)
    else {
      if (now - progressMillis >= settings.connection.operationTimeout.toMillis) throw silent(now - progressMillis)
      None
    }
  }

  /**
   * The reported end may lag behind, and a link may be in the middle of many events. So the link must have been silent,
   * or the last event was enqueued after the search began: a partition delivers its events in their order.
   */
  private def isAtEnd: Boolean =
    // Whatever the clocks say, and also where other writers never let the service say that no event follows.
    if (isPastStart(LongSkewMillis)) true
    else if (reportedAgain.isDefined)
      reportedAgain.exists(receiver.nextSeqNo >= _) && (isPastStart(ClockSkewMillis) || receiver.takeEmpty())
    else if (receiver.hasListened) {
      reportedAgain = Some(receiver.bounds(stopped).latest)
      isAtEnd
    } else receiver.takeEmpty()

  private def isPastStart(skewMillis: Long) = lastEnqueuedMillis >= startedMillis + skewMillis

  private def silent(millis: Long) = receiver.failure.getOrElse(
    EventHubsErrors.silent(hub, receiver.key.doing, receiver.nextSeqNo, millis / 1000, "")
  )

  override def close(): Unit = receiver.close()
}

private object EndSearch {

  /** So that no other search of the thread waits for long. */
  private val AtOnce = 1000
  private val LookEveryMillis = 1000L

  /** How far the clocks of this machine and of the service may differ. */
  private val ClockSkewMillis = 5000L
  private val LongSkewMillis = 60000L
  private val Never: () => Boolean = () => false
}
