package org.apache.spark.sql.eventhubs.bodies

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.avro.Schema
import org.apache.avro.generic.{GenericData, GenericRecord}

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.registry.{RegistryServer, Reply, SchemaFormat}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, GenericInternalRow, UnsafeProjection}
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import testkit.TestSuite

/** The function over rows, interpreted and compiled, with a registry that answers as a test says. */
class FromAvroBodySuite extends TestSuite {

  private def versionOf(fields: String): String =
    s"""{"type":"record","name":"Reading","namespace":"n","fields":[$fields]}"""

  private val Sensor = """{"name":"sensor","type":"string"}"""

  /** Four versions of a schema, each compatible with the others. */
  private val versions = Seq(
    versionOf(Sensor),
    versionOf(s"""$Sensor,{"name":"celsius","type":["null","double"],"default":null}"""),
    versionOf(s"""{"name":"celsius","type":["null","float"],"default":null},$Sensor"""),
    versionOf(
      s"""$Sensor,{"name":"site","type":{"type":"record","name":"Site","fields":[{"name":"code","type":"int"}]}},""" +
        """{"name":"celsius","type":["null","double"],"default":null}"""
    )
  )

  private def id(version: Int): String = f"$version%032x"

  /** As Azure's clients write it. */
  private def contentType(version: Int): String = s"avro/binary+${id(version)}"

  private def body(version: Int, sensor: String, before: Array[Byte] = Array.emptyByteArray): Array[Byte] = {
    val schema = new Schema.Parser().parse(versions(version - 1))
    val record: GenericRecord = new GenericData.Record(schema)
    record.put("sensor", sensor)
    if (version == 2 || version == 4) record.put("celsius", Double.box(20.5))
    if (version == 3) record.put("celsius", Float.box(20.5f))
    if (version == 4) {
      val site = new GenericData.Record(schema.getField("site").schema)
      site.put("code", Int.box(7))
      record.put("site", site)
    }
    RandomAvro.encoded(schema, record, before)
  }

  private def withRegistry[A](reply: String => Reply = answer)(test: RegistryServer => A): A = {
    val server = new RegistryServer((_, asked) => reply(asked.path))
    try test(server)
    finally server.close()
  }

  private val ById = "/\\$schemaGroups/\\$schemas/0{30}([0-9a-f]{2})".r
  private val Versions = "/\\$schemaGroups/g/schemas/n.Reading/versions".r
  private val ByVersion = "/\\$schemaGroups/g/schemas/n.Reading/versions/(\\d+)".r

  private def answer(path: String): Reply = path match {
    case ById(asked) =>
      val version = Integer.parseInt(asked, 16)
      if (version >= 1 && version <= 4) RegistryServer.schema(versions(version - 1), id(version)) else Reply.notFound
    case Versions() => RegistryServer.page("1,2,3,4")
    case ByVersion(number) => RegistryServer.schema(versions(number.toInt - 1), id(number.toInt))
    case _ => Reply.notFound
  }

  private val columns = Seq(BinaryType, StringType, MapType(StringType, StringType), StringType, LongType, StringType)
    .zipWithIndex.map { case (kind, index) => BoundReference(index, kind, nullable = true) }

  private def options(server: RegistryServer, more: Seq[(String, String)]): Map[String, String] = {
    val key = "eventhubs.connectionString"
    val file = java.nio.file.Files.createTempFile("registry", ".txt")
    java.nio.file.Files.writeString(
      file,
      s"Endpoint=sb://localhost:${server.port};SharedAccessKeyName=p;SharedAccessKey=k;UseDevelopmentEmulator=true"
    )
    Map(key -> s"{file:$file}", "eventhubs.operationTimeout" -> "1s") ++ more
  }

  private def function(server: RegistryServer, more: (String, String)*): FromBody =
    FromBody(BodyFormat.Avro, columns, options(server, more))

  private def readerOf(version: Int): (String, String) = "eventhubs.registry.readerSchema" -> versions(version - 1)

  private def row(body: Array[Byte], contentType: String = "", properties: Map[String, String] = Map.empty) = {
    val map = ArrayBasedMapData(properties.map { case (k, v) => UTF8String.fromString(k) -> UTF8String.fromString(v) })
    val type_ = Option(contentType).filter(_.nonEmpty).map(UTF8String.fromString).orNull
    new GenericInternalRow(
      Array[Any](body, type_, map, UTF8String.fromString("3"), 42L, UTF8String.fromString("telemetry"))
    )
  }

  /** The fields, or nothing for null. Both ways to evaluate give the same. */
  private def result(function: FromBody, row: InternalRow): Seq[Any] = {
    val projection = UnsafeProjection.create(Seq(function))
    val compiled = projection(row).copy()
    val found = function.eval(row)
    assert(compiled.isNullAt(0) == (found == null))
    if (found == null) Nil
    else {
      val fields = function.dataType.asInstanceOf[StructType]
      val (one, other) = (found.asInstanceOf[InternalRow], compiled.getStruct(0, fields.size))
      assert(one.toSeq(fields) == other.toSeq(fields))
      one.toSeq(fields).map {
        case text: UTF8String => text.toString
        case value => value
      }
    }
  }

  private def failure(call: => Any): EventHubsException = intercept[EventHubsException](call)

  test("four versions in one stream become the reader's columns, with one question for each id") {
    withRegistry() { server =>
      val decoded = function(server, readerOf(2))
      assert(decoded.dataType == new StructType().add("sensor", StringType, nullable = false).add(
        "celsius",
        DoubleType
      ))
      for (_ <- 1 to 3; version <- 1 to 4) {
        val celsius = if (version == 1) null else 20.5
        assert(result(decoded, row(body(version, s"s$version"), contentType(version))) == Seq(s"s$version", celsius))
      }
      assert(server.requests.map(_.path).sorted == (1 to 4).map(n => s"/$$schemaGroups/$$schemas/${id(n)}"))
    }
  }

  test("an id is found in Kafka's header and at the beginning of a body, and the content type goes first") {
    withRegistry() { server =>
      val decoded = function(server, readerOf(2))
      val header = Map("a" -> "b", "content-type" -> contentType(2).getBytes(UTF_8).mkString("[", ",", "]"))
      assert(result(decoded, row(body(2, "kafka"), properties = header)) == Seq("kafka", 20.5))
      val preamble = new Array[Byte](4) ++ id(3).getBytes(UTF_8)
      assert(result(decoded, row(body(3, "old", preamble))) == Seq("old", 20.5))
      assert(result(decoded, row(body(1, "both"), contentType(1), header)) == Seq("both", null))
      val own = header + ("schemaId" -> "7")
      assert(result(decoded, row(body(2, "own"), "avro/binary", own)) == Seq("own", 20.5), "of the application")
    }
  }

  test("an event without a body stays null, also an empty one") {
    withRegistry() { server =>
      for (mode <- Seq("FAILFAST", "PERMISSIVE")) {
        val decoded = function(server, readerOf(2), "eventhubs.registry.mode" -> mode)
        assert(result(decoded, row(Option.empty[Array[Byte]].orNull, contentType(1))) == Nil)
        assert(result(decoded, row(Array.emptyByteArray, contentType(1))) == Nil)
      }
    }
  }

  test("without a reader's schema the newest version gives the columns, or the one that the options name") {
    withRegistry() { server =>
      val name = Seq("eventhubs.registry.group" -> "g", "eventhubs.registry.schema" -> "n.Reading")
      val newest = function(server, name: _*)
      assert(newest.dataType.asInstanceOf[StructType].fieldNames.toSeq == Seq("sensor", "site", "celsius"))
      val third = function(server, name :+ ("eventhubs.registry.version" -> "3"): _*)
      assert(third.dataType.asInstanceOf[StructType].fieldNames.toSeq == Seq("celsius", "sensor"))
      val other = failure(function(server, name.head, "eventhubs.registry.schema" -> "n.Other"))
      assert(other.getCondition == "EVENTHUBS_SCHEMA_REGISTRY.NOT_FOUND")
      assert(other.getMessage.contains("the newest version of 'g/n.Other'"))
      assert(failure(function(server, name.head)).getCondition == "EVENTHUBS_MISSING_OPTION")
    }
  }

  test("what an event has wrong fails the query, with its place") {
    withRegistry() { server =>
      val decoded = function(server, readerOf(2))
      def wrong(row: InternalRow): EventHubsException = {
        val interpreted = failure(decoded.eval(row))
        assert(failure(UnsafeProjection.create(Seq(decoded))(row)).getMessage == interpreted.getMessage)
        assert(interpreted.getMessage.contains("Event 42 of partition 3 of 'telemetry'"))
        interpreted
      }
      assert(wrong(row(body(1, "x"))).getCondition == "EVENTHUBS_BODY.NO_SCHEMA_ID")
      assert(wrong(row(body(1, "x"), "avro/binary+17")).getMessage.contains("no id of 32 hexadecimal digits"))
      val unknown = wrong(row(body(1, "x"), contentType(9)))
      assert(unknown.getCondition == "EVENTHUBS_BODY.UNKNOWN_SCHEMA" && unknown.getMessage.contains(id(9)))
      val cut = wrong(row(body(4, "x").dropRight(1), contentType(4)))
      assert(cut.getCondition == "EVENTHUBS_BODY.MISMATCH" && cut.getMessage.contains(id(4)))
      assert(wrong(row(Array[Byte](1), s"application/json;serialization=Json+${id(1)}")).getMessage.contains("JSON"))
      val incompatible = function(server, readerOf(4))
      val missing = failure(incompatible.eval(row(body(1, "x"), contentType(1))))
      assert(missing.getCondition == "EVENTHUBS_BODY.MISMATCH" && missing.getMessage.contains("site"))
    }
  }

  test("in the mode PERMISSIVE the reason is in a column, and the next event is decoded") {
    withRegistry() { server =>
      val decoded = function(server, readerOf(2), "eventhubs.registry.mode" -> "permissive")
      assert(decoded.dataType == new StructType().add("sensor", StringType).add("celsius", DoubleType)
        .add("_decode_error", StringType))
      for (bad <- Seq(row(body(1, "x")), row(body(1, "x"), contentType(9)), row(Array[Byte](7), contentType(2)))) {
        val fields = result(decoded, bad)
        assert(fields.take(2) == Seq(null, null))
        val reason = fields.last.toString
        assert(reason.startsWith("[EVENTHUBS_BODY.") && reason.contains("Event 42 of partition 3"))
        assert(result(decoded, row(body(2, "next"), contentType(2))) == Seq("next", 20.5, null))
      }
    }
  }

  test("a registry that is away or refuses fails the query in each mode") {
    for (
      mode <- Seq("FAILFAST", "PERMISSIVE"); (status, condition) <- Seq(503 -> "UNREACHABLE", 401 -> "AUTHENTICATION")
    )
      withRegistry(_ => Reply(status)) { server =>
        val decoded = function(server, readerOf(2), "eventhubs.registry.mode" -> mode)
        val failed = failure(decoded.eval(row(body(1, "x"), contentType(1))))
        assert(failed.getCondition == s"EVENTHUBS_SCHEMA_REGISTRY.$condition")
      }
  }

  test("an id of a schema in another language is named") {
    withRegistry(_ => RegistryServer.schema("{}", id(1), SchemaFormat.Json)) { server =>
      val failed = failure(function(server, readerOf(2)).eval(row(body(1, "x"), contentType(1))))
      assert(failed.getCondition == "EVENTHUBS_BODY.MISMATCH" && failed.getMessage.contains("format JSON"))
    }
  }

  test("a schema with a cycle gives no columns, and says why") {
    withRegistry() { server =>
      val cycle = """{"type":"record","name":"Node","fields":[{"name":"next","type":["null","Node"]}]}"""
      val failed = failure(function(server, "eventhubs.registry.readerSchema" -> cycle))
      assert(failed.getCondition == "EVENTHUBS_SCHEMA_REGISTRY.UNSUPPORTED_SCHEMA")
      assert(failed.getMessage.toLowerCase.contains("recursive"))
      val noAvro = failure(function(server, "eventhubs.registry.readerSchema" -> "{}"))
      assert(noAvro.getCondition == "EVENTHUBS_INVALID_OPTION")
    }
  }

  test("a value that is no record is a value, and with a reason the field 'value'") {
    withRegistry(_ => RegistryServer.schema("\"long\"", id(1))) { server =>
      val long = "eventhubs.registry.readerSchema" -> "\"long\""
      assert(function(server, long).eval(row(Array[Byte](14), contentType(1))) == 7L)
      val kept = function(server, long, "eventhubs.registry.mode" -> "PERMISSIVE")
      assert(result(kept, row(Array[Byte](14), contentType(1))) == Seq(7L, null))
    }
  }

  test("a secret is refused where plans would show it, and its place is not") {
    withRegistry() { server =>
      for (key <- Seq("eventhubs.auth.clientSecret", "eventhubs.auth.sasToken", "eventhubs.proxy.password")) {
        val refused = failure(function(server, readerOf(2), key -> "s3cret"))
        assert(refused.getCondition == "EVENTHUBS_INVALID_OPTION" && !refused.getMessage.contains("s3cret"))
        assert(refused.getMessage.contains(key) && refused.getMessage.contains("{env:NAME}"))
      }
      val decoded = function(server, readerOf(2))
      assert(decoded.toString.startsWith("from_eventhubs_avro(input[0") && !decoded.toString.contains("eventhubs.conn"))
    }
  }
}
