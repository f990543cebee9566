package org.apache.spark.eventhubs.registry

import java.nio.charset.StandardCharsets.UTF_8

import testkit.TestSuite

class NamedSchemaSuite extends TestSuite {

  private val id = "0123456789abcdef0123456789ABCDEF"
  private val avro = Some(Right(NamedSchema(SchemaId.parse(id).get, isJson = false)))
  private val json = Some(Right(NamedSchema(SchemaId.parse(id).get, isJson = true)))

  /** As the column `properties` shows bytes. */
  private def binary(text: String): String = text.getBytes(UTF_8).mkString("[", ",", "]")

  test("a content type names a schema, in any case and with any spaces") {
    for (text <- Seq(s"avro/binary+$id", s"Avro/Binary+$id", s"avro/binary + $id", binary(s"avro/binary+$id")))
      assert(NamedSchema.ofContentType(text) == avro, text)
    for (
      text <- Seq(
        s"application/json;serialization=Json+$id",
        s"application/json; serialization=json+$id",
        s"application/json+$id"
      )
    )
      assert(NamedSchema.ofContentType(text) == json, text)
  }

  test("another content type says nothing of a registry") {
    for (
      text <- Seq("", "application/json", "text/plain", s"text/plain+$id", "application/cloudevents+avro", "[", "[]")
    )
      assert(NamedSchema.ofContentType(text).isEmpty, text)
  }

  test("an id in another form is named") {
    for (end <- Seq("", "+", "+1", s"+${id}0", s"+${id.drop(1)}g", "+" + "é" * 32)) {
      val found = NamedSchema.ofContentType(s"avro/binary$end")
      assert(found.exists(_.left.exists(_.contains("no id of 32 hexadecimal digits"))), end)
    }
    assert(NamedSchema.ofHeader("17").exists(_.left.exists(_.contains("'17'"))))
  }

  test("Kafka's header has the id of a JSON schema, as bytes or as text") {
    assert(NamedSchema.ofHeader(binary(id)) == json)
    assert(NamedSchema.ofHeader(id) == json)
  }

  test("a body begins with four zeros and an id") {
    val zeros = new Array[Byte](4)
    assert(NamedSchema.ofBody(zeros ++ id.getBytes(UTF_8) ++ Array[Byte](2)) == avro)
    assert(NamedSchema.ofBody(zeros ++ id.getBytes(UTF_8)) == avro)
    for (body <- Seq(Array.emptyByteArray, zeros, zeros ++ id.drop(1).getBytes(UTF_8), new Array[Byte](100)))
      assert(NamedSchema.ofBody(body).isEmpty)
    assert(NamedSchema.ofBody(Array[Byte](1, 0, 0, 0) ++ id.getBytes(UTF_8)).isEmpty)
  }

  test("why an event names no schema says what it has") {
    assert(NamedSchema.missing(None, Array[Byte](1)) == "it has no content type")
    assert(NamedSchema.missing(Some("text/plain"), Array[Byte](1)) == "its content type is 'text/plain'")
    val confluent = NamedSchema.missing(None, Array[Byte](0, 0, 0, 0, 7, 1))
    assert(confluent ==
      "it has no content type, and its body begins with a zero, as those of Confluent's registry do")
  }
}
