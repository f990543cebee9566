package localhub.amqp.sdk

import java.net.Socket
import java.nio.file.Files
import java.time.Duration
import javax.net.ssl.SSLContext

import scala.jdk.CollectionConverters._

import com.azure.core.amqp.AmqpTransportType
import com.azure.core.amqp.exception.{AmqpErrorCondition, AmqpException}
import com.azure.messaging.eventhubs.models.{EventPosition, ReceiveOptions, SendOptions}
import com.azure.messaging.eventhubs.{EventData, EventHubClientBuilder}
import org.scalatest.BeforeAndAfterAll

import localhub.amqp.fault.{Fault, FaultAction, FaultScope, Occasion}
import localhub.amqp.layer.TlsIdentity
import localhub.amqp.{AmqpServer, HubFixture}
import localhub.log.ManualClock
import localhub.namespace.Namespace
import testkit.{Certificates, TestSuite}

/** The official Java SDK over TLS and over WebSockets. */
class TransportSuite extends TestSuite with HubFixture with BeforeAndAfterAll {

  private val identity = TlsIdentity.selfSigned(Seq("localhost"))
  private val defaultContext = SSLContext.getDefault

  // The server's clock for tokens: they expire when a test says so, however slow the machine is.
  private val time = new ManualClock(System.currentTimeMillis)

  // The SDK uses the JVM's trust store.
  override protected def beforeAll(): Unit = {
    super.beforeAll()
    SSLContext.setDefault(Certificates.trusting(identity.certificate))
  }

  override protected def afterAll(): Unit = {
    SSLContext.setDefault(defaultContext)
    super.afterAll()
  }

  override protected def newServer(namespace: Namespace): AmqpServer =
    new AmqpServer(namespace, policies, "127.0.0.1", 0, time, tls = Some(identity), requestedTlsPort = Some(0))

  private def withoutDevelopmentFlag(port: Int): String =
    s"Endpoint=sb://localhost:$port;SharedAccessKeyName=${policies.head.name};SharedAccessKey=${policies.head.key};EntityPath=hub1"

  /** Sends and receives 3,000 small events and one of nearly 1 MB. */
  private def roundTrip(newBuilder: () => EventHubClientBuilder): Unit = {
    val producer = closing(newBuilder().buildProducerClient())
    val toZero = new SendOptions().setPartitionId("0")
    producer.send((0 until 3000).map(i => new EventData(s"$i")).asJava, toZero)
    producer.send(Seq(new EventData(Array.tabulate(1000000)(_.toByte))).asJava, toZero)
    val subscription = subscribe(closing(newBuilder().buildAsyncConsumerClient()), "0", EventPosition.earliest())
    assert(Seq.fill(3000)(subscription.next().getData.getBodyAsString) == (0 until 3000).map(_.toString))
    assert(subscription.next().getData.getBody.toSeq == Array.tabulate(1000000)(_.toByte).toSeq)
    assert(producer.getEventHubProperties.getName == "hub1")
  }

  test("AMQP over TLS works on its own port, without the development flag, with a verified certificate") {
    roundTrip(() => builder(withoutDevelopmentFlag(server.tlsPort.get)))
  }

  test("every port accepts TLS") {
    roundTrip(() => builder(withoutDevelopmentFlag(server.port)))
  }

  test("AMQP over WebSockets works; the Java SDK always encrypts it") {
    roundTrip(() => builder(connectionString()).transportType(AmqpTransportType.AMQP_WEB_SOCKETS))
  }

  test("plain AMQP works on the TLS port") {
    roundTrip(() => builder(connectionString().replace(s":${server.port}", s":${server.tlsPort.get}")))
  }

  private val transports: Seq[(String, () => EventHubClientBuilder)] = Seq(
    "TLS" -> (() => builder(withoutDevelopmentFlag(server.tlsPort.get))),
    "WebSockets" -> (() => builder().transportType(AmqpTransportType.AMQP_WEB_SOCKETS))
  )

  /**
   * A delay, longer than a service has, because of a defect of the SDK: when the answer to a renewed token arrives
   * within a millisecond, the SDK may still be writing the request; it then interrupts that thread and so closes the
   * connection ("IO Sink was interrupted before reactor closed": ActiveClientTokenManager cancels the interval whose
   * tick is still running). It happened in some of 100 renewals.
   */
  private val roundTripOfTokens =
    Fault(FaultAction.Delay(Duration.ofMillis(500)), Occasion.PutToken, FaultScope(consumerGroup = Some("$Default")))

  transports.foreach { case (transport, newBuilder) =>
    def newConsumer() = closing(newBuilder().buildAsyncConsumerClient())
    def owner(epoch: Long) =
      subscribe(newConsumer(), "0", EventPosition.earliest(), new ReceiveOptions().setOwnerLevel(epoch))

    test(s"owner levels over $transport: a higher one takes over, a lower one is refused") {
      send("0", "x")
      val first = owner(1)
      first.next()
      owner(2).next()
      Seq(first, owner(1)).foreach { reader =>
        assert(reader.error().asInstanceOf[AmqpException].getErrorCondition == AmqpErrorCondition.LINK_STOLEN)
      }
    }

    test(s"properties of hub and partitions, and the error for an unknown partition, over $transport") {
      val producer = closing(newBuilder().buildProducerClient())
      send("2", "a", "b")
      assert(producer.getPartitionProperties("2").getLastEnqueuedSequenceNumber == 1)
      val unknown = intercept[IllegalArgumentException](producer.getPartitionProperties("9"))
      assert(unknown.getMessage.contains("It should be between 0 and 3."))
    }

    test(s"a reader over $transport outlives its tokens, because the SDK puts new ones on the connection") {
      server.faults.inject(roundTripOfTokens)
      val credential = new RenewedTokens(policies.head, Duration.ofSeconds(4))
      val port = if (transport == "TLS") server.tlsPort.get else server.port
      val client = closing(
        newBuilder().credential("localhost", "hub1", credential)
          .customEndpointAddress(s"https://localhost:$port").buildAsyncConsumerClient()
      )
      val reader = subscribe(client, "0")
      val sender = producer()
      def sendAndRead(body: String): Unit = {
        sender.send(Seq(new EventData(body)).asJava, new SendOptions().setPartitionId("0"))
        assert(reader.next().getData.getBodyAsString == body)
      }
      sendAndRead("with the first token")
      val connection = server.readers.map(_.connection)
      Seq(2, 3).foreach { token =>
        // The SDK puts the next token only after this one was accepted.
        eventually(s"token ${token + 1} is put")(server.faults.active.exists(_.hits > token))
        time.now = credential.end(token - 1).toEpochMilli
        sendAndRead(s"with token $token")
      }
      assert(server.readers.map(_.connection) == connection)
    }
  }

  private def http(request: String): String = {
    val socket = closing(new Socket("127.0.0.1", server.port))
    socket.setSoTimeout(60000)
    socket.getOutputStream.write(request.replace("\n", "\r\n").getBytes)
    new String(socket.getInputStream.readAllBytes())
  }

  test("another HTTP request gets an HTTP error, and the connection is closed") {
    assert(http("GET / HTTP/1.1\nHost: x\n\n").startsWith("HTTP/1.1 404 Not Found"))
    assert(http("GET /$servicebus/websocket HTTP/1.1\nHost: x\n\n").startsWith("HTTP/1.1 400 Bad Request"))
    assert(http(s"GET /${"x" * 20000}").startsWith("HTTP/1.1 431"))
    eventually("all connections are closed")(server.counters.openConnections == 0)
  }

  test("a WebSocket whose bytes arrive one by one works; ping is answered with pong, close with close") {
    val socket = closing(new Socket("127.0.0.1", server.port))
    socket.setSoTimeout(60000)
    socket.setTcpNoDelay(true)
    val upgrade = "GET /$servicebus/websocket HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: AMQPWSB10\r\nSec-WebSocket-Version: 13\r\n\r\n"
    def masked(opcode: Int, payload: Array[Byte]): Array[Byte] = {
      val mask = Array[Byte](1, 2, 3, 4)
      Array((0x80 | opcode).toByte, (0x80 | payload.length).toByte) ++ mask ++
        payload.zipWithIndex.map { case (b, i) => (b ^ mask(i % 4)).toByte }
    }
    val sasl = "AMQP".getBytes ++ Array[Byte](3, 1, 0, 0)
    val bytes =
      upgrade.getBytes ++ masked(2, sasl) ++ masked(9, "hello".getBytes) ++ masked(8, Array(3, -24).map(_.toByte))
    bytes.foreach(b => socket.getOutputStream.write(b.toInt))
    val answer = socket.getInputStream.readAllBytes()
    val text = new String(answer, "ISO-8859-1")
    // The example of RFC 6455, section 1.3.
    assert(text.startsWith("HTTP/1.1 101 ") && text.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
    val frames = answer.drop(text.indexOf("\r\n\r\n") + 4)
    assert(frames.containsSlice(Array(0x82, 8).map(_.toByte) ++ sasl))
    assert(text.contains("\u008a\u0005hello"))
    assert(frames.endsWith(Array(0x88, 2, 3, 0xe8).map(_.toByte)))
  }

  test("the PEM of a generated certificate is the certificate") {
    val pem = Files.createTempFile("localhub", ".pem")
    Files.writeString(pem, identity.certificatePem)
    val parsed =
      java.security.cert.CertificateFactory.getInstance("X.509").generateCertificate(Files.newInputStream(pem))
    assert(parsed == identity.certificate)
    Files.delete(pem)
  }
}
