package localhub

import localhub.amqp.AmqpServer
import localhub.amqp.fault.Faults
import localhub.amqp.layer.TlsIdentity
import localhub.http.HttpApi
import localhub.node.{EventHub, HubStorage, Namespace, RetentionSweep}

/**
 * A running Event Hubs namespace on this machine, in this process: AMQP for the SDKs, HTTP for management.
 * {{{
 * val hub = LocalHub.start(LocalHubConfig(hubs = Seq(HubConfig("telemetry", partitions = 4))))
 * try useIt(hub.connectionString("telemetry")) finally hub.close()
 * }}}
 */
final class LocalHub private (
    val config: LocalHubConfig,
    val namespace: Namespace,
    val amqp: AmqpServer,
    http: HttpApi,
    identity: Option[TlsIdentity]
) extends AutoCloseable {

  private val retention = new RetentionSweep(namespace)

  def amqpPort: Int = amqp.port

  def httpPort: Int = http.port

  /** None when there is no TLS. */
  def tlsPort: Option[Int] = amqp.tlsPort

  /** The server's certificate, for clients that are to trust it; None when there is no TLS. */
  def certificatePem: Option[String] = identity.map(_.certificatePem)

  /** The address of the HTTP side, without a slash at its end. */
  def httpUrl: String = s"http://${Launch.clientHost(config.host)}:$httpPort"

  /** For the namespace; clients name the hub themselves. */
  def connectionString: String = Launch.connectionString(config, amqpPort) + Launch.DevelopmentFlag

  /** For the namespace over TLS, so without the development flag; None when there is no TLS. */
  def tlsConnectionString: Option[String] = tlsPort.map(Launch.connectionString(config, _))

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

  /**
   * Gives a hub these limits instead of those it has; None and [[Retention.Unlimited]] take a limit away.
   *
   * @throws InvalidHubException when there is none of that name
   */
  def changeLimits(
      hub: String,
      retention: Retention = Retention.Unlimited,
      throughputUnits: Option[Int] = None
  ): EventHub = namespace.changeLimits(hub, retention, throughputUnits).getOrElse(throw LocalHub.unknownHub(hub))

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

  override def close(): Unit = Launch.closeAll(retention, http, amqp, namespace)
}

object LocalHub {

  /**
   * Opens the data directory if there is one, creates the hubs that are missing, and listens.
   *
   * @throws LocalHubException when it cannot, with the reason; nothing is left running
   */
  def start(config: LocalHubConfig): LocalHub = {
    val identity = Launch.identity(config)
    val namespace = new Namespace(config.clock, HubStorage.open(config))
    Launch.closeOnFailure(namespace) {
      config.hubs.foreach(namespace.ensure(_).orThrow())
      val amqp = Launch.amqp(config, namespace, identity)
      Launch.closeOnFailure(amqp) {
        new LocalHub(config, namespace, amqp, Launch.http(config, namespace, amqp, identity), identity)
      }
    }
  }

  private def unknownHub(name: String) = new InvalidHubException(s"There is no event hub '$name'.")
}

/** The local hub cannot start or go on; the message says why and what to do. */
class LocalHubException(message: String, cause: Throwable = None.orNull) extends RuntimeException(message, cause)
