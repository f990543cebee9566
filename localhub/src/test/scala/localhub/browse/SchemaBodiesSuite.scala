package localhub.browse

import java.nio.charset.StandardCharsets.UTF_8
import java.time.Clock
import java.util.Base64

import localhub.log.LogPosition
import localhub.schemas.{SchemaFormat, SchemaGroupConfig, SchemaRegistry}
import testkit.TestSuite

/** Each place where Azure's serializers write the id of a schema. */
class SchemaBodiesSuite extends TestSuite {

  private val registry = SchemaRegistry.inMemory(Clock.systemUTC())
  registry.ensureGroup(SchemaGroupConfig("people"))
  registry.ensureGroup(SchemaGroupConfig("plain", SchemaFormat.Json))
  private val user = """{"type":"record","name":"User","fields":[{"name":"n","type":"int"}]}"""
  private val avro = registry.register("people", "User", SchemaFormat.Avro, user).toOption.get
  private val json = registry.register("plain", "User", SchemaFormat.Json, "{}").toOption.get

  private def shown(
      body: Array[Byte],
      contentType: Option[String] = None,
      properties: Seq[(String, String)] = Nil
  ): ujson.Obj = new SchemaBodies(registry).json(EventView(
    "0",
    LogPosition(0, 0, 0),
    body.length,
    EventBody.Bytes(Base64.getEncoder.encodeToString(body)),
    properties = ujson.Obj.from(properties.map { case (name, value) => name -> ujson.Str(value) }),
    systemProperties = ujson.Obj.from(contentType.map(text => "contentType" -> ujson.Str(text)))
  ))

  private val seven = Array[Byte](14)

  test("an Avro body is decoded with the schema of its content type, in any case") {
    Seq(s"avro/binary+${avro.id}", s"AVRO/Binary+${avro.id.toUpperCase}").foreach { contentType =>
      val event = shown(seven, Some(contentType))
      assert(event("decoded") == ujson.Obj("n" -> 7))
      assert(event("schema") == ujson.Obj(
        "id" -> avro.id,
        "group" -> "people",
        "name" -> "User",
        "version" -> 1,
        "format" -> "Avro"
      ))
    }
  }

  test("the headers of Kafka's serializers, and the first serializers' preamble, name a schema too") {
    assert(shown(
      seven,
      properties = Seq("content-type" -> s"avro/binary+${avro.id}")
    )("decoded") == ujson.Obj("n" -> 7))
    val old = Array[Byte](0, 0, 0, 0) ++ avro.id.getBytes(UTF_8) ++ seven
    assert(shown(old)("decoded") == ujson.Obj("n" -> 7))
    val text = """{"n": 7}""".getBytes(UTF_8)
    assert(shown(text, properties = Seq("schemaId" -> json.id))("schema")("name").str == "User")
  }

  test("a JSON body names its schema in the forms of Python and JavaScript") {
    Seq(s"application/json;serialization=Json+${json.id}", s"application/json+${json.id}").foreach { contentType =>
      val event = shown("""{"n": 7}""".getBytes(UTF_8), Some(contentType))
      assert(event("decoded")("n").num == 7 && event("schema")("format").str == "Json")
    }
  }

  test("an unknown schema and a body of another one are named") {
    val unknown = shown(seven, Some(s"avro/binary+${"f" * 32}"))
    assert(unknown("decodingError").str == s"Schema id ${"f" * 32} does not exist.")
    assert(unknown("schema") == ujson.Obj("id" -> "f" * 32) && !unknown.value.contains("decoded"))
    val other = shown(Array[Byte](14, 14), Some(s"avro/binary+${avro.id}"))
    assert(other("decodingError").str == "1 bytes follow after the value.")
  }

  test("an event that names no schema is shown as before") {
    Seq(None, Some("application/json"), Some("avro/binary"), Some(s"text/plain+${avro.id}")).foreach { contentType =>
      val event = shown(seven, contentType)
      assert(!Seq("schema", "decoded", "decodingError").exists(event.value.contains))
    }
  }
}
