package benchmarks.micro

import java.util.Date

import scala.jdk.CollectionConverters._

import org.apache.qpid.proton.amqp.messaging._
import org.apache.qpid.proton.amqp.{Binary, Symbol => AmqpSymbol}
import org.apache.qpid.proton.message.Message

/** Encoded events as the service delivers them. */
object Deliveries {

  /** @param content `bare`, or `full` with a partition key, three application properties and a message id */
  def encoded(bodyBytes: Int, content: String): Array[Byte] = {
    val message = Message.Factory.create()
    message.setBody(new Data(new Binary(Array.fill(bodyBytes)('x'.toByte))))
    message.setMessageAnnotations(new MessageAnnotations(annotations(content).map { case (name, value) =>
      AmqpSymbol.valueOf(name) -> value
    }.asJava))
    if (content == "full") {
      message.setApplicationProperties(
        new ApplicationProperties(Map[String, AnyRef](
          "site" -> "north-17",
          "unit" -> "celsius",
          "schema" -> "4"
        ).asJava)
      )
      message.setMessageId("7f3c2c4e-6d0b-4d83-9a3e-1f6e5e0b9f10")
    }
    val buffer = new Array[Byte](bodyBytes + 1024)
    buffer.take(message.encode(buffer, 0, buffer.length))
  }

  def decode(delivery: Array[Byte]): Message = {
    val message = Message.Factory.create()
    message.decode(delivery, 0, delivery.length)
    message
  }

  private def annotations(content: String): Map[String, AnyRef] = Map[String, AnyRef](
    "x-opt-sequence-number" -> Long.box(4711L),
    "x-opt-offset" -> "482304",
    "x-opt-enqueued-time" -> new Date(1700000000000L)
  ) ++ Option.when(content == "full")("x-opt-partition-key" -> "device-17")
}
