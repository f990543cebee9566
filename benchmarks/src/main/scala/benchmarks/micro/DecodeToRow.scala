package benchmarks.micro

import java.util.concurrent.TimeUnit

import com.azure.messaging.eventhubs.SdkEventDecoder
import org.openjdk.jmh.annotations._

import org.apache.spark.eventhubs.NameAndPartition
import org.apache.spark.eventhubs.amqp.ReceivedEventAccess
import org.apache.spark.eventhubs.rdd.OffsetRange
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.eventhubs.{EventHubsSchema, ReadRows}
import org.apache.spark.sql.types.{BinaryType, DataType}

/** Decodes the bytes of a delivery to a row. */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
class DecodeToRow {

  @Param(Array("100", "1024", "10240"))
  var bodyBytes: Int = _

  @Param(Array("bare", "full"))
  var content: String = _

  private var delivery: Array[Byte] = _
  private var received: ReceivedEventAccess.Event = _
  private var toRow: ReceivedEventAccess.Event => InternalRow = _
  private var toUnsafe: UnsafeProjection = _
  private var toUnsafeBody: UnsafeProjection = _

  @Setup
  def prepare(): Unit = {
    delivery = Deliveries.encoded(bodyBytes, content)
    received = ReceivedEventAccess.of(delivery)
    val range = OffsetRange(NameAndPartition("bench", 0), 0, 1)
    toRow = ReadRows.converter(EventHubsSchema.schema.fieldNames.toSeq).open(range)
    toUnsafe = UnsafeProjection.create(EventHubsSchema.schema)
    // The body is the first column of the row.
    toUnsafeBody = UnsafeProjection.create(Array[DataType](BinaryType))
  }

  /** Decodes AMQP to a message, as the SDK does on the connection's thread. The connector does not need it. */
  @Benchmark
  def decodeBySdk(): AnyRef = Deliveries.decode(delivery)

  /** Converts the message to the event of the SDK's public client. */
  @Benchmark
  def decodeToSdkEvent(): AnyRef = SdkEventDecoder.of(Deliveries.decode(delivery))

  private def row(): InternalRow = {
    ReceivedEventAccess.move(received, delivery)
    toRow(received)
  }

  /** Finds the parts of the message. The row decodes them when it is read. */
  @Benchmark
  def undecoded(): InternalRow = row()

  /** Decodes all nine columns into an `UnsafeRow`, as Spark does for a query that uses all of them. */
  @Benchmark
  def unsafeRow(): InternalRow = toUnsafe(row())

  /** Decodes the body into an `UnsafeRow`, as Spark does for a query that uses it alone. */
  @Benchmark
  def bodyOnly(): InternalRow = toUnsafeBody(row())
}
