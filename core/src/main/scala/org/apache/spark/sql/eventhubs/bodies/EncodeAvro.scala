package org.apache.spark.sql.eventhubs.bodies

import java.io.ByteArrayOutputStream

import org.apache.avro.Schema
import org.apache.avro.generic.GenericDatumWriter
import org.apache.avro.io.{BinaryEncoder, EncoderFactory}

import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.eventhubs.compat.AvroTypes
import org.apache.spark.sql.types.{BinaryType, DataType}

/**
 * The value in Avro's binary encoding.
 *
 * @param schema as JSON text
 */
private[eventhubs] final case class EncodeAvro(child: Expression, schema: String) extends UnaryExpression {

  override def dataType: DataType = BinaryType

  override def stateful: Boolean = true

  @transient private lazy val encoder = new EncodeAvro.Encoder(new Schema.Parser().parse(schema), child.dataType)

  override def nullSafeEval(value: Any): Any = encoder.encode(value)

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val self = ctx.addReferenceObj("encoded", this)
    defineCodeGen(ctx, ev, value => s"(byte[]) $self.nullSafeEval($value)")
  }

  override protected def withNewChildInternal(newChild: Expression): EncodeAvro = copy(child = newChild)
}

private object EncodeAvro {

  private final class Encoder(schema: Schema, dataType: DataType) {
    private val toAvro = AvroTypes.toAvro(dataType, schema, nullable = false)
    private val writer = new GenericDatumWriter[Any](schema)
    private val out = new ByteArrayOutputStream
    private var binary = EncoderFactory.get.directBinaryEncoder(out, Option.empty[BinaryEncoder].orNull)

    def encode(value: Any): Array[Byte] = {
      out.reset()
      binary = EncoderFactory.get.directBinaryEncoder(out, binary)
      writer.write(toAvro(value), binary)
      binary.flush()
      out.toByteArray
    }
  }
}
