package localhub.amqp

import java.net.InetSocketAddress
import java.nio.channels.ServerSocketChannel
import java.time.Clock

import localhub.ServiceSettings
import localhub.amqp.fault.Faults
import localhub.amqp.io.{Acceptor, IoLoop}
import localhub.amqp.layer.{OriginGuard, TlsIdentity}
import localhub.amqp.server.{AmqpCounters, AmqpLimits, ReaderView, ServerContext, ThroughputUnits}
import localhub.auth.{BearerValidator, SharedAccessPolicy, TokenValidator}
import localhub.namespace.Namespace
import localhub.schemas.SchemaRegistry

/**
 * The AMQP 1.0 server of a namespace. It listens from construction until `close()`.
 *
 * @param requestedPort 0 for any free port; see [[port]]
 * @param clock         for the expiry of tokens
 * @param limits        before the time scale of `service`
 * @param ioThreads     threads that serve all connections
 * @param tls           with it, every port accepts TLS as well as plain AMQP
 * @param schemas       None for an empty registry
 * @param requestedTlsPort a second port for clients that expect TLS on its own port (5671); 0 for any free one
 */
final class AmqpServer private[localhub] (
    val namespace: Namespace,
    val policies: Seq[SharedAccessPolicy],
    val host: String,
    requestedPort: Int,
    clock: Clock = Clock.systemUTC(),
    ioThreads: Int = AmqpServer.DefaultIoThreads,
    limits: AmqpLimits = AmqpLimits(),
    tls: Option[TlsIdentity] = None,
    requestedTlsPort: Option[Int] = None,
    service: ServiceSettings = ServiceSettings(),
    schemas: Option[SchemaRegistry] = None
) extends AutoCloseable {

  require(ioThreads > 0, s"ioThreads is $ioThreads; expected at least 1")
  require(requestedTlsPort.isEmpty || tls.nonEmpty, "A TLS port needs a certificate: see TlsIdentity.")

  private[amqp] val context = new ServerContext(
    namespace,
    new TokenValidator(policies, clock),
    clock,
    limits.scaledBy(service.timeScale).forMessagesOf(service.maxMessageBytes.toLong),
    service,
    tls,
    new OriginGuard(host),
    schemas.getOrElse(SchemaRegistry.inMemory(clock))
  )
  private val listener = listen(requestedPort)
  private val tlsListener =
    try requestedTlsPort.map(listen)
    catch {
      case e: Exception =>
        listener.close()
        throw e
    }
  private val loops = IndexedSeq.tabulate(ioThreads)(i => new IoLoop(s"localhub-amqp-$i"))
  (tlsListener.toSeq :+ listener).foreach(new Acceptor(_, loops, context))
  loops.foreach(_.start())

  /** The listening port. */
  val port: Int = listener.socket.getLocalPort

  val tlsPort: Option[Int] = tlsListener.map(_.socket.getLocalPort)

  /** Accepts the bearer tokens of an authority; of none at first. */
  private[localhub] def bearer: BearerValidator = context.tokens.bearer

  /** Injects faults, for tests of programs that use this server. */
  def faults: Faults = context.faults

  /** Send limits per hub; none at first. */
  def throughput: ThroughputUnits = context.throughput

  /** The open readers. */
  def readers: Seq[ReaderView] = context.readers.all.map(_.view)

  def counters: AmqpCounters = context.counters.snapshot

  override def close(): Unit = {
    loops.foreach(_.close())
    context.appendExecutor.close()
  }

  private def listen(port: Int): ServerSocketChannel = {
    val channel = ServerSocketChannel.open()
    try channel.bind(new InetSocketAddress(host, port), AmqpServer.Backlog)
    catch {
      case e: Exception =>
        channel.close()
        throw e
    }
  }
}

object AmqpServer {

  val DefaultIoThreads: Int = math.max(1, math.min(4, Runtime.getRuntime.availableProcessors / 2))

  private val Backlog = 1024
}
