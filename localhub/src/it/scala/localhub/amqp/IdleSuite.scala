package localhub.amqp

import java.time.Duration

import org.apache.qpid.proton.amqp.transport.Close

import localhub.amqp.server.AmqpLimits
import testkit.TestSuite

/** Idle time-outs of both sides, with short limits. */
class IdleSuite extends TestSuite with HubFixture {

  // Each test shortens one limit only; with all limits short it would have to be fast.
  private def serverWith(limits: AmqpLimits): AmqpServer =
    closing(new AmqpServer(namespace, policies, "127.0.0.1", 0, clock, limits = limits))

  private def client(of: AmqpServer): FrameClient = closing(new FrameClient(of.port))

  test("a peer that announces an idle time-out receives heartbeats in time") {
    val c = client(server).open(configure = FrameClient.idleTimeOut(600))
    (1 to 3).foreach(_ => assert(c.receive().body.isEmpty))
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
