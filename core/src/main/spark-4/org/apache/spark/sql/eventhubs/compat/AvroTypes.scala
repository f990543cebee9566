package org.apache.spark.sql.eventhubs.compat

import org.apache.avro.Schema

import org.apache.spark.sql.avro.{AvroDeserializer, AvroSerializer, SchemaConverters}
import org.apache.spark.sql.types.DataType

/** Spark's conversions between Avro and its own types. Spark 3.5 has them in the module spark-avro. */
private[eventhubs] object AvroTypes {

  /** Spark's own defaults, besides dates: other writers than old versions of Spark have today's calendar. */
  private val Calendar = "CORRECTED"
  private val StableIds = false
  private val IdPrefix = "member_"
  private val NoRecursion = -1

  /** Spark's type, and whether it may be null; throws for a schema that it has no type for. */
  def sqlType(schema: Schema): (DataType, Boolean) = {
    val found = SchemaConverters.toSqlType(schema, StableIds, IdPrefix, NoRecursion)
    (found.dataType, found.nullable)
  }

  def avroType(dataType: DataType, nullable: Boolean, name: String, namespace: String): Schema =
    SchemaConverters.toAvroType(dataType, nullable, name, namespace)

  /** From values of Avro's generic classes. */
  def toSpark(schema: Schema, dataType: DataType): Any => Any = {
    val deserializer = new AvroDeserializer(schema, dataType, Calendar, StableIds, IdPrefix, NoRecursion)
    value => deserializer.deserialize(value).orNull
  }

  def toAvro(dataType: DataType, schema: Schema, nullable: Boolean): Any => Any = {
    val serializer = new AvroSerializer(dataType, schema, nullable)
    serializer.serialize(_)
  }
}
