package localhub.amqp

import java.time.Duration
import java.util.{HashMap => JHashMap}

import org.apache.qpid.proton.amqp.messaging.{Source, Target}
import org.apache.qpid.proton.amqp.transport._
import org.apache.qpid.proton.amqp.{Symbol, UnsignedInteger}

import localhub.amqp.server.AmqpLimits
import localhub.namespace.Namespace
import testkit.TestSuite

/** Peers that send what no SDK sends. Each gets an answer, or a close frame that says what is wrong. */
class BrokenPeerSuite extends TestSuite with FrameFixture {

  override protected def newServer(namespace: Namespace): AmqpServer =
    new AmqpServer(namespace, policies, "127.0.0.1", 0, clock, limits = AmqpLimits(lastFrames = Duration.ofMillis(300)))

  private def readerAttach(properties: (String, AnyRef)*): Attach = {
    val attach = new Attach
    attach.setName("reader")
    attach.setHandle(UnsignedInteger.ZERO)
    attach.setRole(Role.RECEIVER)
    val source = new Source
    source.setAddress(reader)
    attach.setSource(source)
    attach.setTarget(new Target)
    val values = new JHashMap[Symbol, AnyRef]
    properties.foreach { case (name, value) => values.put(Symbol.valueOf(name), value) }
    attach.setProperties(values.asInstanceOf[java.util.Map[Symbol, Object]])
    attach
  }

  test("a peer whose frame cannot be processed gets a close frame with the reason") {
    val c = client().open()
    c.attachReceiver(reader)
    c.send(0, readerAttach())
    assert(condition(c.expect[Close].getError) == "amqp:connection:framing-error")
    assert(c.isClosedByServer)
  }

  test("a link that is attached twice ends, and its readers with it") {
    val c = client().open()
    c.attachReceiver(reader, handle = 0)
    val again = readerAttach()
    again.setHandle(UnsignedInteger.valueOf(7))
    c.send(0, again)
    assert(condition(c.expect[Detach].getError) == "amqp:link:stolen")
    assert(server.readers.isEmpty)
    c.attachReceiver(reader, handle = 1, name = "another")
    assert(server.readers.length == 1)
  }

  test("a link property without a value counts as missing") {
    val none = Option.empty[AnyRef].orNull
    val c = client().open()
    c.send(0, readerAttach("com.microsoft:receiver-name" -> none, "com.microsoft:epoch" -> none))
    assert(c.expect[Attach].getSource != null)
    assert(server.readers.length == 1)
  }

  test("a connection that has ended is closed, also when its peer does not read") {
    val big = "x" * 100000
    (1 to 30).foreach(_ => append(1, Seq.fill(8)(big): _*))
    closeClients()
    val c = client().open()
    c.attachReceiver("hub1/ConsumerGroups/$Default/Partitions/1")
    c.flow(Int.MaxValue, window = Int.MaxValue - 2)
    var sent = 0L
    eventually("the socket takes no more") {
      val before = sent
      sent = server.counters.bytesOut
      sent > 1000000 && sent == before
    }
    c.send(0, new Close)
    eventually("the connection is closed")(server.counters.openConnections == 0)
  }
}
