package localhub

import java.nio.file.Path
import java.time.Clock

import localhub.auth.SharedAccessPolicy
import localhub.authority.LocalAuthorityConfig
import localhub.schemas.SchemaGroupConfig

/**
 * Settings of a [[LocalHub]]. Every `with` method returns a changed copy, for Java too.
 *
 * @param amqpPort 0 = any free port
 * @param httpPort 0 = any free port
 * @param dataDir  folder that keeps hubs and events over restarts; without it they are in memory
 * @param fsync    with a data directory: an append waits for the disk, so it survives a power loss
 * @param host     the address to listen on
 * @param policies shared access policies; connection strings use the first one
 * @param tls      without it the server accepts plain AMQP only
 * @param service  rules of the service's tiers, and its long times
 * @param schemaGroups groups of the schema registry, which clients of the service cannot create
 * @param authority a stand-in for Microsoft Entra ID that starts with the hub; without it the hub refuses bearer tokens
 */
final case class LocalHubConfig(
    hubs: Seq[HubConfig] = Nil,
    amqpPort: Int = 0,
    httpPort: Int = 0,
    dataDir: Option[Path] = None,
    fsync: Boolean = false,
    host: String = "127.0.0.1",
    policies: Seq[SharedAccessPolicy] = Seq(SharedAccessPolicy.Root),
    tls: Option[TlsConfig] = None,
    clock: Clock = Clock.systemUTC(),
    service: ServiceSettings = ServiceSettings(),
    authority: Option[LocalAuthorityConfig] = None,
    schemaGroups: Seq[SchemaGroupConfig] = Nil
) {

  def withHub(hub: HubConfig): LocalHubConfig = copy(hubs = hubs :+ hub)
  def withHub(name: String, partitions: Int): LocalHubConfig = withHub(HubConfig(name, partitions))
  def withAmqpPort(port: Int): LocalHubConfig = copy(amqpPort = port)
  def withHttpPort(port: Int): LocalHubConfig = copy(httpPort = port)
  def withDataDir(directory: Path): LocalHubConfig = copy(dataDir = Some(directory))
  def withFsync(on: Boolean): LocalHubConfig = copy(fsync = on)
  def withTls(settings: TlsConfig): LocalHubConfig = copy(tls = Some(settings))
  def withService(settings: ServiceSettings): LocalHubConfig = copy(service = settings)
  def withAuthority(settings: LocalAuthorityConfig): LocalHubConfig = copy(authority = Some(settings))
  def withSchemaGroup(group: SchemaGroupConfig): LocalHubConfig = copy(schemaGroups = schemaGroups :+ group)
  def withHost(address: String): LocalHubConfig = copy(host = address)
}

object LocalHubConfig {

  /** No hubs, in memory, on free ports of loopback. */
  def defaults(): LocalHubConfig = LocalHubConfig()
}
