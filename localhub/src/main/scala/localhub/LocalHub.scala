package localhub

import java.io.IOException

import localhub.amqp.AmqpServer
import localhub.amqp.fault.Faults
import localhub.auth.SharedAccessPolicy
import localhub.http._
import localhub.node.{EventHub, HubStorage, Namespace, RetentionSweep}

/**
 * A running Event Hubs namespace on this machine, in this process: AMQP for the SDKs, HTTP for management.
 * {{{
 * val hub = LocalHub.start(LocalHubConfig(hubs = Seq(HubConfig("telemetry", partitions = 4))))
 * try useIt(hub.connectionString("telemetry")) finally hub.close()
 * }}}
 */
final class LocalHub private (val config: LocalHubConfig, val namespace: Namespace, val amqp: AmqpServer, http: HttpApi)
    extends AutoCloseable {

  private val retention = new RetentionSweep(namespace)

  def amqpPort: Int = amqp.port

  def httpPort: Int = http.port

  /** The address of the HTTP side, without a slash at its end. */
  def httpUrl: String = s"http://${LocalHub.clientHost(config.host)}:$httpPort"

  /** For the namespace; clients name the hub themselves. */
  def connectionString: String = LocalHub.connectionString(config, amqpPort)

  /** For one hub, whether it exists yet or not. */
  def connectionString(hub: String): String = s"$connectionString;EntityPath=$hub"

  /**
   * Creates a hub while the namespace runs.
   *
   * @throws InvalidHubException when a name or number breaks the rules, or the hub is there already
   */
  def createHub(name: String, partitions: Int, consumerGroups: Set[String] = Set.empty): EventHub =
    createHub(HubConfig(name, partitions, consumerGroups))

  def createHub(name: String, partitions: Int): EventHub = createHub(HubConfig(name, partitions))

  def createHub(hub: HubConfig): EventHub = namespace.create(hub).getOrElse {
    throw new InvalidHubException(
      s"The event hub '${hub.name}' is there already. Delete it first, or use another name."
    )
  }

  /** Deletes a hub with its events and disconnects its clients; false when there is none of that name. */
  def deleteHub(name: String): Boolean = namespace.delete(name)

  /**
   * Deletes a hub and creates it again, empty and with the same shape; its clients are disconnected.
   *
   * @throws InvalidHubException when there is none of that name
   */
  def recreateHub(name: String): EventHub = namespace.recreate(name).getOrElse(throw LocalHub.unknownHub(name))

  /**
   * Removes the events of a partition before `sequenceNumber`, as retention does.
   *
   * @throws InvalidHubException when there is no such hub or partition
   */
  def expire(hub: String, partition: String, sequenceNumber: Long): Unit =
    if (!namespace.find(hub).getOrElse(throw LocalHub.unknownHub(hub)).expire(partition, sequenceNumber))
      throw new InvalidHubException(s"The event hub '$hub' has no partition '$partition'.")

  /** Makes the AMQP side misbehave on command. */
  def faults: Faults = amqp.faults

  override def close(): Unit = LocalHub.closeAll(retention, http, amqp, namespace)
}

object LocalHub {

  /**
   * Opens the data directory if there is one, creates the hubs that are missing, and listens.
   *
   * @throws LocalHubException when it cannot, with the reason; nothing is left running
   */
  def start(config: LocalHubConfig): LocalHub = {
    val namespace = new Namespace(config.clock, HubStorage.open(config))
    try {
      config.hubs.foreach(namespace.ensure(_).orThrow())
      val amqp = listening("AMQP", config.host, config.amqpPort)(
        new AmqpServer(namespace, config.policies, config.host, config.amqpPort, config.clock)
      )
      try {
        val http = listening("HTTP", config.host, config.httpPort)(
          new HttpApi(config.host, config.httpPort, routes(config, namespace, amqp))
        )
        new LocalHub(config, namespace, amqp, http)
      } catch {
        case failure: Throwable =>
          amqp.close()
          throw failure
      }
    } catch {
      case failure: Throwable =>
        namespace.close()
        throw failure
    }
  }

  private def routes(config: LocalHubConfig, namespace: Namespace, amqp: AmqpServer): Seq[Routes] = Seq(
    PageRoutes,
    new NamespaceRoutes(connectionString(config, amqp.port), amqp.port),
    new HubRoutes(namespace),
    new EventRoutes(namespace),
    new ReaderRoutes(namespace, () => amqp.readers),
    new FaultRoutes(amqp.faults),
    new MetricsRoutes(namespace, () => new AmqpMetrics(amqp).all)
  )

  private def connectionString(config: LocalHubConfig, amqpPort: Int): String = {
    val policy = config.policies.headOption.getOrElse(SharedAccessPolicy.Root)
    s"Endpoint=sb://${clientHost(config.host)}:$amqpPort;SharedAccessKeyName=${policy.name};" +
      s"SharedAccessKey=${policy.key};UseDevelopmentEmulator=true"
  }

  private def unknownHub(name: String) = new InvalidHubException(s"There is no event hub '$name'.")

  /** The name under which clients on this machine reach an address that is listened on. */
  private def clientHost(host: String): String = host match {
    case "127.0.0.1" | "0.0.0.0" | "::1" | "::" => "localhost"
    case other => other
  }

  private def listening[A](protocol: String, host: String, port: Int)(start: => A): A =
    try start
    catch {
      case failure: IOException =>
        throw new LocalHubException(
          s"Cannot listen for $protocol on $host:$port: ${failure.getMessage}. Choose another port (0 = any free one) or address.",
          failure
        )
    }

  private def closeAll(resources: AutoCloseable*): Unit = {
    val failures = resources.flatMap { resource =>
      try {
        resource.close()
        None
      } catch { case failure: Exception => Some(failure) }
    }
    failures.headOption.foreach { first =>
      failures.tail.foreach(first.addSuppressed)
      throw first
    }
  }
}

/** The local hub cannot start or go on; the message says why and what to do. */
class LocalHubException(message: String, cause: Throwable = None.orNull) extends RuntimeException(message, cause)
