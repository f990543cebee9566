package org.apache.spark.eventhubs.registry

import java.util.Locale

import scala.util.Try

import org.apache.avro.Schema

/**
 * A schema as the registry has it.
 *
 * @param text of the schema, in the language of its format
 */
private[spark] final case class RegisteredSchema(id: SchemaId, format: SchemaFormat, text: String) {

  /** The schema if it is one of Avro, or what is wrong with it. Parsed once in each JVM, and safe for all threads. */
  lazy val avro: Either[String, Schema] = format match {
    case SchemaFormat.Avro => RegisteredSchema.parseAvro(text)
    case other => Left(s"it is a schema of the format ${other.name}")
  }
}

private[spark] object RegisteredSchema {

  def parseAvro(text: String): Either[String, Schema] =
    Try(new Schema.Parser().parse(text)).toEither.left.map(failed => s"it is no Avro schema: ${failed.getMessage}")
}

/** The language of a schema. Tasks get it with their plan. */
private[spark] sealed abstract class SchemaFormat(val name: String, val contentType: String) extends Serializable

private[spark] object SchemaFormat {
  case object Avro extends SchemaFormat("Avro", "application/json; serialization=Avro")
  case object Json extends SchemaFormat("JSON", "application/json; serialization=Json")
  case object Custom extends SchemaFormat("custom", "text/plain; charset=utf-8")
  case object Protobuf extends SchemaFormat("Protobuf", "text/vnd.ms.protobuf")

  private val all = Seq(Avro, Json, Custom, Protobuf)

  /** The service and its clients differ in spaces and case. */
  def ofContentType(text: String): Option[SchemaFormat] =
    all.find(format => normalized(format.contentType) == normalized(text))

  private def normalized(text: String): String = text.replace(" ", "").toLowerCase(Locale.ROOT)
}
