package localhub.amqp

import java.time.Clock
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.{AtomicInteger, AtomicLong}
import java.util.{Set => JSet}

import localhub.amqp.fault.{FaultTarget, Faults, HubFaults}
import localhub.amqp.layer.TlsIdentity
import localhub.auth.SasAuthority
import localhub.node.Namespace

/** What all connections of a server share. */
private[amqp] final class ServerContext(
    val namespace: Namespace,
    val authority: SasAuthority,
    val clock: Clock,
    val limits: AmqpLimits,
    val tls: Option[TlsIdentity]
) {

  private val turn = new AtomicInteger
  private val connections = new AtomicLong

  val counters = new LiveCounters
  val appendThreads = new AppendThreads
  val throughput = new ThroughputUnits(clock)

  /** Bytes of all connections' deliveries whose end has not come. */
  val incompleteBytes = new AtomicLong
  val readers = new ReaderRegistry(limits.receiversPerPartition)

  def nextConnectionNumber(): Long = connections.incrementAndGet()

  /** Everything that is open and that a fault can strike. */
  val faultTargets: JSet[FaultTarget] = ConcurrentHashMap.newKeySet[FaultTarget]()

  val hubFaults = new HubFaults(namespace)

  val faults = new Faults(
    clock,
    (fault, decide) => {
      hubFaults.strikeNow(fault.action, decide)
      faultTargets.forEach(t => if (t.canSuffer(fault.action) && decide(t.place)) t.strike(fault.action))
    }
  )

  /** Whose turn of `count` partitions it is to get the next delivery without a key. */
  def nextTurn(count: Int): Int = Math.floorMod(turn.getAndIncrement(), count)
}
