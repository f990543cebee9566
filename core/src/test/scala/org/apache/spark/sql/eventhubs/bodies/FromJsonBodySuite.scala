package org.apache.spark.sql.eventhubs.bodies

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.spark.SparkConf
import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.registry.{RegistryServer, SchemaFormat}
import org.apache.spark.serializer.JavaSerializer
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, GenericInternalRow, UnsafeProjection}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import testkit.TestSuite

class FromJsonBodySuite extends TestSuite {

  private val id = "0123456789abcdef0123456789abcdef"
  private val columns = Seq(BinaryType, StringType, MapType(StringType, StringType)).zipWithIndex
    .map { case (kind, index) => BoundReference(index, kind, nullable = true) }

  private def function(port: Int, more: (String, String)*): FromBody = {
    val hub = s"Endpoint=sb://localhost:$port;SharedAccessKeyName=p;SharedAccessKey=k;UseDevelopmentEmulator=true"
    FromBody(BodyFormat.Json, columns, Map("eventhubs.connectionString" -> hub) ++ more)
  }

  private val ddl = "eventhubs.registry.readerSchema" -> "id INT, name STRING"

  private def row(body: String, contentType: String = s"application/json;serialization=Json+$id"): InternalRow =
    new GenericInternalRow(Array[Any](body.getBytes(UTF_8), UTF8String.fromString(contentType), null))

  private def fields(function: FromBody, row: InternalRow): Seq[Any] = {
    val compiled = UnsafeProjection.create(Seq(function))(row).copy()
    val struct = function.dataType.asInstanceOf[StructType]
    val found = Option(function.eval(row).asInstanceOf[InternalRow]).map(_.toSeq(struct))
    assert(found == (if (compiled.isNullAt(0)) None else Some(compiled.getStruct(0, struct.size).toSeq(struct))))
    found.getOrElse(Nil).map {
      case text: UTF8String => text.toString
      case other => other
    }
  }

  private def failure(call: => Any): EventHubsException = intercept[EventHubsException](call)

  test("a format comes to a task as it is") {
    val serializer = new JavaSerializer(new SparkConf).newInstance()
    for (format <- Seq[BodyFormat](BodyFormat.Avro, BodyFormat.Json)) {
      val there = serializer.deserialize[BodyFormat](serializer.serialize(format))
      assert(there == format && there.schemas == format.schemas && there.schemas.contentType.nonEmpty)
    }
  }

  test("a body becomes the columns of the user's schema, without a question to the registry") {
    val decoded = function(1, ddl)
    assert(fields(decoded, row("""{"name":"é","id":7,"more":[1]}""")) == Seq(7, "é"))
    assert(fields(decoded, row("{}", "application/json")) == Seq(null, null))
    assert(fields(decoded, row("")) == Nil)
  }

  test("the newest schema of the registry gives the columns") {
    val server = new RegistryServer((_, asked) =>
      if (asked.path.endsWith("/versions")) RegistryServer.page("1")
      else RegistryServer.schema("""{"properties":{"id":{"type":"integer"}}}""", id, SchemaFormat.Json)
    )
    try {
      val name = Seq("eventhubs.registry.group" -> "g", "eventhubs.registry.schema" -> "n")
      assert(fields(function(server.port, name: _*), row("""{"id":7}""")) == Seq(7L))
      val settings = Map("eventhubs.connectionString" -> (s"Endpoint=sb://localhost:${server.port};" +
        "SharedAccessKeyName=p;SharedAccessKey=k;UseDevelopmentEmulator=true")) ++ name
      val avro = failure(FromBody(BodyFormat.Avro, columns, settings))
      assert(avro.getCondition == "EVENTHUBS_SCHEMA_REGISTRY.UNSUPPORTED_SCHEMA")
      assert(avro.getMessage.contains("it is a schema of the format JSON"))
    } finally server.close()
  }

  test("a body that is no JSON, of another type or Avro fails, or has the reason in a column") {
    val strict = function(1, ddl)
    val kept = function(1, ddl, "eventhubs.registry.mode" -> "PERMISSIVE")
    val avro = row("{}", s"avro/binary+$id")
    for (bad <- Seq(row("{"), row("no"), row("[1]"), row("7"), row("""{"id":"x"}"""), avro)) {
      val failed = failure(strict.eval(bad))
      assert(failed.getCondition == "EVENTHUBS_BODY.MISMATCH", failed)
      assert(fields(kept, bad) == Seq(null, null, failed.getMessage))
    }
    assert(fields(kept, row("""{"id":1}""")) == Seq(1, null, null))
  }
}
