package org.apache.spark.sql.eventhubs

import org.apache.avro.Schema
import org.apache.avro.generic.GenericDatumReader
import org.apache.avro.io.{BinaryDecoder, DecoderFactory}

import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.options.RegistrySettings
import org.apache.spark.eventhubs.registry.{RegisteredSchema, SchemaFormat, SchemaId}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodeGenerator, CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Expression, UnaryExpression}
import org.apache.spark.sql.eventhubs.bodies.{BodyFormat, FromBody}
import org.apache.spark.sql.eventhubs.compat.AvroTypes
import org.apache.spark.sql.types.{BinaryType, DataType, MapType, StringType}

/** Gives the benchmarks access to the decoding of Avro bodies. */
object AvroBodies {

  private val options = Map(
    "eventhubs.namespace" -> "contoso.servicebus.windows.net",
    "eventhubs.auth.type" -> "managedIdentity"
  )

  /** The id of a schema that this JVM knows already. */
  def known(number: Int, text: String): String = {
    val id = SchemaId.parse(f"$number%032x").getOrElse(throw new IllegalArgumentException(s"$number"))
    val connection = RegistrySettings.parse(options).connection
    ExecutorResources.get.schemas.of(connection, id, () => ())(Some(RegisteredSchema(id, SchemaFormat.Avro, text)))
    s"avro/binary+$id"
  }

  /** Decodes a row of body, content type and properties. */
  def decode(readerSchema: String): Expression = FromBody(
    BodyFormat.Avro,
    Seq(BinaryType, StringType, MapType(StringType, StringType)).zipWithIndex.map { case (kind, index) =>
      BoundReference(index, kind, nullable = true)
    },
    options + ("eventhubs.registry.readerSchema" -> readerSchema)
  )

  /** Decodes the body of such a row with one fixed schema, as Spark's `from_avro` does. */
  def decodeFixed(schema: String): Expression = FixedAvro(BoundReference(0, BinaryType, nullable = true), schema)
}

/** The steps of `AvroDataToCatalyst` in the module spark-avro. */
private[eventhubs] final case class FixedAvro(child: Expression, text: String) extends UnaryExpression {

  @transient private lazy val schema = new Schema.Parser().parse(text)
  override lazy val dataType: DataType = AvroTypes.sqlType(schema)._1
  @transient private lazy val reader = new GenericDatumReader[Any](schema, schema)
  @transient private lazy val toSpark = AvroTypes.toSpark(schema, dataType)
  @transient private var decoder: BinaryDecoder = _
  @transient private var datum: Any = _

  override def nullSafeEval(value: Any): Any = {
    val body = value.asInstanceOf[Array[Byte]]
    decoder = DecoderFactory.get().binaryDecoder(body, 0, body.length, decoder)
    datum = reader.read(datum, decoder)
    toSpark(datum)
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val self = ctx.addReferenceObj("fixed", this)
    val boxed = CodeGenerator.boxedType(dataType)
    nullSafeCodeGen(
      ctx,
      ev,
      body => s"${ev.value} = ($boxed) $self.nullSafeEval($body); ${ev.isNull} = ${ev.value} == null;"
    )
  }

  override protected def withNewChildInternal(newChild: Expression): FixedAvro = copy(child = newChild)
}
