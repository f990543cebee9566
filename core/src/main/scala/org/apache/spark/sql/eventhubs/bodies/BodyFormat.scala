package org.apache.spark.sql.eventhubs.bodies

import org.apache.avro.Schema

import org.apache.spark.eventhubs.options.RegistrySettings
import org.apache.spark.eventhubs.registry.{RegisteredSchema, SchemaFormat, SchemaId}
import org.apache.spark.eventhubs.{Json => JsonText}
import org.apache.spark.sql.catalyst.expressions.{Cast, Expression, StructsToJson}
import org.apache.spark.sql.eventhubs.compat.AvroTypes
import org.apache.spark.sql.types.{BinaryType, DataType}

/**
 * The language of bodies.
 *
 * @param function name of the SQL function that decodes them
 * @param encoder  name of the SQL function that encodes them
 * @param schemas  language of their schemas in the registry
 */
private[eventhubs] sealed abstract class BodyFormat(
    val function: String,
    val encoder: String,
    val schemas: SchemaFormat
) extends Product
    with Serializable {

  /** What was expected of the text of a user's schema, when it is something else. */
  def check(schema: String): Option[String]

  /** The same of a schema that is registered. Readers of other languages may know more than Spark has types for. */
  def checkWritten(schema: String): Option[String] = check(schema)

  /** Spark's type for a schema; throws when there is none. */
  def dataType(schema: String): DataType

  def decoder(settings: RegistrySettings, reader: ReaderSchema): BodyDecoder

  /** A schema for values of a type; None where the user has to write it. */
  def schemaOf(dataType: DataType, name: String): Option[String]

  /** The name that a schema itself has. */
  def nameIn(schema: String): Option[String]

  /** The content type of bodies, as the SDKs write it. */
  def contentType(id: SchemaId): String

  /** Throws when values of the type cannot be written with the schema. */
  def requireWritable(dataType: DataType, schema: String): Unit

  def encoded(value: Expression, schema: String): Expression
}

private[eventhubs] object BodyFormat {

  case object Avro extends BodyFormat("from_eventhubs_avro", "to_eventhubs_avro", SchemaFormat.Avro) {

    override def check(schema: String): Option[String] =
      RegisteredSchema.parseAvro(schema).left.toOption.map(problem => s"an Avro schema; $problem")

    override def dataType(schema: String): DataType = AvroTypes.sqlType(new Schema.Parser().parse(schema))._1

    override def decoder(settings: RegistrySettings, reader: ReaderSchema): BodyDecoder = {
      val schema = new Schema.Parser().parse(reader.text)
      new AvroDecoder(settings, schema, AvroTypes.toSpark(schema, reader.dataType))
    }

    override def schemaOf(dataType: DataType, name: String): Option[String] = {
      val dot = name.lastIndexOf('.')
      Some(AvroTypes.avroType(dataType, nullable = false, name.drop(dot + 1), name.take(math.max(dot, 0))).toString)
    }

    override def nameIn(schema: String): Option[String] = Some(new Schema.Parser().parse(schema).getFullName)

    override def contentType(id: SchemaId): String = s"avro/binary+$id"

    override def requireWritable(dataType: DataType, schema: String): Unit = {
      val _ = AvroTypes.toAvro(dataType, new Schema.Parser().parse(schema), nullable = false)
    }

    override def encoded(value: Expression, schema: String): Expression = EncodeAvro(value, schema)
  }

  case object Json extends BodyFormat("from_eventhubs_json", "to_eventhubs_json", SchemaFormat.Json) {

    override def check(schema: String): Option[String] = JsonColumns.of(schema).left.toOption

    override def checkWritten(schema: String): Option[String] =
      JsonText.read(schema).fold(
        problem => Some(s"a JSON Schema; $problem"),
        found => if (found.isObject || found.isBoolean) None else Some("a JSON Schema")
      )

    override def dataType(schema: String): DataType =
      JsonColumns.of(schema).fold(problem => throw new IllegalArgumentException(problem), identity)

    override def decoder(settings: RegistrySettings, reader: ReaderSchema): BodyDecoder =
      new JsonDecoder(reader.dataType)

    override def schemaOf(dataType: DataType, name: String): Option[String] = None

    override def nameIn(schema: String): Option[String] = None

    override def contentType(id: SchemaId): String = s"application/json;serialization=Json+$id"

    /** Spark checks the type when it makes the text. */
    override def requireWritable(dataType: DataType, schema: String): Unit = ()

    override def encoded(value: Expression, schema: String): Expression =
      Cast(StructsToJson(Map.empty[String, String], value), BinaryType)
  }
}
