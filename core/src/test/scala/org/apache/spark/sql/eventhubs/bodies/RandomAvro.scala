package org.apache.spark.sql.eventhubs.bodies

import java.io.ByteArrayOutputStream
import java.nio.ByteBuffer

import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.avro.Schema
import org.apache.avro.generic.{GenericData, GenericDatumWriter}
import org.apache.avro.io.{BinaryEncoder, EncoderFactory}
import org.apache.avro.util.Utf8

/** Schemas and values, the same ones for one seed. */
final class RandomAvro(seed: Long) {

  private val random = new Random(seed)
  private var names = 0

  private def name(prefix: String): String = {
    names += 1
    s"$prefix$names"
  }

  private val primitives =
    Seq(Schema.Type.INT, Schema.Type.LONG, Schema.Type.FLOAT, Schema.Type.DOUBLE, Schema.Type.STRING) ++
      Seq(Schema.Type.BYTES, Schema.Type.BOOLEAN)

  def record(depth: Int = 2): Schema = {
    val fields = Seq.fill(1 + random.nextInt(5))(new Schema.Field(name("f"), field(depth)))
    Schema.createRecord(name("R"), "", "n", false, fields.asJava)
  }

  private def field(depth: Int): Schema = random.nextInt(if (depth > 0) 12 else 8) match {
    case 8 => Schema.createArray(field(depth - 1))
    case 9 => Schema.createMap(field(depth - 1))
    case 10 => record(depth - 1)
    case 11 => Schema.createUnion(Schema.create(Schema.Type.NULL), record(depth - 1))
    case 0 => Schema.createEnum(name("E"), "", "n", Seq("A", "B", "C").asJava)
    case 1 => Schema.createFixed(name("X"), "", "n", 1 + random.nextInt(5))
    case other => Schema.create(primitives(other % primitives.size))
  }

  def value(schema: Schema): Any = schema.getType match {
    case Schema.Type.RECORD =>
      val made = new GenericData.Record(schema)
      schema.getFields.asScala.foreach(field => made.put(field.pos, value(field.schema)))
      made
    case Schema.Type.ARRAY =>
      val items = Seq.fill(random.nextInt(4))(value(schema.getElementType))
      new GenericData.Array[Any](schema, items.asJava)
    case Schema.Type.MAP =>
      Seq.fill(random.nextInt(4))(new Utf8(text()) -> value(schema.getValueType)).toMap.asJava
    case Schema.Type.UNION => value(schema.getTypes.get(random.nextInt(schema.getTypes.size)))
    case Schema.Type.ENUM =>
      new GenericData.EnumSymbol(schema, schema.getEnumSymbols.get(random.nextInt(schema.getEnumSymbols.size)))
    case Schema.Type.FIXED => new GenericData.Fixed(schema, bytes(schema.getFixedSize))
    case Schema.Type.INT => random.nextInt() >> random.nextInt(32)
    case Schema.Type.LONG => random.nextLong() >> random.nextInt(64)
    case Schema.Type.FLOAT => random.nextFloat()
    case Schema.Type.DOUBLE => random.nextGaussian()
    case Schema.Type.BOOLEAN => random.nextBoolean()
    case Schema.Type.STRING => new Utf8(text())
    case Schema.Type.BYTES => ByteBuffer.wrap(bytes(random.nextInt(20)))
    case Schema.Type.NULL => None.orNull
  }

  private def text(): String = Seq.fill(random.nextInt(9))("aä€𝄞".codePoints.toArray).map { points =>
    new String(Character.toChars(points(random.nextInt(points.length))))
  }.mkString

  def bytes(length: Int): Array[Byte] = {
    val made = new Array[Byte](length)
    random.nextBytes(made)
    made
  }

  def number(until: Int): Int = random.nextInt(until)
}

object RandomAvro {

  def encoded(schema: Schema, value: Any, before: Array[Byte] = Array.emptyByteArray): Array[Byte] =
    encoded(schema, value, before, EncoderFactory.get.binaryEncoder(_, _))

  /** With lengths in bytes before the items of arrays and maps. */
  def blocked(schema: Schema, value: Any): Array[Byte] =
    encoded(schema, value, Array.emptyByteArray, EncoderFactory.get.blockingBinaryEncoder(_, _))

  private def encoded(
      schema: Schema,
      value: Any,
      before: Array[Byte],
      encoderOf: (ByteArrayOutputStream, BinaryEncoder) => BinaryEncoder
  ): Array[Byte] = {
    val out = new ByteArrayOutputStream
    out.write(before)
    val encoder = encoderOf(out, Option.empty[BinaryEncoder].orNull)
    new GenericDatumWriter[Any](schema).write(value, encoder)
    encoder.flush()
    out.toByteArray
  }
}
