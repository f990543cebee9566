package localhub.schemas

import testkit.TestSuite

class AvroSchemaSuite extends TestSuite {

  private def problem(text: String): String = AvroSchema.parse(text).left.getOrElse(fail(s"accepted: $text"))

  private def accepted(text: String): AvroSchema = AvroSchema.parse(text).fold(fail(_), identity)

  test("a record can refer to itself, and to a type of its namespace by its short name") {
    val schema = accepted(
      """{"type":"record","name":"Node","namespace":"a.b","fields":[
        |{"name":"next","type":["null","Node"]},
        |{"name":"kind","type":{"type":"enum","name":"Kind","symbols":["X","Y"]}},
        |{"name":"other","type":"a.b.Kind"}]}""".stripMargin
    )
    assert(schema.root == AvroType.Named("a.b.Node"))
    assert(schema.named("a.b.Node") == AvroType.Record(Seq(
      AvroType.Field("next", AvroType.Union(Seq(AvroType.Primitive("null"), AvroType.Named("a.b.Node")))),
      AvroType.Field("kind", AvroType.Named("a.b.Kind")),
      AvroType.Field("other", AvroType.Named("a.b.Kind"))
    )))
  }

  test("the namespace of a full name holds for the types inside it") {
    val schema = accepted(
      """{"type":"record","name":"a.Outer","fields":[{"name":"f","type":{"type":"fixed","name":"Id","size":16}}]}"""
    )
    assert(schema.named.keySet == Set("a.Outer", "a.Id"))
  }

  test("what the specification forbids is refused, with its place") {
    val field = """{"type":"record","name":"R","fields":[{"name":"Name","type":"string"},{"name":"Age"}]}"""
    assert(problem(field) == "'type' was not found at 'fields[1]'.")
    assert(problem("""{"type":"record","name":"R"}""") == "'fields' was not found.")
    assert(problem("\"Unknown\"") == "'Unknown' is no type that the schema defines.")
    assert(problem("""["null",["int"]]""") == "a union is directly in a union.")
    assert(problem("""["int","int"]""") == "a union has two branches of one type.")
    assert(problem("""{"type":"enum","name":"E","symbols":["A","A"]}""") == "two symbols are equal.")
    assert(problem("""{"type":"fixed","name":"F","size":-1}""") == "the size is no whole number.")
    assert(problem("""{"type":"record","name":"1R","fields":[]}""") == "'1R' is no name.")
    val twice = """{"type":"fixed","name":"F","size":1}"""
    assert(problem(s"[$twice,$twice]") == "'F' is defined twice.")
    assert(problem("{").nonEmpty && problem("17") == "17 is no type.")
  }

  test("a text that is nested without end is refused before it is parsed") {
    assert(problem("[" * 100000) == "it is nested more than 200 levels deep.")
  }
}
