package org.apache.spark.sql.eventhubs.bodies

import org.apache.spark.sql.types._
import testkit.TestSuite

class JsonColumnsSuite extends TestSuite {

  private def columns(properties: String, more: String = ""): Seq[(String, DataType)] =
    JsonColumns.of(s"""{"type":"object","properties":{$properties}$more}""") match {
      case Right(struct: StructType) => struct.fields.toSeq.map(field => field.name -> field.dataType)
      case other => fail(s"$other")
    }

  test("a JSON Schema gives a column for each property, in its order") {
    val found = columns(
      """"id":{"type":"integer"},"at":{"type":"string","format":"date-time"},"day":{"type":"string","format":"date"},
        |"celsius":{"type":["null","number"]},"name":{"type":"string"},"on":{"type":"boolean"},
        |"tags":{"type":"array","items":{"type":"string"}},"limits":{"type":"object","additionalProperties":
        |{"type":"number"}},"site":{"properties":{"code":{"type":"integer"}}}""".stripMargin
    )
    assert(found == Seq(
      "id" -> LongType,
      "at" -> TimestampType,
      "day" -> DateType,
      "celsius" -> DoubleType,
      "name" -> StringType,
      "on" -> BooleanType,
      "tags" -> ArrayType(StringType),
      "limits" -> MapType(StringType, DoubleType),
      "site" -> new StructType().add("code", LongType)
    ))
  }

  test("what a schema leaves open is text") {
    val open = Seq("{}", """{"type":["string","integer"]}""", """{"type":"array"}""", """{"type":"object"}""") :+
      """{"oneOf":[{"type":"string"},{"type":"integer"}]}"""
    for (schema <- open) assert(columns(s""""x":$schema""") == Seq("x" -> StringType), schema)
  }

  test("a null in a choice is no choice, and parts of an object are joined") {
    assert(columns(""""x":{"oneOf":[{"type":"null"},{"type":"integer"}]}""") == Seq("x" -> LongType))
    val parts = """{"allOf":[{"properties":{"a":{"type":"integer"}}},{"properties":{"b":{"type":"boolean"}}}]}"""
    assert(columns(s""""x":$parts""") == Seq("x" -> new StructType().add("a", LongType).add("b", BooleanType)))
  }

  test("references within a schema are followed, and a cycle is refused") {
    val defined = ""","$defs":{"Site":{"properties":{"code":{"type":"integer"}}}}"""
    assert(columns(""""s":{"$ref":"#/$defs/Site"}""", defined) == Seq("s" -> new StructType().add("code", LongType)))
    assert(columns(""""s":{"$ref":"https://example.com/x"}""") == Seq("s" -> StringType))
    val cycle = """{"properties":{"next":{"$ref":"#"}}}"""
    assert(JsonColumns.of(cycle).left.exists(_.contains("'#' refers to itself")))
  }

  test("DDL and Spark's own form are taken too, and other texts are refused") {
    val struct = new StructType().add("id", IntegerType).add("name", StringType)
    assert(JsonColumns.of("id INT, name STRING") == Right(struct))
    assert(JsonColumns.of(struct.json) == Right(struct))
    val required = new StructType().add("id", IntegerType, nullable = false).add("name", StringType, nullable = false)
    for (text <- Seq("id INT NOT NULL, name STRING NOT NULL", required.json))
      assert(JsonColumns.of(text) == Right(struct), "a body may lack any field")
    for (text <- Seq("", "{", "no columns at all !", "{}", """{"type":"integer"}"""))
      assert(JsonColumns.of(text).left.exists(_.startsWith("a JSON Schema, or columns as DDL")), text)
  }
}
