package org.apache.spark.sql.eventhubs.compat

import org.apache.avro.Schema

import org.apache.spark.SPARK_VERSION
import org.apache.spark.eventhubs.registry.RegistryErrors
import org.apache.spark.sql.avro.{AvroDeserializer, AvroSerializer, SchemaConverters}
import org.apache.spark.sql.types.DataType

/** Spark's conversions between Avro and its own types, from the module spark-avro. A session may lack it. */
private[eventhubs] object AvroTypes {

  /** Spark's own default, besides dates: other writers than old versions of Spark have today's calendar. */
  private val Calendar = "CORRECTED"

  /** Spark's type, and whether it may be null; throws for a schema that it has no type for. */
  def sqlType(schema: Schema): (DataType, Boolean) = withModule {
    val found = SchemaConverters.toSqlType(schema)
    (found.dataType, found.nullable)
  }

  def avroType(dataType: DataType, nullable: Boolean, name: String, namespace: String): Schema =
    withModule(SchemaConverters.toAvroType(dataType, nullable, name, namespace))

  /** From values of Avro's generic classes. */
  def toSpark(schema: Schema, dataType: DataType): Any => Any = withModule {
    val deserializer = newDeserializer(schema, dataType)
    value => deserializer.deserialize(value).orNull
  }

  /** Spark 3.5.1 added a parameter, whether members of unions have stable names. */
  private def newDeserializer(schema: Schema, dataType: DataType): AvroDeserializer = {
    val found = classOf[AvroDeserializer].getConstructors.find(_.getParameterTypes.lift(2).contains(classOf[String]))
    val constructor = found.getOrElse(throw new NoClassDefFoundError("a constructor of AvroDeserializer"))
    val stableIds = Seq.fill(constructor.getParameterCount - 3)(Boolean.box(false))
    constructor.newInstance(Seq(schema, dataType, Calendar) ++ stableIds: _*).asInstanceOf[AvroDeserializer]
  }

  def toAvro(dataType: DataType, schema: Schema, nullable: Boolean): Any => Any = withModule {
    val serializer = new AvroSerializer(dataType, schema, nullable)
    serializer.serialize(_)
  }

  private def withModule[A](use: => A): A =
    try use
    catch {
      case _: NoClassDefFoundError =>
        throw RegistryErrors.noAvro(SPARK_VERSION, s"org.apache.spark:spark-avro_2.12:$SPARK_VERSION")
    }
}
