package org.apache.spark.sql.eventhubs.bodies

import scala.util.control.NonFatal

import org.apache.spark.eventhubs.registry.{BodyErrors, EventPlace}
import org.apache.spark.sql.catalyst.expressions.{BoundReference, GenericInternalRow, JsonToStructs}
import org.apache.spark.sql.catalyst.util.MapData
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{DataType, StringType}
import org.apache.spark.unsafe.types.UTF8String

/**
 * Decodes JSON bodies in UTF-8 as Spark's `from_json` does. JSON says what its values are, so the schema that an event
 * names is not asked for. Not thread-safe.
 */
private[bodies] final class JsonDecoder(dataType: DataType) extends BodyDecoder {
  import JsonDecoder._

  private val schemas = new EventSchemas
  private val row = new GenericInternalRow(1)

  // The whole expression, because the jar has names of its own for Jackson's classes, which Spark's parser takes.
  private val parser = JsonToStructs(
    dataType,
    Map("mode" -> "FAILFAST"),
    BoundReference(0, StringType, nullable = true),
    Some(SQLConf.get.sessionLocalTimeZone)
  )

  override def decode(body: Array[Byte], contentType: UTF8String, properties: MapData, place: () => EventPlace): Any =
    if (body.isEmpty) None.orNull
    else
      schemas.of(body, contentType, properties) match {
        case Right(avro) if !avro.isJson =>
          throw BodyErrors.mismatch(place(), Some(avro.id), "the event says that its body is Avro")
        case _ => parsed(body, place)
      }

  private def parsed(body: Array[Byte], place: () => EventPlace): Any =
    try {
      row(0) = UTF8String.fromBytes(body)
      parser.eval(row)
    } catch {
      case deep: StackOverflowError => throw mismatch(deep, place)
      case NonFatal(failed) => throw mismatch(failed, place)
    }

  private def mismatch(failed: Throwable, place: () => EventPlace) =
    BodyErrors.mismatch(place(), None, BodyDecoder.problem(first(failed)))
}

private object JsonDecoder {
  private val LongestChain = 20

  /** What the parser said: Spark's own failures quote the body. */
  private def first(failed: Throwable): Throwable =
    Iterator.iterate(failed)(_.getCause).takeWhile(Option(_).nonEmpty).take(LongestChain).toSeq.last
}
