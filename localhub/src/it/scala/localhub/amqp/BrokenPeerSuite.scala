package localhub.amqp

import java.util.{HashMap => JHashMap}

import org.apache.qpid.proton.amqp.messaging.{Source, Target}
import org.apache.qpid.proton.amqp.transport._
import org.apache.qpid.proton.amqp.{Symbol, UnsignedInteger}

import testkit.TestSuite

/** Peers that send what no SDK sends. Each gets an answer, or a close frame that says what is wrong. */
class BrokenPeerSuite extends TestSuite with FrameFixture {

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

  test("a link property without a value counts as missing") {
    val none = Option.empty[AnyRef].orNull
    val c = client().open()
    c.send(0, readerAttach("com.microsoft:receiver-name" -> none, "com.microsoft:epoch" -> none))
    assert(c.expect[Attach].getSource != null)
    assert(server.readers.length == 1)
  }
}
