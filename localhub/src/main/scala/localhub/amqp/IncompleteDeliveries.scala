package localhub.amqp

import java.util.concurrent.atomic.AtomicLong

import scala.collection.mutable

import org.apache.qpid.proton.engine.Session

/** Keeps the deliveries that one connection has begun and not ended within the limits of the connection and the server. */
private[amqp] final class IncompleteDeliveries(limits: AmqpLimits, inAll: AtomicLong) {

  private val sessions = mutable.Set.empty[Session]
  private var bytes = 0L

  def add(session: Session): Unit = { sessions += session; () }

  def remove(session: Session): Unit = {
    sessions -= session
    update()
  }

  def clear(): Unit = {
    sessions.clear()
    update()
  }

  /** Counts anew when a frame may have changed something; false when it has become too much. */
  def check(moreFollows: Boolean): Boolean = {
    if (moreFollows || bytes > 0) update()
    !moreFollows || (bytes <= limits.incompletePerConnection && inAll.get <= limits.incompleteInAll)
  }

  private def update(): Unit = {
    val now = sessions.iterator.map(_.getIncomingBytes.toLong).sum
    inAll.addAndGet(now - bytes)
    bytes = now
  }
}
