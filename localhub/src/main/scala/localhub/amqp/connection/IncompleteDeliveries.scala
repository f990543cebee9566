package localhub.amqp.connection

import java.util.concurrent.atomic.AtomicLong

import scala.collection.mutable

import org.apache.qpid.proton.engine.Session

import localhub.amqp.server.AmqpLimits

/** Limits the bytes of incomplete deliveries, per connection and for the server. */
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

  /** Updates the count when a frame may have changed it; false when a limit is exceeded. */
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
