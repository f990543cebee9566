package localhub.amqp

import java.time.Duration
import java.util.concurrent.atomic.AtomicBoolean

import org.apache.qpid.proton.amqp.UnsignedInteger
import org.apache.qpid.proton.amqp.transport.{Close, Detach, End, Open}

import localhub.amqp.server.AmqpLimits
import testkit.TestSuite

/** Idle time-outs of both sides, with short limits. */
class IdleSuite extends TestSuite with HubFixture {

  // Each test shortens one limit only; with all limits short it would have to be fast.
  private def serverWith(limits: AmqpLimits): AmqpServer =
    closing(new AmqpServer(namespace, policies, "127.0.0.1", 0, clock, limits = limits))

  private def client(of: AmqpServer): FrameClient = closing(new FrameClient(of.port))

  test("a peer that announces an idle time-out receives heartbeats in time") {
    val c = client(serverWith(AmqpLimits(shortestIdleTimeOut = Duration.ZERO)))
      .open(configure = FrameClient.idleTimeOut(600))
    (1 to 3).foreach(_ => assert(c.receive().body.isEmpty))
  }

  test("an idle time-out under five seconds is refused; the server announces its own in full") {
    val refused = client(server)
    refused.sendHeader(0)
    refused.readHeader()
    val open = new Open
    open.setContainerId("hasty")
    open.setIdleTimeOut(UnsignedInteger.valueOf(4999))
    refused.send(0, open)
    val error = refused.expect[Close].getError
    assert(error.getCondition.toString == "amqp:not-allowed")
    assert(error.getDescription.startsWith(
      "Idle timeout value specified in connection OPEN ('4999 ms') is not supported. Minimum idle timeout is '5000' ms."
    ))
    assert(refused.isClosedByServer)
    val accepted = client(server)
    accepted.sendHeader(0)
    accepted.readHeader()
    open.setIdleTimeOut(UnsignedInteger.valueOf(5000))
    accepted.send(0, open)
    assert(accepted.expect[Open].getIdleTimeOut.intValue == 240000)
  }

  test("a connection with only $" + "cbs and $" + "management links is closed, each of them with the reason") {
    val c = client(serverWith(AmqpLimits(connectionWithoutLinks = Duration.ofSeconds(2)))).open()
    c.attachSender("$" + "cbs", handle = 0, name = "cbs")
    c.attachReceiver("hub1/$" + "management", handle = 1, name = "management")
    val links = Seq.fill(2)(c.expect[Detach].getError)
    assert(Option(c.expect[End].getError).isEmpty)
    (links :+ c.expect[Close].getError).foreach { error =>
      assert(error.getCondition.toString == "amqp:connection:forced")
      assert(error.getDescription.startsWith(
        "The connection was inactive for more than the allowed 2000 milliseconds and is closed by container 'LinkTracker'."
      ))
    }
    assert(c.isClosedByServer)
  }

  test("a link of a reader or sender keeps its connection open") {
    val limits = AmqpLimits(connectionWithoutLinks = Duration.ofMillis(500), toleratedSilence = Duration.ofSeconds(3))
    val strict = serverWith(limits)
    val c = client(strict).open()
    c.attachSender("hub1/Partitions/0")
    // The connection lives until it is silent for too long.
    assert(c.expect[Close].getError.getDescription.contains("3000 milliseconds"))
  }

  test("a sender that sends nothing and a reader without credit are detached, others stay") {
    val c = client(serverWith(AmqpLimits(idleLink = Duration.ofSeconds(2)))).open()
    c.attachSender("hub1/Partitions/0", handle = 0, name = "sends")
    c.attachReceiver("hub1/ConsumerGroups/$Default/Partitions/0", handle = 1, name = "has-credit")
    c.flow(10, handle = 1)
    c.attachSender("hub1/Partitions/1", handle = 2, name = "idle-sender")
    c.attachReceiver("hub1/ConsumerGroups/$Default/Partitions/1", handle = 3, name = "idle-reader")
    val sending = new AtomicBoolean(true)
    val sender = new Thread(() => {
      var id = 0
      while (sending.get) {
        c.transfer(id, FrameClient.event("x"), handle = 0)
        id += 1
        Thread.sleep(100)
      }
    })
    sender.start()
    val detached =
      try Seq(c.expect[Detach], c.expect[Detach]).map(_.getError)
      finally {
        sending.set(false)
        sender.join()
      }
    assert(detached.forall(_.getCondition.toString == "amqp:link:detach-forced"))
    val texts = detached.map(_.getDescription).sorted
    assert(texts.head.startsWith("The link 'idle-reader' is force detached. Code: ServerError. Details: " +
      "AmqpEventHubConsumer.IdleTimerExpired: Idle timeout: 00:00:02. TrackingId:"))
    assert(texts.last.startsWith("The link 'idle-sender' is force detached by the broker due to errors occurred in " +
      "publisher(link1). Detach origin: AmqpEventHubPublisher.IdleTimerExpired: Idle timeout: 00:00:02. TrackingId:"))
  }

  test("a peer that is silent for too long gets an error and is disconnected") {
    val strict = serverWith(AmqpLimits(toleratedSilence = Duration.ofSeconds(5)))
    val c = client(strict).open()
    c.attachReceiver("hub1/ConsumerGroups/$Default/Partitions/0")
    val close = c.expect[Close]
    assert(close.getError.getCondition.toString == "amqp:connection:forced")
    assert(c.isClosedByServer)
    eventually("its reader is removed")(strict.readers.isEmpty)
  }

  test("a peer that does not complete the handshake is disconnected") {
    val strict = serverWith(AmqpLimits(handshake = Duration.ofSeconds(1)))
    val c = client(strict)
    c.sendBytes("AMQ".getBytes)
    assert(c.isClosedByServer)
    eventually("the connection is closed")(strict.counters.openConnections == 0)
  }
}
