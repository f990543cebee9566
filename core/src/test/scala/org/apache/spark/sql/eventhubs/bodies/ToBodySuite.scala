package org.apache.spark.sql.eventhubs.bodies

import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.options.RegistrySettings
import org.apache.spark.eventhubs.registry.{RegistryServer, Reply, SchemaFormat}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.ResolveTimeZone
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, Project}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import testkit.TestSuite

class ToBodySuite extends TestSuite {

  private val value = AttributeReference(
    "value",
    new StructType().add("sensor", StringType, nullable = false).add("celsius", DoubleType)
  )()

  /** A registry that has what was registered, by path. */
  private def withRegistry[A](test: RegistryServer => A): A = {
    val texts = new ConcurrentHashMap[String, String]
    val id = f"${7}%032x"
    val server = new RegistryServer((_, asked) =>
      (asked.method, asked.path) match {
        case ("PUT", path) =>
          texts.put(path, asked.body)
          Reply(204, headers = Map("Schema-Id" -> id))
        case ("POST", path) =>
          val known = asked.body == texts.get(path.stripSuffix(":get-id"))
          if (known) Reply(204, headers = Map("Schema-Id" -> id)) else Reply.notFound
        case _ => RegistryServer.schema(texts.values.iterator.next(), id)
      }
    )
    try test(server)
    finally server.close()
  }

  private def options(server: RegistryServer, more: Seq[(String, String)]): Map[String, String] = Map(
    "eventhubs.connectionString" -> (s"Endpoint=sb://localhost:${server.port};SharedAccessKeyName=p;" +
      "SharedAccessKey=k;UseDevelopmentEmulator=true")
  ) ++ more

  /** The function as the analyzer leaves it. */
  private def analyzed(server: RegistryServer, format: BodyFormat, more: (String, String)*): Expression = {
    val written = ToBody(value, BodyOptions(RegistrySettings.parse(options(server, more))), format)
    assert(!written.resolved)
    val plan = Project(Seq(Alias(written, "written")()), LocalRelation(value))
    val found = ResolveTimeZone(RegisterSchemas(plan)).expressions.head.asInstanceOf[Alias].child
    assert(found.resolved && found.dataType.sameType(ToBody.Result))
    val replaced = found.transformUp { case other: RuntimeReplaceable => other.replacement }
    BindReferences.bindReference(replaced, Seq(value))
  }

  private def row(sensor: String, celsius: Any): InternalRow =
    InternalRow(InternalRow(UTF8String.fromString(sensor), celsius))

  private def result(function: Expression, row: InternalRow): (Option[Array[Byte]], Option[String]) = {
    val compiled = UnsafeProjection.create(Seq(function))(row).getStruct(0, 2)
    val found = function.eval(row).asInstanceOf[InternalRow]
    assert(found.toSeq(ToBody.Result).map(plain) == compiled.toSeq(ToBody.Result).map(plain))
    (Option(found.getBinary(0)), Option(found.getUTF8String(1)).map(_.toString))
  }

  private def plain(value: Any): Any = value match {
    case bytes: Array[Byte] => bytes.toSeq
    case other => other
  }

  private val named = Seq("eventhubs.registry.group" -> "g", "eventhubs.registry.schema" -> "com.contoso.Reading")

  test("a schema made of the columns is registered once, and what is written comes back") {
    withRegistry { server =>
      val encode = analyzed(server, BodyFormat.Avro, named: _*)
      analyzed(server, BodyFormat.Avro, named: _*)
      assert(server.requests.map(_.method) == Seq("POST", "PUT"))
      val schema = server.requests.last.body
      assert(schema.contains("\"name\":\"Reading\"") && schema.contains("\"namespace\":\"com.contoso\""))
      for (celsius <- Seq[Any](20.5, null)) {
        val (body, contentType) = result(encode, row("é", celsius))
        assert(contentType.contains(f"avro/binary+${7}%032x"))
        val columns = Seq(BinaryType, StringType, MapType(StringType, StringType)).zipWithIndex
          .map { case (kind, index) => BoundReference(index, kind, nullable = true) }
        val reader = Seq("eventhubs.registry.readerSchema" -> schema)
        val decode = FromBody(BodyFormat.Avro, columns, options(server, reader))
        val decoded = decode.eval(InternalRow(body.get, UTF8String.fromString(contentType.get), null))
        assert(decoded.asInstanceOf[InternalRow].toSeq(decode.dataType.asInstanceOf[StructType]) ==
          Seq(UTF8String.fromString("é"), celsius))
      }
    }
  }

  test("a null value is an event without a body and without a content type") {
    withRegistry { server =>
      assert(result(analyzed(server, BodyFormat.Avro, named: _*), InternalRow(null)) == ((None, None)))
    }
  }

  test("a schema of the user is registered under its own name, unless the registry has it") {
    withRegistry { server =>
      val schema = """{"type":"record","name":"R","namespace":"n","fields":[{"name":"sensor","type":"string"},""" +
        """{"name":"celsius","type":["null","double"],"default":null}]}"""
      analyzed(server, BodyFormat.Avro, "eventhubs.registry.group" -> "g", "eventhubs.registry.readerSchema" -> schema)
      assert(server.requests.last.line == "PUT /$schemaGroups/g/schemas/n.R")
      val other = ("eventhubs.registry.readerSchema" -> schema) +: ("eventhubs.operationTimeout" -> "9s") +: named
      analyzed(server, BodyFormat.Avro, other.filterNot(_._1.endsWith("schema")) :+ named.head: _*)
      assert(server.requests.last.line == "POST /$schemaGroups/g/schemas/n.R:get-id")
    }
  }

  test("a schema that the value cannot be written with is not registered, nor is what is no JSON Schema") {
    withRegistry { server =>
      val schema = """{"type":"record","name":"R","fields":[{"name":"other","type":"string"}]}"""
      val group = "eventhubs.registry.group" -> "g"
      assertThrows[Exception](
        analyzed(server, BodyFormat.Avro, group, "eventhubs.registry.readerSchema" -> schema)
      )
      val ddl = intercept[EventHubsException](
        analyzed(server, BodyFormat.Json, named :+ ("eventhubs.registry.readerSchema" -> "sensor STRING"): _*)
      )
      assert(ddl.getCondition == "EVENTHUBS_INVALID_OPTION" && server.requests.isEmpty)
      analyzed(server, BodyFormat.Json, named :+ ("eventhubs.registry.readerSchema" -> """{"type":"object"}"""): _*)
      assert(server.requests.last.body == """{"type":"object"}""")
    }
  }

  test("a JSON body has the id of the user's JSON Schema") {
    withRegistry { server =>
      val schema = "eventhubs.registry.readerSchema" -> """{"properties":{"sensor":{"type":"string"}}}"""
      val (body, contentType) = result(analyzed(server, BodyFormat.Json, named :+ schema: _*), row("é", 1.5))
      assert(body.map(new String(_, UTF_8)).contains("""{"sensor":"é","celsius":1.5}"""))
      assert(contentType.contains(f"application/json;serialization=Json+${7}%032x"))
      assert(server.requests.last.headers("content-type") == SchemaFormat.Json.contentType)
    }
  }

  test("a group, a name or a JSON Schema that is missing is named") {
    withRegistry { server =>
      def missing(format: BodyFormat, more: (String, String)*): String = {
        val failed = intercept[EventHubsException](analyzed(server, format, more: _*))
        assert(failed.getCondition == "EVENTHUBS_MISSING_OPTION")
        failed.getMessageParameters.get("key")
      }
      assert(missing(BodyFormat.Avro) == "eventhubs.registry.group")
      assert(missing(BodyFormat.Avro, named.head) == "eventhubs.registry.schema")
      assert(missing(BodyFormat.Json, named: _*) == "eventhubs.registry.readerSchema")
    }
  }
}
