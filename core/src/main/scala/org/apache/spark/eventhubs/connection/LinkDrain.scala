package org.apache.spark.eventhubs.connection

import java.time.Duration
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.locks.LockSupport

import com.azure.messaging.eventhubs.DrainRequest

/**
 * The question to the service whether a link has got all events that exist now. On a compacted hub the answer is the
 * fastest way to learn that no event follows, because sequence numbers up to the hub's last one may be without an
 * event. One per link; the reader's thread asks. The service need not answer.
 */
private[spark] final class LinkDrain extends DrainRequest {

  private val returned = new AtomicInteger
  @volatile private var isAsked = false
  @volatile private var isEmpty = false
  @volatile private var asking: Thread = _

  override protected def answered(returned: Int, isEmpty: Boolean): Unit = {
    this.returned.addAndGet(returned)
    if (isEmpty) this.isEmpty = true
    // Last, because the reader's thread may ask again from here on.
    isAsked = false
    Option(asking).foreach(LockSupport.unpark)
  }

  /** Forgets an earlier answer. There must be no question without an answer, because answers have no number. */
  def ask(): Unit = {
    asking = Thread.currentThread
    isEmpty = false
    isAsked = true
    request()
  }

  /** Whether the service still has to answer. */
  def isUnanswered: Boolean = isAsked

  /** Whether the answer is that there is no further event. Then no other event comes before those that wait already. */
  def saysEmpty: Boolean = isEmpty

  /** Credit that the service returned since the last call. */
  def takeReturned(): Int = if (returned.get == 0) 0 else returned.getAndSet(0)
}

private[spark] object LinkDrain {

  /** The time between two answers that no event follows. Longer than an event needs to reach all replicas. */
  val AgreeFor: Duration = Duration.ofSeconds(1)

  /** The time without an event and without an answer after which another link is listened to instead. */
  val AnswerWithin: Duration = Duration.ofSeconds(3)

  /**
   * How long a link has to be open, with credit and without having been asked, before its silence counts as an answer.
   * It is as long as answers about fewer events have to agree.
   */
  val ListenFor: Duration = Duration.ofSeconds(10)

  /** A part of the operation timeout, so that both end before it. */
  def answerWithin(operationTimeout: Duration): Duration = Seq(AnswerWithin, operationTimeout.dividedBy(8)).min

  def listenFor(operationTimeout: Duration): Duration = Seq(ListenFor, operationTimeout.dividedBy(4)).min
}
