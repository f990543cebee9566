package localhub.browse

import java.util.Base64

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.qpid.proton.amqp.messaging._
import org.apache.qpid.proton.amqp.{Binary, Symbol}
import org.apache.qpid.proton.codec.DroppingWritableBuffer
import org.apache.qpid.proton.codec.WritableBuffer.ByteBufferWrapper
import org.apache.qpid.proton.message.Message

/**
 * An event to send, given as JSON.
 *
 * @param body         None for an event without a value, a tombstone
 * @param partition    partition id; excludes a partition key
 * @param properties   String, Boolean, Long and Double values, and null
 */
private[localhub] final case class JsonEvent(
    body: Option[Array[Byte]],
    partition: Option[String],
    partitionKey: Option[String],
    properties: Map[String, Any],
    contentType: Option[String],
    messageId: Option[String],
    correlationId: Option[String]
) {

  /** The event as an encoded AMQP message. */
  def encoded: Array[Byte] = {
    val message = Message.Factory.create()
    message.setBody(body.fold[Section](new AmqpValue(null))(bytes => new Data(new Binary(bytes))))
    partitionKey.foreach { key =>
      message.setMessageAnnotations(new MessageAnnotations(
        mutable.Map[Symbol, AnyRef](Symbol.valueOf("x-opt-partition-key") -> key).asJava
      ))
    }
    if (properties.nonEmpty)
      message.setApplicationProperties(new ApplicationProperties(
        properties.map { case (key, value) => key -> value.asInstanceOf[AnyRef] }.asJava
      ))
    contentType.foreach(message.setContentType)
    messageId.foreach(id => message.setMessageId(id))
    correlationId.foreach(id => message.setCorrelationId(id))
    val size = new DroppingWritableBuffer
    message.encode(size)
    val bytes = ByteBufferWrapper.allocate(size.position)
    message.encode(bytes)
    bytes.byteBuffer.array
  }
}

private[localhub] object JsonEvent {
  private val Numbers = "expected a whole number of 64 bits, or one with a fraction or an exponent"
  private val Fields =
    Seq("body", "bodyBase64", "partition", "partitionKey", "properties", "contentType", "messageId", "correlationId")

  /** @throws InvalidEventException that names the wrong field */
  def parse(json: ujson.Value): JsonEvent = {
    val fields = json.objOpt.getOrElse(throw invalid("An event is a JSON object.")).toMap
    fields.keys.find(!Fields.contains(_)).foreach { unknown =>
      throw invalid(s"'$unknown' is not a field of an event; expected one of ${Fields.mkString(", ")}.")
    }
    def text(name: String): Option[String] = fields.get(name).filterNot(_.isNull).map { value =>
      value.strOpt.getOrElse(throw invalid(s"'$name' is $value; expected a string."))
    }
    if (text("partition").isDefined && text("partitionKey").isDefined)
      throw invalid("An event has a partition or a partition key, not both.")
    JsonEvent(
      if (fields.get("body").exists(_.isNull)) None else Some(body(text("body"), text("bodyBase64"))),
      text("partition"),
      text("partitionKey"),
      fields.get("properties").fold(Map.empty[String, Any])(properties),
      text("contentType"),
      text("messageId"),
      text("correlationId")
    )
  }

  private def body(text: Option[String], base64: Option[String]): Array[Byte] = (text, base64) match {
    case (Some(value), None) => value.getBytes("UTF-8")
    case (None, Some(value)) =>
      try Base64.getDecoder.decode(value)
      catch { case _: IllegalArgumentException => throw invalid("'bodyBase64' is not Base64.") }
    case _ => throw invalid("An event has either 'body', a string or null, or 'bodyBase64'.")
  }

  private def properties(json: ujson.Value): Map[String, Any] =
    json.objOpt.getOrElse(throw invalid("'properties' is not an object.")).map {
      case (name, ujson.Str(value)) => name -> value
      case (name, ujson.Bool(value)) => name -> value
      case (name, ujson.Null) => name -> None.orNull
      case (name, number: ExactNumber) if !number.isWhole => name -> number.value
      case (name, number: ExactNumber) =>
        name -> number.text.toLongOption.getOrElse(throw invalid(s"Property '$name' is ${number.text}; $Numbers."))
      // Of an event that was not read from text.
      case (name, ujson.Num(value)) if value.isWhole => name -> value.toLong
      case (name, ujson.Num(value)) => name -> value
      case (name, value) =>
        throw invalid(s"Property '$name' is $value; expected a string, a number, true, false or null.")
    }.toMap[String, Any]

  private def invalid(message: String) = new InvalidEventException(message)
}

/** A field of an event is wrong; the message names it. */
private[localhub] final class InvalidEventException(message: String) extends IllegalArgumentException(message)
