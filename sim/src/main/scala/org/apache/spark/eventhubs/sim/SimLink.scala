package org.apache.spark.eventhubs.sim

import com.azure.core.amqp.exception.{AmqpErrorCondition, AmqpErrorContext, AmqpException}
import org.reactivestreams.Subscription
import reactor.core.CoreSubscriber

import org.apache.spark.eventhubs.connection.{LinkDrain, ReceiveLink}

/** A receiver's link to a partition, as the service and the network see it. */
private[spark] final class SimLink(
    network: SimNetwork,
    hub: SimHub,
    link: ReceiveLink,
    reader: CoreSubscriber[Array[Byte]]
) extends Subscription {

  private val world = hub.world
  private val partition = hub.partitions.lift(link.partitionId)
  private var next = link.fromSeqNo
  private var credit = 0L
  private var isPumping = false
  private var isOpen = false
  private var isCancelled = false
  private var hasEnded = false

  /** Nothing comes until this time. */
  private var stalledUntil = 0L

  /** Answered when the link has opened. Must not be called while the reader subscribes. */
  def connect(): Unit = {
    reader.onSubscribe(this)
    world.after(network.openingMillis)(opened())
  }

  private def opened(): Unit = if (!isCancelled && !hasEnded) {
    if (network.isDown || partition.exists(_.isDown)) world.after(2000)(opened())
    else if (network.isBusy) end(SimLink.busy)
    else if (hub.isMissing || partition.isEmpty) end(SimLink.NotFound)
    else {
      val from = partition.get
      if (from.readers.size >= 5) end(SimLink.TooMany)
      else if (next > from.latest) end(SimLink.beyondEnd(next, from.latest - 1))
      else {
        isOpen = true
        from.readers += this
        next -= from.beginsEarly
        from.beginsEarly = 0
        next = math.max(next, from.earliest)
        link.drain.foreach(drain => drain.bind(() => world.after(network.millis)(drained(drain))))
        pump()
      }
    }
  }

  override def request(events: Long): Unit = {
    world.step()
    credit += events
    if (isOpen) pump()
  }

  override def cancel(): Unit = {
    isCancelled = true
    // The service notices later.
    world.after(network.millis)(partition.foreach(_.readers -= this))
  }

  def eventStored(): Unit = pump()

  def stall(millis: Long): Unit = stalledUntil = world.now + millis

  def end(how: Option[Throwable]): Unit = if (!hasEnded) {
    hasEnded = true
    partition.foreach(_.readers -= this)
    if (!isCancelled) how.fold(reader.onComplete())(reader.onError)
  }

  /** The receiver's process is dead. The service notices after some time. */
  def orphan(): Unit = if (!isCancelled) {
    isCancelled = true
    world.after(world.delay(100, 60000))(partition.foreach(_.readers -= this))
  }

  private def isLive: Boolean = isOpen && !isCancelled && !hasEnded

  private def pump(): Unit = if (!isPumping && isLive && credit > 0 && hasNext) {
    isPumping = true
    val wait = math.max(stalledUntil - world.now, math.max(partition.get.downUntil - world.now, 0L))
    world.after(wait + network.millis) {
      isPumping = false
      if (isLive) {
        if (world.now >= stalledUntil && !partition.get.isDown) deliver(world.between(1, 200))
        pump()
      }
    }
  }

  private def hasNext: Boolean = Option(partition.get.events.ceilingKey(next)).nonEmpty

  /** The next event, if the replica that serves the link has it. */
  private def visible: Option[StoredEvent] = Option(partition.get.events.ceilingEntry(next)).map(_.getValue)
    .filter(_.enqueuedMillis - SimHub.EpochMillis <= network.visibleUntil)

  private def deliver(most: Long): Unit = {
    val from = partition.get
    var left = math.min(most, credit)
    if (from.skipsOnce > 0 && hasNext) {
      val first = from.events.ceilingKey(next)
      val skipped = first + from.skipsOnce
      // Events that two links in a row pass over are a gap: no client can tell the difference.
      if (Option(from.events.ceilingKey(skipped)).nonEmpty && first >= from.skippedUntil) {
        from.skippedUntil = skipped
        next = skipped
        from.skipsOnce = 0
      }
    }
    var event = visible
    while (left > 0 && event.nonEmpty && isLive) {
      val stored = event.get
      next = stored.seqNo + 1
      credit -= 1
      left -= 1
      reader.onNext(stored.message)
      event = visible
    }
  }

  /** The service sends what it has, and returns the credit that is left. */
  private def drained(drain: LinkDrain): Unit = if (isLive) {
    if (world.now < stalledUntil || partition.get.isDown) world.after(500)(drained(drain))
    else {
      deliver(credit)
      val left = credit
      if (left > 0 && network.answersDrain) {
        credit = 0
        drain.answer(left.toInt, isEmpty = true)
      }
    }
  }
}

private[spark] object SimLink {

  private val context = new AmqpErrorContext("contoso.servicebus.windows.net")

  private def failure(transient: Boolean, condition: AmqpErrorCondition, text: String): Option[Throwable] =
    Some(new AmqpException(transient, condition, text, context))

  /** How a link ends whose connection is lost. */
  val Lost: Option[Throwable] = None
  def detached: Option[Throwable] = failure(true, AmqpErrorCondition.LINK_DETACH_FORCED, "the link was detached")
  def busy: Option[Throwable] =
    failure(true, AmqpErrorCondition.SERVER_BUSY_ERROR, "the server is busy. Please wait 4 seconds and try again")
  val Deleted: Option[Throwable] = failure(false, AmqpErrorCondition.NOT_FOUND, "the event hub was deleted")
  val NotFound: Option[Throwable] = failure(false, AmqpErrorCondition.NOT_FOUND, "the event hub was not found")
  val TooMany: Option[Throwable] =
    failure(false, AmqpErrorCondition.RESOURCE_LIMIT_EXCEEDED, "the maximum of 5 receivers was exceeded")
  def beyondEnd(seqNo: Long, last: Long): Option[Throwable] = failure(
    false,
    AmqpErrorCondition.ARGUMENT_ERROR,
    s"The supplied sequence number '$seqNo' is invalid. The last sequence number in the system is '$last'"
  )
}
