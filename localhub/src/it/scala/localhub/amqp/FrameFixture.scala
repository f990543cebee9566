package localhub.amqp

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8

import org.apache.qpid.proton.amqp.Binary
import org.apache.qpid.proton.amqp.messaging.Data
import org.apache.qpid.proton.amqp.transport.ErrorCondition
import org.apache.qpid.proton.message.Message

import testkit.TestSuite

/** What tests need that speak AMQP 1.0 frame by frame. */
trait FrameFixture extends SpecTests with HubFixture { this: TestSuite =>

  protected val reader = "hub1/ConsumerGroups/$Default/Partitions/0"

  protected def client(): FrameClient = closing(new FrameClient(server.port))

  protected def message(body: String): Array[Byte] = {
    val message = Message.Factory.create()
    message.setBody(new Data(new Binary(body.getBytes(UTF_8))))
    val buffer = new Array[Byte](1 << 21)
    java.util.Arrays.copyOf(buffer, message.encode(buffer, 0, buffer.length))
  }

  protected def body(payload: Array[Byte]): String = {
    val message = Message.Factory.create()
    message.decode(payload, 0, payload.length)
    message.getBody.asInstanceOf[Data].getValue.toString
  }

  protected def append(partition: Int, bodies: String*): Unit = send(partition.toString, bodies: _*)

  protected def condition(error: ErrorCondition): String = error.getCondition.toString

  /** Number of fields of a performative: of list8 or list32, never the list0 that the Python SDK cannot read. */
  protected def fieldCount(raw: Array[Byte]): Int = raw(3) & 0xff match {
    case 0xc0 => raw(5) & 0xff
    case 0xd0 => ByteBuffer.wrap(raw, 8, 4).getInt
    case other => throw new AssertionError(f"a performative is encoded as 0x$other%02x")
  }
}
