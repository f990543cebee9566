package localhub.amqp

import java.time.Duration

import org.apache.qpid.proton.amqp.transport.Close
import org.scalatest.funsuite.AnyFunSuite

import localhub.node.Namespace

/** Silence of either side, with short limits. */
class IdleSuite extends AnyFunSuite with HubFixture {

  override protected def newServer(namespace: Namespace): AmqpServer =
    new AmqpServer(
      namespace,
      policies,
      "127.0.0.1",
      0,
      clock,
      limits = AmqpLimits(toleratedSilence = Duration.ofSeconds(3), handshake = Duration.ofSeconds(1))
    )

  private def client(): FrameClient = closing(new FrameClient(server.port))

  test("a peer that announces an idle time-out gets empty frames in time") {
    val c = client().open(configure = FrameClient.idleTimeOut(600))
    (1 to 3).foreach(_ => assert(c.receive().body.isEmpty))
  }

  test("a peer that is silent for too long is told so and disconnected") {
    val c = client().open()
    c.attachReceiver("hub1/ConsumerGroups/$Default/Partitions/0")
    val close = c.expect[Close]
    assert(close.getError.getCondition.toString == "amqp:connection:forced")
    assert(c.isClosedByServer)
    eventually("its reader is gone")(server.readers.isEmpty)
  }

  test("a peer that does not get through the handshake is disconnected") {
    val c = client()
    c.sendBytes("AMQ".getBytes)
    assert(c.isClosedByServer)
    eventually("nothing is left of it")(server.counters.openConnections == 0)
  }
}
