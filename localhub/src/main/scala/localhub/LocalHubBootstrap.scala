package localhub

import java.io.IOException
import java.security.GeneralSecurityException

import localhub.amqp.AmqpServer
import localhub.amqp.layer.TlsIdentity
import localhub.auth.SharedAccessPolicy
import localhub.authority.{HubAuthority, LocalAuthorityConfig}
import localhub.http.{
  AmqpMetrics,
  AuthorityRoutes,
  EventRoutes,
  ExplorerRoutes,
  FaultRoutes,
  HealthRoutes,
  HttpApi,
  HubRoutes,
  MetricsRoutes,
  NamespaceRoutes,
  ReaderRoutes,
  SchemaRoutes
}
import localhub.namespace.{DataDirectory, Namespace}
import localhub.schemas.{SchemaRegistry, SchemaStorage}

/** Creates the parts of a [[LocalHub]] and connects them. */
private[localhub] object LocalHubBootstrap {

  val DevelopmentFlag = ";UseDevelopmentEmulator=true"

  /** The file in the data directory has the generated certificate with its key. */
  val CertificateFile = "tls.p12"

  /** The data directory must be open. */
  def schemas(config: LocalHubConfig): SchemaRegistry = {
    val registry = new SchemaRegistry(config.clock, SchemaStorage.open(config.dataDir))
    config.schemaGroups.foreach(registry.ensureGroup)
    registry
  }

  def amqp(
      config: LocalHubConfig,
      namespace: Namespace,
      identity: Option[TlsIdentity],
      schemas: SchemaRegistry
  ): AmqpServer = {
    val place = s"${config.host}:${config.amqpPort}${config.tls.fold("")(tls => s" and ${tls.port}")}"
    val server = listening("AMQP", place)(
      new AmqpServer(
        namespace,
        config.policies,
        config.host,
        config.amqpPort,
        config.clock,
        tls = identity,
        requestedTlsPort = config.tls.map(_.port),
        service = config.service,
        schemas = Some(schemas)
      )
    )
    namespace.onHubUpdate { hub =>
      hub.config.throughputUnits.fold(server.throughput.clear(hub.name))(server.throughput.set(hub.name, _))
    }
    server
  }

  def authority(config: LocalHubConfig, amqp: AmqpServer, identity: Option[TlsIdentity]): HubAuthority = {
    val host = new HubAuthority(amqp.bearer, identity.map(_.certificate))
    config.authority.foreach { settings =>
      listening("the authority", s"${settings.host}:${settings.port}")(host.start(settings))
    }
    host
  }

  def http(
      config: LocalHubConfig,
      namespace: Namespace,
      amqp: AmqpServer,
      identity: Option[TlsIdentity],
      authority: HubAuthority,
      schemas: SchemaRegistry
  ): HttpApi = {
    val routes = Seq(
      new HealthRoutes(() => namespace.problem),
      ExplorerRoutes,
      new NamespaceRoutes(connectionString(config, amqp.port) + DevelopmentFlag, amqp, identity),
      new HubRoutes(namespace),
      new EventRoutes(namespace, schemas, config.service.maxMessageBytes),
      new ReaderRoutes(namespace, () => amqp.readers),
      new FaultRoutes(amqp.faults),
      new SchemaRoutes(schemas),
      new AuthorityRoutes(authority, LocalAuthorityConfig(host = config.host, clock = config.clock)),
      new MetricsRoutes(namespace, () => new AmqpMetrics(amqp).all)
    )
    listening("HTTP", s"${config.host}:${config.httpPort}")(new HttpApi(config.host, config.httpPort, routes))
  }

  /** The data directory must be open: a new certificate is written there. */
  def identity(config: LocalHubConfig): Option[TlsIdentity] = config.tls.map { tls =>
    val hosts = Seq("localhost", config.host).distinct
    (tls.keyStore, config.dataDir.map(_.resolve(CertificateFile))) match {
      case (Some(store), _) =>
        usable(s"The key store ${store.path} cannot be used")(TlsIdentity.fromKeyStore(store.path, store.password))
      case (None, Some(file)) =>
        usable(s"The key store $file cannot be used. Remove it for a new certificate")(
          TlsIdentity.kept(file, hosts, config.clock.instant(), DataDirectory.writeSecret(file, _))
        )
      case (None, None) => usable("A certificate cannot be generated")(TlsIdentity.selfSigned(hosts))
    }
  }

  private def usable(otherwise: String)(identity: => TlsIdentity): TlsIdentity =
    try identity
    catch {
      case failure @ (_: IOException | _: GeneralSecurityException | _: IllegalArgumentException) =>
        throw new LocalHubException(s"$otherwise: ${failure.getMessage}.", failure)
    }

  /** Returns a string without the development flag, as TLS clients need it. */
  def connectionString(config: LocalHubConfig, port: Int): String = {
    val policy = config.policies.headOption.getOrElse(SharedAccessPolicy.Root)
    s"Endpoint=sb://${clientHost(config.host)}:$port;SharedAccessKeyName=${policy.name};SharedAccessKey=${policy.key}"
  }

  /** The name by which clients on this machine reach a listening address. */
  def clientHost(host: String): String = host match {
    case "127.0.0.1" | "0.0.0.0" | "::1" | "::" => "localhost"
    case other => other
  }

  def closeOnFailure[A](resource: AutoCloseable)(body: => A): A =
    try body
    catch {
      case failure: Throwable =>
        resource.close()
        throw failure
    }

  def closeAll(resources: AutoCloseable*): Unit = {
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

  private def listening[A](protocol: String, place: String)(start: => A): A =
    try start
    catch {
      case failure: IOException =>
        throw new LocalHubException(
          s"Cannot listen for $protocol on $place: ${failure.getMessage}. Choose another port (0 = any free one) or address.",
          failure
        )
    }
}
