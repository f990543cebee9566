package org.apache.spark.sql.eventhubs.bodies

import java.io.EOFException

import scala.util.Try

import org.apache.avro.Schema

import testkit.TestSuite

class AvroBytesSuite extends TestSuite {

  private def decoded(schema: Schema, body: Array[Byte], from: Int = 0): Any =
    new AvroBody(schema, schema, identity).decode(body, from)

  private def primitive(kind: Schema.Type): Schema = Schema.create(kind)

  test("values of random schemas come back, in whole blocks and in blocks with their lengths") {
    for (seed <- 1L to 300L) {
      val random = new RandomAvro(seed)
      val schema = random.record()
      val value = random.value(schema)
      assert(decoded(schema, RandomAvro.encoded(schema, value)) == value, s"seed $seed")
      assert(decoded(schema, RandomAvro.blocked(schema, value)) == value, s"seed $seed, blocked")
      val shifted = RandomAvro.encoded(schema, value, before = new Array[Byte](7))
      assert(decoded(schema, shifted, from = 7) == value, s"seed $seed, shifted")
    }
  }

  test("fields that the reader does not have are skipped") {
    for (seed <- 1L to 100L) {
      val random = new RandomAvro(seed)
      val schema = random.record()
      val value = random.value(schema)
      val empty = Schema.createRecord(schema.getName, "", schema.getNamespace, false, new java.util.ArrayList)
      val body = new AvroBody(schema, empty, identity)
      body.decode(RandomAvro.encoded(schema, value), 0)
      body.decode(RandomAvro.blocked(schema, value), 0)
    }
  }

  test("a decoder is used for one body after another, also after a failure") {
    val random = new RandomAvro(7)
    val schema = random.record()
    val body = new AvroBody(schema, schema, identity)
    for (_ <- 1 to 50) {
      val value = random.value(schema)
      val whole = RandomAvro.encoded(schema, value)
      assert(Try(body.decode(whole.dropRight(1), 0)).isFailure || whole.isEmpty)
      assert(body.decode(whole, 0) == value)
    }
  }

  test("bodies that are cut off, changed or arbitrary end in a value or an exception, and never in an error") {
    for (seed <- 1L to 300L) {
      val random = new RandomAvro(seed)
      val schema = random.record()
      val whole = RandomAvro.encoded(schema, random.value(schema))
      val broken = Seq.fill(20) {
        val copy = whole.clone()
        if (copy.nonEmpty) copy(random.number(copy.length)) = random.bytes(1).head
        copy.take(random.number(copy.length + 1))
      } ++ Seq.fill(20)(random.bytes(random.number(200)))
      broken.foreach(body => Try(decoded(schema, body)))
    }
  }

  test("a length above what is left is refused before memory is taken for it") {
    val huge = RandomAvro.encoded(primitive(Schema.Type.LONG), Long.box(Int.MaxValue - 8L)) ++ Array[Byte](1, 2)
    for (kind <- Seq(Schema.Type.STRING, Schema.Type.BYTES)) intercept[EOFException](decoded(primitive(kind), huge))
    for (items <- Seq(Schema.Type.NULL, Schema.Type.INT))
      intercept[EOFException](decoded(Schema.createArray(primitive(items)), huge))
    def record(fields: String) = new Schema.Parser().parse(s"""{"type":"record","name":"R","fields":[$fields]}""")
    val nulls = record("""{"name":"nulls","type":{"type":"array","items":"null"}}""")
    intercept[EOFException](new AvroBody(nulls, record(""), identity).decode(huge, 0))
    val negative = RandomAvro.encoded(primitive(Schema.Type.LONG), Long.box(-5L))
    intercept[EOFException](decoded(primitive(Schema.Type.STRING), negative))
  }

  test("an array of nulls has no bytes for its items") {
    val schema = Schema.createArray(primitive(Schema.Type.NULL))
    assert(decoded(schema, Array[Byte](6, 0)).asInstanceOf[java.util.List[_]].size == 3)
  }

  test("the largest and the smallest numbers come back, and a longer one is refused") {
    val long = primitive(Schema.Type.LONG)
    for (number <- Seq(Long.MinValue, Long.MaxValue, 0L, -1L))
      assert(decoded(long, RandomAvro.encoded(long, Long.box(number))) == number)
    intercept[IllegalArgumentException](decoded(long, Array.fill[Byte](11)(-1)))
    val tooLarge = RandomAvro.encoded(long, Long.box(1L << 40))
    intercept[IllegalArgumentException](decoded(primitive(Schema.Type.INT), tooLarge))
  }

  test("bytes after the value are no part of it") {
    val failed = intercept[IllegalArgumentException](decoded(primitive(Schema.Type.INT), Array[Byte](2, 0, 0)))
    assert(failed.getMessage == "2 bytes follow the value")
  }
}
