package benchmarks.worker

import benchmarks.harness.Request

import org.apache.spark.sql.Row

/** Checks that the bodies of counted events have the right size. */
private object EventCheck {
  def count(row: Row, request: Request): Long = {
    val (events, bytes) = (row.getLong(0), row.getLong(1))
    val expected = events * request.workload.bodyBytes
    require(bytes == expected, s"$events events have $bytes bytes in their bodies; expected $expected")
    events
  }
}
