package localhub

import localhub.amqp.AmqpServer
import localhub.amqp.event.StoredEventKey
import localhub.amqp.fault.Faults
import localhub.amqp.layer.TlsIdentity
import localhub.authority.{HubAuthority, LocalAuthority, LocalAuthorityConfig}
import localhub.http.HttpApi
import localhub.namespace.{CompactionSweep, EventHub, HubStorage, Namespace, RetentionSweep}
import localhub.schemas.SchemaRegistry

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
    val schemas: SchemaRegistry,
    http: HttpApi,
    identity: Option[TlsIdentity],
    authorities: HubAuthority
) extends AutoCloseable {

  private val compaction = new CompactionSweep(() => config.clock.millis(), StoredEventKey.of)
  private val retention = new RetentionSweep(namespace, compaction(_))

  def amqpPort: Int = amqp.port

  def httpPort: Int = http.port

  /** None without TLS. */
  def tlsPort: Option[Int] = amqp.tlsPort

  /** The server's certificate, for the trust store of clients; None without TLS. */
  def certificatePem: Option[String] = identity.map(_.certificatePem)

  /** The HTTP address, without a trailing slash. */
  def httpUrl: String = s"http://${LocalHubBootstrap.clientHost(config.host)}:$httpPort"

  /** Connects to the namespace, without `EntityPath`. */
  def connectionString: String =
    LocalHubBootstrap.connectionString(config, amqpPort) + LocalHubBootstrap.DevelopmentFlag

  /** Connects to the namespace over TLS, without the development flag; None without TLS. */
  def tlsConnectionString: Option[String] = tlsPort.map(LocalHubBootstrap.connectionString(config, _))

  /** Connects to one hub, which need not exist yet. */
  def connectionString(hub: String): String = s"$connectionString;EntityPath=$hub"

  /**
   * Creates a hub while the namespace runs.
   *
   * @throws InvalidHubException when a name or number breaks the rules, or the hub exists
   */
  def createHub(name: String, partitions: Int, consumerGroups: Set[String] = Set.empty): EventHub =
    createHub(HubConfig(name, partitions, consumerGroups))

  def createHub(name: String, partitions: Int): EventHub = createHub(HubConfig(name, partitions))

  def createHub(hub: HubConfig): EventHub = namespace.create(hub).getOrElse {
    throw new InvalidHubException(
      s"The event hub '${hub.name}' already exists. Delete it first, or use another name."
    )
  }

  /**
   * Replaces a hub's limits; None and [[Retention.Unlimited]] remove a limit.
   *
   * @throws InvalidHubException when no hub has this name
   */
  def changeLimits(
      hub: String,
      retention: Retention = Retention.Unlimited,
      throughputUnits: Option[Int] = None
  ): EventHub = namespace.changeLimits(hub, retention, throughputUnits).getOrElse(throw LocalHub.unknownHub(hub))

  /** Deletes a hub with its events and disconnects its clients; false when no hub has this name. */
  def deleteHub(name: String): Boolean = namespace.delete(name)

  /**
   * Deletes a hub and creates it again, empty, with the same settings. Its clients are disconnected.
   *
   * @throws InvalidHubException when no hub has this name
   */
  def recreateHub(name: String): EventHub = namespace.recreate(name).getOrElse(throw LocalHub.unknownHub(name))

  /**
   * Promotes the secondary region of a geo-replicated hub. Its clients are disconnected, and the next events have a new
   * epoch.
   *
   * @param unreplicated how many of the newest events the secondary does not have; the next events get their numbers
   * @param partition    the only partition that lacks events; None: each of them
   * @throws InvalidHubException when there is no such hub, or it is not geo-replicated
   */
  def promote(hub: String, unreplicated: Long = 0, partition: Option[String] = None): Unit =
    namespace.find(hub).getOrElse(throw LocalHub.unknownHub(hub)).promote(unreplicated, partition)

  /**
   * Removes a partition's events before `sequenceNumber`, as retention does.
   *
   * @throws InvalidHubException when there is no such hub or partition
   */
  def expire(hub: String, partition: String, sequenceNumber: Long): Unit =
    if (!namespace.find(hub).getOrElse(throw LocalHub.unknownHub(hub)).expire(partition, sequenceNumber))
      throw new InvalidHubException(s"The event hub '$hub' has no partition '$partition'.")

  /**
   * Compacts a partition now, whatever the hub's cleanup policy is: of the events with one key it keeps the latest.
   *
   * @param before           the first event of the active tail, which is not compacted; None compacts all events
   * @param removeTombstones whether tombstones are removed too, as after their time
   * @throws InvalidHubException when there is no such hub or partition
   */
  def compact(hub: String, partition: String, before: Option[Long] = None, removeTombstones: Boolean = false): Unit =
    if (
      !namespace.find(hub).getOrElse(throw LocalHub.unknownHub(hub))
        .compact(partition, before, removeTombstones, StoredEventKey.of)
    ) throw new InvalidHubException(s"The event hub '$hub' has no partition '$partition'.")

  /** The stand-in for Microsoft Entra ID whose tokens the hub accepts; None while there is none. */
  def authority: Option[LocalAuthority] = authorities.current

  /**
   * Starts a stand-in for Microsoft Entra ID. The hub accepts its tokens until it is stopped.
   *
   * @throws IllegalStateException when the hub has one already
   */
  def startAuthority(settings: LocalAuthorityConfig): LocalAuthority =
    authorities.start(settings)

  /** Starts an authority with the hub's host and clock. */
  def startAuthority(): LocalAuthority =
    startAuthority(LocalAuthorityConfig(host = config.host, clock = config.clock))

  /** Stops the authority, if there is one. From now on the hub refuses its tokens. */
  def stopAuthority(): Unit = authorities.close()

  /** Injects faults into the AMQP server. */
  def faults: Faults = amqp.faults

  override def close(): Unit = LocalHubBootstrap.closeAll(retention, http, authorities, amqp, namespace)
}

object LocalHub {

  /**
   * Opens the data directory (if any), creates the missing hubs, and listens.
   *
   * @throws LocalHubException with the reason when the hub cannot start; nothing keeps running
   */
  def start(config: LocalHubConfig): LocalHub = {
    val namespace = new Namespace(config.clock, HubStorage.open(config))
    LocalHubBootstrap.closeOnFailure(namespace) {
      val identity = LocalHubBootstrap.identity(config)
      config.hubs.foreach(namespace.ensure(_).orThrow())
      val schemas = LocalHubBootstrap.schemas(config)
      val amqp = LocalHubBootstrap.amqp(config, namespace, identity, schemas)
      LocalHubBootstrap.closeOnFailure(amqp) {
        val authorities = LocalHubBootstrap.authority(config, amqp, identity)
        LocalHubBootstrap.closeOnFailure(authorities) {
          val http = LocalHubBootstrap.http(config, namespace, amqp, identity, authorities, schemas)
          new LocalHub(config, namespace, amqp, schemas, http, identity, authorities)
        }
      }
    }
  }

  private def unknownHub(name: String) = new InvalidHubException(s"There is no event hub '$name'.")
}
