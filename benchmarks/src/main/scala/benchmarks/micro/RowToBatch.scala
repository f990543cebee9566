package benchmarks.micro

import java.util.concurrent.TimeUnit

import org.openjdk.jmh.annotations._

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.eventhubs.TaskRowWriter
import org.apache.spark.sql.types.{BinaryType, StructType}

/** Encodes a row into a batch, with and without the stamp of exactly once. */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
class RowToBatch {

  @Param(Array("100", "1024"))
  var bodyBytes: Int = _

  @Param(Array("at-least-once", "exactly-once"))
  var guarantee: String = _

  private var row: InternalRow = _
  private var rows: TaskRowWriter = _

  @Setup
  def prepare(): Unit = {
    val schema = new StructType().add("body", BinaryType)
    row = UnsafeProjection.create(schema)(InternalRow(new Array[Byte](bodyBytes)))
    rows = new TaskRowWriter(schema, exactlyOnce = guarantee == "exactly-once")
  }

  @Benchmark
  def write(): Int = rows.write(row)
}
