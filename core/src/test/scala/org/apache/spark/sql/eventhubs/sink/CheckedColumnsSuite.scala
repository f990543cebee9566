package org.apache.spark.sql.eventhubs.sink

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.options.WriteSettings
import org.apache.spark.eventhubs.send.SendFixture
import org.apache.spark.sql.types.{BinaryType, IntegerType, StructType}
import testkit.TestSuite

class CheckedColumnsSuite extends TestSuite {

  private val settings = WriteSettings.parse(Map("eventhubs.connectionString" -> SendFixture.connectionString))

  private def schema(more: String*): StructType =
    more.foldLeft(new StructType().add("body", BinaryType))(_.add(_, IntegerType))

  test("a frame of other columns is looked at") {
    val checked = new CheckedColumns(settings)
    assert(checked.of(schema("other")).unused == Seq("other"))
    assert(checked.of(schema("another")).unused == Seq("another"))
    intercept[EventHubsException](checked.of(new StructType().add("other", IntegerType)))
    assert(checked.of(schema("another")).unused == Seq("another"))
  }
}
