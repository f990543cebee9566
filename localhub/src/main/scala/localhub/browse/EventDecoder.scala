package localhub.browse

import java.nio.ByteBuffer
import java.time.Instant

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.qpid.proton.amqp.Binary
import org.apache.qpid.proton.amqp.messaging.{AmqpSequence, AmqpValue, Data, Properties, Section}
import org.apache.qpid.proton.codec.{AMQPDefinedTypes, DecoderImpl, EncoderImpl}
import org.apache.qpid.proton.message.Message

import localhub.log.LogEntry

/** Decodes a stored event for display. */
private[localhub] object EventDecoder {
  private val PartitionKey = "x-opt-partition-key"
  private val Offset = "x-opt-offset"
  private val ShownElsewhere = Set("x-opt-sequence-number", Offset, "x-opt-enqueued-time", PartitionKey)

  /** An event that is not an AMQP message is shown as bytes. */
  def decode(partition: String, entry: LogEntry): EventView =
    try message(partition, entry)
    catch {
      case NonFatal(_) =>
        EventView(
          partition,
          entry.position,
          entry.length,
          EventBody.Undecodable("It is no AMQP message.", AmqpJson.base64(entry.payload))
        )
    }

  private def message(partition: String, entry: LogEntry): EventView = {
    val message = Message.Factory.create()
    message.decode(entry.array, entry.start, entry.length)
    val annotations = Option(message.getMessageAnnotations).fold(Map.empty[String, Any]) {
      _.getValue.asScala.map { case (key, value) => key.toString -> value }.toMap
    }
    EventView(
      partition,
      entry.position,
      entry.length,
      body(bodySections(entry)),
      annotations.get(PartitionKey).map(_.toString),
      Option(message.getApplicationProperties).fold(ujson.Obj())(properties => json(properties.getValue.asScala)),
      Option(message.getProperties).fold(ujson.Obj())(systemProperties),
      json(annotations.removedAll(ShownElsewhere)),
      annotations.get(Offset).map(_.toString)
    )
  }

  /** All sections of the body; `Message` decodes the first one only. */
  private def bodySections(entry: LogEntry): Seq[Section] = {
    val decoder = new DecoderImpl
    AMQPDefinedTypes.registerAllTypes(decoder, new EncoderImpl(decoder))
    val buffer = ByteBuffer.wrap(entry.array, entry.start, entry.length)
    decoder.setByteBuffer(buffer)
    Iterator.continually(buffer).takeWhile(_.hasRemaining).map(_ => decoder.readObject()).collect {
      case section @ (_: Data | _: AmqpValue | _: AmqpSequence) => section.asInstanceOf[Section]
    }.toSeq
  }

  private def body(sections: Seq[Section]): EventBody = sections.headOption match {
    case Some(_: Data) =>
      val contents = sections.collect { case data: Data => Option(data.getValue) }.flatten
      if (contents.isEmpty) EventBody.Value(ujson.Null) else bytes(contents)
    case Some(value: AmqpValue) => EventBody.Value(AmqpJson(value.getValue))
    case Some(_: AmqpSequence) =>
      EventBody.Value(ujson.Arr.from(
        sections.collect { case sequence: AmqpSequence => sequence.getValue.asScala.map(AmqpJson(_)) }.flatten
      ))
    case _ => EventBody.Text("")
  }

  private def bytes(contents: Seq[Binary]): EventBody = {
    val content = contents.map(AmqpJson.copy(_)).toArray.flatten
    AmqpJson.utf8(content).fold[EventBody](EventBody.Bytes(AmqpJson.base64(content)))(EventBody.Text)
  }

  private def systemProperties(properties: Properties): ujson.Obj = json(
    Seq(
      "messageId" -> properties.getMessageId,
      "correlationId" -> properties.getCorrelationId,
      "contentType" -> properties.getContentType,
      "contentEncoding" -> properties.getContentEncoding,
      "subject" -> properties.getSubject,
      "to" -> properties.getTo,
      "replyTo" -> properties.getReplyTo,
      "userId" -> properties.getUserId,
      "groupId" -> properties.getGroupId,
      "groupSequence" -> properties.getGroupSequence,
      "replyToGroupId" -> properties.getReplyToGroupId,
      "creationTime" -> properties.getCreationTime,
      "absoluteExpiryTime" -> properties.getAbsoluteExpiryTime
    ).filter { case (_, value) => Option(value).isDefined }
  )

  private def json(values: Iterable[(String, Any)]): ujson.Obj =
    ujson.Obj.from(values.map { case (key, value) => key -> AmqpJson(value) })

  private[browse] def time(epochMillis: Long): String = Instant.ofEpochMilli(epochMillis).toString
}
