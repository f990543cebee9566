package localhub.amqp

import java.net.InetSocketAddress
import java.nio.channels.ServerSocketChannel
import java.time.Clock

import localhub.amqp.fault.Faults
import localhub.amqp.layer.TlsIdentity
import localhub.auth.{SasAuthority, SharedAccessPolicy}
import localhub.node.Namespace

/**
 * The AMQP 1.0 face of a namespace, listening from construction until `close()`.
 *
 * @param requestedPort 0 for any free port; see [[port]]
 * @param clock         decides about the expiry of tokens
 * @param ioThreads     threads that serve all connections
 * @param limits        what one connection may use
 * @param tls           with it, every port speaks TLS too, to whoever begins with it
 * @param requestedTlsPort a second port, for clients that expect TLS on one of its own (5671; 0 for any free one)
 */
final class AmqpServer(
    val namespace: Namespace,
    val policies: Seq[SharedAccessPolicy],
    val host: String,
    requestedPort: Int,
    clock: Clock = Clock.systemUTC(),
    ioThreads: Int = AmqpServer.DefaultIoThreads,
    limits: AmqpLimits = AmqpLimits(),
    tls: Option[TlsIdentity] = None,
    requestedTlsPort: Option[Int] = None
) extends AutoCloseable {

  require(ioThreads > 0, s"ioThreads is $ioThreads; expected at least 1")
  require(requestedTlsPort.isEmpty || tls.nonEmpty, "A TLS port needs a certificate: see TlsIdentity.")

  private[amqp] val context = new ServerContext(namespace, new SasAuthority(policies, clock), clock, limits, tls)
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

  /** The port that is listened on. */
  val port: Int = listener.socket.getLocalPort

  val tlsPort: Option[Int] = tlsListener.map(_.socket.getLocalPort)

  /** What is to go wrong, for the tests of those who use this server. */
  def faults: Faults = context.faults

  /** How much may be sent to each hub; without limit at first. */
  def throughput: ThroughputUnits = context.throughput

  /** The readers that are open now. */
  def readers: Seq[ReaderView] = context.readers.all.map(_.view)

  def counters: AmqpCounters = context.counters.snapshot

  override def close(): Unit = {
    loops.foreach(_.close())
    context.appendThreads.close()
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

  /** The largest event, or batch of events, as its producer encodes it. */
  val MaxMessageSize: Int = 1024 * 1024

  val DefaultIoThreads: Int = math.max(1, math.min(4, Runtime.getRuntime.availableProcessors / 2))

  private val Backlog = 1024
}
