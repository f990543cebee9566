package localhub.amqp.server

import java.util.concurrent.atomic.AtomicLong

/**
 * Bytes of complete deliveries of one connection that wait to be stored: for a disk, or because a fault holds them.
 * Above a limit the connection is not read, so that a slow disk does not fill the memory. Thread-safe.
 *
 * @param inAll of all connections
 */
private[amqp] final class WaitingBytes(limits: AmqpLimits, inAll: AtomicLong) {
  private val own = new AtomicLong

  def add(bytes: Int): Unit = {
    own.addAndGet(bytes.toLong)
    inAll.addAndGet(bytes.toLong)
    ()
  }

  def remove(bytes: Int): Unit = add(-bytes)

  /** Never for a connection without such bytes: it does not need to wait for others. */
  def areTooMany: Boolean = {
    val waiting = own.get
    waiting > limits.waitingPerConnection || (waiting > 0 && inAll.get > limits.waitingInAll)
  }
}
