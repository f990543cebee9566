package localhub.schemas

import java.nio.file.Files
import java.time.Clock

import localhub.InvalidHubException
import localhub.log.TempDirectory
import testkit.TestSuite

class SchemaRegistrySuite extends TestSuite {

  private val user = """{"type":"record","name":"User","fields":[{"name":"name","type":"string"}]}"""
  private val wider =
    """{"type":"record","name":"User","fields":[{"name":"name","type":"string"},{"name":"age","type":"int"}]}"""

  private def registry(limits: SchemaLimits = SchemaLimits(), storage: SchemaStorage = SchemaStorage.InMemory) = {
    val made = new SchemaRegistry(Clock.systemUTC(), storage, limits)
    made.ensureGroup(SchemaGroupConfig("people"))
    made.ensureGroup(SchemaGroupConfig("plain", SchemaFormat.Json))
    made
  }

  private def avro(registry: SchemaRegistry, name: String, content: String): RegisteredSchema =
    registry.register("people", name, SchemaFormat.Avro, content).fold(refusal => fail(refusal.message), identity)

  test("equal content gets the id that it has, new content the next version") {
    val schemas = registry()
    val first = avro(schemas, "User", user)
    val second = avro(schemas, "User", wider)
    assert((first.version, second.version) == (1, 2) && first.id != second.id)
    assert(avro(schemas, "User", user) == first && avro(schemas, "User", wider) == second)
    assert(schemas.versions("people", "User").map(_.map(_.version)) == Right(Seq(1, 2)))
    assert(schemas.byVersion("people", "User", 1) == Right(first) && schemas.byId(second.id) == Right(second))
    assert(schemas.byVersion("people", "User", 3).left.map(_.message) ==
      Left("Schema people/User/ver.3 does not exist."))
  }

  test("the same content under another name is another schema") {
    val schemas = registry()
    assert(avro(schemas, "a.User", user).id != avro(schemas, "b.User", user).id)
    assert(schemas.schemas("people").map(_.map(_.name)) == Some(Seq("a.User", "b.User")))
  }

  test("white space outside of texts does not distinguish Avro schemas, and is not kept") {
    val schemas = registry()
    val spaced = """{ "type": "record", "name": "User", "doc": "a \" b\\", "fields": [ ] }""" + "\n"
    val kept = avro(schemas, "User", spaced)
    assert(kept.content == """{"type":"record","name":"User","doc":"a \" b\\","fields":[]}""")
    assert(avro(schemas, "User", kept.content) == kept)
    assert(schemas.byContent("people", "User", SchemaFormat.Avro, spaced) == Right(kept))
  }

  test("a schema that is written as a JSON string, as the SDK for JavaScript does it, is that schema") {
    val schemas = registry()
    val kept = avro(schemas, "User", user)
    assert(schemas.byContent("people", "User", SchemaFormat.Avro, ujson.write(user)) == Right(kept))
    assert(avro(schemas, "Text", "\"string\"").content == "\"string\"")
  }

  test("a JSON schema is kept as it is, and has to be JSON") {
    val schemas = registry()
    val text = """{ "type": "object" }"""
    assert(schemas.register("plain", "User", SchemaFormat.Json, text).map(_.content) == Right(text))
    val wrong = schemas.register("plain", "User", SchemaFormat.Json, """{"title": 5"x"}""")
    assert(wrong.left.exists(_.message.startsWith("Json schema validation failed: ")))
  }

  test("a group takes one format only, and a look-up in another one finds nothing") {
    val schemas = registry()
    avro(schemas, "User", user)
    val refused = schemas.register("people", "User", SchemaFormat.Custom, user)
    assert(refused.left.exists(_.message.contains("Schema of type Custom cannot be created within group 'people'")))
    assert(schemas.byContent("people", "User", SchemaFormat.Custom, user).left.map(_.message) ==
      Left("Schema people/User does not exist."))
  }

  test("a group must exist, and an invalid name is refused") {
    val schemas = registry()
    val missing = schemas.register("none", "User", SchemaFormat.Avro, user)
    assert(missing.left.exists(_.message.startsWith("Schema group none does not exist.")))
    Seq("", "$x", "a/b", "a:b", "-a", "a\nb", "a" * 101).foreach(name =>
      assert(
        schemas.register("people", name, SchemaFormat.Avro, user).left.exists {
          case _: SchemaRefusal.InvalidName => true
          case _ => false
        },
        name
      )
    )
  }

  test("a group keeps its format") {
    val schemas = registry()
    assert(!schemas.ensureGroup(SchemaGroupConfig("PEOPLE")))
    intercept[InvalidHubException](schemas.ensureGroup(SchemaGroupConfig("people", SchemaFormat.Json)))
    intercept[InvalidHubException](SchemaGroupConfig("a" * 51))
    assert(schemas.groups.map(_.name) == Seq("people", "plain"))
  }

  test("the number of schemas, of groups, and their size are bounded") {
    val one = registry(SchemaLimits(groups = 2, schemas = 1))
    avro(one, "User", user)
    val refused = one.register("people", "User", SchemaFormat.Avro, wider)
    assert(refused.left.exists(_.message.contains("no more than 1 schemas is allowed")))
    intercept[InvalidHubException](one.ensureGroup(SchemaGroupConfig("third")))
    val small = registry(SchemaLimits(bytes = user.length.toLong))
    avro(small, "User", user)
    assert(small.register("people", "User", SchemaFormat.Avro, wider).isLeft)
    assert(avro(small, "User", user).version == 1)
  }

  test("groups and schemas survive a restart, and versions continue") {
    val directory = TempDirectory.create()
    def opened() = registry(storage = SchemaStorage.open(Some(directory)))
    val stored = avro(opened(), "User", user)
    val next = opened()
    assert(next.byId(stored.id) == Right(stored) && avro(next, "User", user) == stored)
    assert(avro(next, "User", wider).version == 2)
    assert(opened().versions("people", "User").map(_.size) == Right(2))
  }

  test("a damaged file ends the start with its name") {
    val directory = TempDirectory.create()
    val stored = avro(registry(storage = SchemaStorage.open(Some(directory))), "User", user)
    val file = directory.resolve("schemas").resolve(s"${stored.id}.json")
    Files.writeString(file, "{")
    val failure =
      intercept[localhub.LocalHubException](registry(storage = SchemaStorage.open(Some(directory))))
    assert(failure.getMessage.startsWith(s"$file cannot be read"))
  }
}
