package localhub.amqp

import java.time.Duration

import org.apache.qpid.proton.amqp.transport.Close
import org.scalatest.funsuite.AnyFunSuite

/** Silence of either side, with short limits. */
class IdleSuite extends AnyFunSuite with HubFixture {

  // Each test has the one limit that it is about: with the others, too, it would have to be quick.
  private def serverWith(limits: AmqpLimits): AmqpServer =
    closing(new AmqpServer(namespace, policies, "127.0.0.1", 0, clock, limits = limits))

  private def client(of: AmqpServer): FrameClient = closing(new FrameClient(of.port))

  test("a peer that announces an idle time-out gets empty frames in time") {
    val c = client(server).open(configure = FrameClient.idleTimeOut(600))
    (1 to 3).foreach(_ => assert(c.receive().body.isEmpty))
  }

  test("a peer that is silent for too long is told so and disconnected") {
    val strict = serverWith(AmqpLimits(toleratedSilence = Duration.ofSeconds(5)))
    val c = client(strict).open()
    c.attachReceiver("hub1/ConsumerGroups/$Default/Partitions/0")
    val close = c.expect[Close]
    assert(close.getError.getCondition.toString == "amqp:connection:forced")
    assert(c.isClosedByServer)
    eventually("its reader is gone")(strict.readers.isEmpty)
  }

  test("a peer that does not get through the handshake is disconnected") {
    val strict = serverWith(AmqpLimits(handshake = Duration.ofSeconds(1)))
    val c = client(strict)
    c.sendBytes("AMQ".getBytes)
    assert(c.isClosedByServer)
    eventually("nothing is left of it")(strict.counters.openConnections == 0)
  }
}
