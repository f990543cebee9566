package localhub.amqp.server

import java.util.concurrent.atomic.AtomicLong

/**
 * The bytes of one connection's deliveries that wait for the disk. Over a limit the connection is not read, so that its
 * peer's socket holds the rest: credit is given in deliveries, however large they are. Thread-safe.
 *
 * @param inAll those of all connections
 */
private[amqp] final class WaitingBytes(limits: AmqpLimits, inAll: AtomicLong) {
  private val own = new AtomicLong

  def add(bytes: Long): Unit = {
    own.addAndGet(bytes)
    inAll.addAndGet(bytes)
    ()
  }

  def remove(bytes: Long): Unit = add(-bytes)

  /** A connection with nothing that waits is always read: no append of its own would end the pause. */
  def areTooMany: Boolean = {
    val waiting = own.get
    waiting > 0 && (waiting >= limits.waitingPerConnection || inAll.get >= limits.incompleteInAll)
  }
}
