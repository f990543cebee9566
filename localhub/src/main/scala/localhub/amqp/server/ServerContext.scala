package localhub.amqp.server

import java.time.Clock
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.{AtomicInteger, AtomicLong}
import java.util.{Set => JSet}

import localhub.ServiceSettings
import localhub.amqp.fault.{FaultTarget, Faults, HubFaults}
import localhub.amqp.layer.{HttpResource, HttpService, OriginGuard, TlsIdentity}
import localhub.auth.TokenValidator
import localhub.namespace.Namespace
import localhub.schemas.SchemaRegistry

/** State that all connections of a server share. */
private[amqp] final class ServerContext(
    val namespace: Namespace,
    val tokens: TokenValidator,
    val clock: Clock,
    val limits: AmqpLimits,
    val service: ServiceSettings,
    val tls: Option[TlsIdentity],
    originGuard: OriginGuard,
    schemas: SchemaRegistry
) {

  private val roundRobin = new AtomicInteger
  private val connections = new AtomicLong

  val counters = new LiveCounters
  val appendExecutor = new AppendExecutor
  val throughput = new ThroughputUnits(clock)
  val managementRequests = new ManagementRequests(service.managementPerSecond, clock)
  val managedBounds = new ManagedBounds(service.managementMaxAge, clock)

  /** Bytes of incomplete deliveries and of incomplete HTTP requests, on all connections. */
  val incompleteBytes = new AtomicLong

  val http: HttpService = {
    val managers = new ManagerTokens(tokens)
    val feed = new HubFeed(namespace, managers)
    val creation = new HubCreation(namespace, managers)
    val registry = new SchemaResource(schemas, managers, service.schemaSignatures)
    // The creation takes every PUT.
    val resource: HttpResource =
      request => feed.answer(request).orElse(registry.answer(request)).orElse(creation.answer(request))
    new HttpService(originGuard, resource, incompleteBytes, limits.incompleteInAll)
  }

  /** Bytes of deliveries that wait for the disk, on all connections. */
  val waitingBytes = new AtomicLong
  val producers = new IdempotentProducers
  val readers = new ReaderRegistry(limits.receiversPerPartition)

  def nextConnectionNumber(): Long = connections.incrementAndGet()

  /** Open connections and links to which a fault can be applied. */
  val faultTargets: JSet[FaultTarget] = ConcurrentHashMap.newKeySet[FaultTarget]()

  val hubFaults = new HubFaults(namespace)

  val faults = new Faults(
    clock,
    (fault, decide) => {
      hubFaults.applyNow(fault.action, decide)
      faultTargets.forEach(t => if (t.supports(fault.action) && decide(t.scope)) t.applyFault(fault.action))
    }
  )

  /** Index of the partition, of `count`, for the next delivery without a key. */
  def nextRoundRobin(count: Int): Int = Math.floorMod(roundRobin.getAndIncrement(), count)
}
