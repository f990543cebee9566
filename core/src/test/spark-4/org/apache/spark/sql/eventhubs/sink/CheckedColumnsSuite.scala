package org.apache.spark.sql.eventhubs.sink

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.options.WriteSettings
import org.apache.spark.eventhubs.send.SendFixture
import org.apache.spark.sql.types.{BinaryType, IntegerType, StructType}
import testkit.{Logged, TestSuite}

/** It reads the log, which the suites of Spark 3.5 write with another logger. */
class CheckedColumnsSuite extends TestSuite {

  private val settings = WriteSettings.parse(Map("eventhubs.connectionString" -> SendFixture.connectionString))

  private def schema(more: String*): StructType =
    more.foldLeft(new StructType().add("body", BinaryType))(_.add(_, IntegerType))

  test("the frames of further batches are not looked at again, so nothing is said of them twice") {
    val checked = new CheckedColumns(settings)
    def said = Logged.by { checked.of(schema("eventHub")); () }
    assert(said.contains("the column 'eventHub' is ignored"))
    assert(said.isEmpty)
  }

  test("a frame of other columns is looked at") {
    val checked = new CheckedColumns(settings)
    assert(checked.of(schema("other")).unused == Seq("other"))
    assert(checked.of(schema("another")).unused == Seq("another"))
    intercept[EventHubsException](checked.of(new StructType().add("other", IntegerType)))
    assert(checked.of(schema("another")).unused == Seq("another"))
  }
}
