package localhub.amqp

import java.time.Clock
import java.util.concurrent.atomic.{AtomicInteger, AtomicLong}

import localhub.auth.SasAuthority
import localhub.node.{EventHub, Namespace}

/** What all connections of a server share. */
private[amqp] final class ServerContext(
    val namespace: Namespace,
    val authority: SasAuthority,
    val clock: Clock,
    val limits: AmqpLimits
) {

  private val turn = new AtomicInteger
  private val connections = new AtomicLong

  val counters = new LiveCounters
  val readers = new ReaderRegistry(limits.receiversPerPartition)

  def nextConnectionNumber(): Long = connections.incrementAndGet()

  /** Partition for the next delivery without a key. */
  def nextPartition(hub: EventHub): Int = Math.floorMod(turn.getAndIncrement(), hub.partitions.length)
}
