package org.apache.spark.sql.eventhubs.sink

import org.apache.spark.eventhubs.options.WriteSettings
import org.apache.spark.eventhubs.send.SendFixture
import org.apache.spark.sql.types.{BinaryType, IntegerType, StructType}
import testkit.{Logged, TestSuite}

/** What `CheckedColumns` logs. The suites of Spark 3.5 have another logger. */
class WarnedColumnsSuite extends TestSuite {

  test("the frames of further batches are not looked at again, so nothing is said of them twice") {
    val settings = WriteSettings.parse(Map("eventhubs.connectionString" -> SendFixture.connectionString))
    val checked = new CheckedColumns(settings)
    val schema = new StructType().add("body", BinaryType).add("eventHub", IntegerType)
    def said = Logged.by { checked.of(schema); () }
    assert(said.contains("the column 'eventHub' is ignored"))
    assert(said.isEmpty)
  }
}
