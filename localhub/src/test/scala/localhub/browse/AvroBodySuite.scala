package localhub.browse

import localhub.schemas.AvroSchema
import testkit.TestSuite

/** Avro's binary encoding, with the examples of its specification. */
class AvroBodySuite extends TestSuite {

  private def decoded(schema: String, bytes: Int*): Either[String, ujson.Value] =
    AvroBody.decode(AvroSchema.parse(schema).fold(fail(_), identity), bytes.map(_.toByte).toArray)

  private def shown(schema: String, bytes: Int*): String = decoded(schema, bytes: _*).fold(identity, ExactJson.write(_))

  test("numbers are in zigzag, and floats are little-endian") {
    Seq(0 -> 0, -1 -> 1, 1 -> 2, -64 -> 0x7f).foreach { case (value, byte) =>
      assert(shown("\"long\"", byte) == value.toString)
    }
    assert(shown("\"int\"", 0x80, 0x01) == "64")
    assert(shown("\"long\"", (0xfe +: Seq.fill(8)(0xff)) :+ 0x01: _*) == s"\"${Long.MaxValue}\"")
    assert(shown("\"float\"", 0, 0, 0xc0, 0x3f) == "1.5" && shown("\"double\"", 0, 0, 0, 0, 0, 0, 0xf0, 0x3f) == "1.0")
    assert(shown("\"boolean\"", 1) == "true" && shown("\"null\"") == "null")
  }

  test("texts, bytes, enumerations and fixed types") {
    assert(shown("\"string\"", 0x06, 0x66, 0x6f, 0x6f) == "\"foo\"")
    assert(shown("\"bytes\"", 0x04, 0xff, 0x00) == """{"base64":"/wA="}""")
    assert(shown("""{"type":"enum","name":"E","symbols":["A","B"]}""", 0x02) == "\"B\"")
    assert(shown("""{"type":"fixed","name":"F","size":2}""", 0xff, 0x00) == """{"base64":"/wA="}""")
  }

  test("records, unions, arrays and maps, whose blocks may name their size") {
    val record =
      """{"type":"record","name":"test","fields":[{"name":"a","type":"long"},{"name":"b","type":"string"}]}"""
    assert(shown(record, 0x36, 0x06, 0x66, 0x6f, 0x6f) == """{"a":27,"b":"foo"}""")
    assert(shown(
      """["null","string"]""",
      0x00
    ) == "null" && shown("""["null","string"]""", 0x02, 0x02, 0x61) == "\"a\"")
    assert(shown("""{"type":"array","items":"long"}""", 0x04, 0x06, 0x36, 0x00) == "[3,27]")
    assert(shown("""{"type":"array","items":"long"}""", 0x03, 0x04, 0x06, 0x36, 0x00) == "[3,27]")
    assert(shown("""{"type":"map","values":"int"}""", 0x02, 0x02, 0x61, 0x02, 0x00) == """{"a":1}""")
    val list =
      """{"type":"record","name":"L","fields":[{"name":"v","type":"int"},{"name":"next","type":["null","L"]}]}"""
    assert(shown(list, 0x02, 0x02, 0x04, 0x00) == """{"v":1,"next":{"v":2,"next":null}}""")
  }

  test("a body that is none of the schema is named, and costs little") {
    assert(decoded("\"string\"", 0x06, 0x66) == Left("It ends before its value does."))
    assert(decoded("\"string\"", 0x01).isLeft)
    assert(decoded("\"int\"", 0x02, 0x00) == Left("1 bytes follow after the value."))
    assert(decoded("""["null"]""", 0x04) == Left("It has branch 2 of 1."))
    assert(decoded("\"long\"", Seq.fill(11)(0xff): _*) == Left("A number has more than 64 bits."))
    val nulls = """{"type":"array","items":"null"}"""
    assert(decoded(nulls, 0x80, 0x80, 0x80, 0x80, 0x10) == Left("It has more than 100000 values."))
    val endless = """{"type":"record","name":"R","fields":[{"name":"r","type":"R"}]}"""
    assert(decoded(endless) == Left("It is nested more than 200 levels deep."))
  }
}
