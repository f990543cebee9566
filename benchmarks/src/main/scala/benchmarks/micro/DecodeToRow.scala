package benchmarks.micro

import java.util.concurrent.TimeUnit

import com.azure.messaging.eventhubs.SdkEvents
import org.openjdk.jmh.annotations._

import org.apache.spark.eventhubs.NameAndPartition
import org.apache.spark.eventhubs.amqp.{ReceivedEvent, ReceivedEvents}
import org.apache.spark.eventhubs.rdd.OffsetRange
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.eventhubs.EventHubsSchema
import org.apache.spark.sql.eventhubs.source.EventHubsRowConverter

/** From a delivery's bytes to a row. */
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
  private var received: ReceivedEvent = _
  private var toRow: ReceivedEvent => InternalRow = _
  private var toUnsafe: UnsafeProjection = _
  private var toBody: ReceivedEvent => InternalRow = _

  @Setup
  def prepare(): Unit = {
    delivery = Deliveries.encoded(bodyBytes, content)
    received = ReceivedEvents.of(delivery)
    val range = OffsetRange(NameAndPartition("bench", 0), 0, 1)
    toRow = EventHubsRowConverter(EventHubsSchema.schema.fieldNames.toSeq).open(range)
    toUnsafe = UnsafeProjection.create(EventHubsSchema.schema)
    toBody = EventHubsRowConverter(Seq("body")).open(range)
  }

  /** AMQP to a message, as the SDK does it on the connection's thread; the connector does without. */
  @Benchmark
  def decodeBySdk(): AnyRef = Deliveries.decode(delivery)

  /** The event that the SDK's public client makes of the message. */
  @Benchmark
  def decodeToSdkEvent(): AnyRef = SdkEvents.of(Deliveries.decode(delivery))

  /** All nine columns, as the task makes them. */
  @Benchmark
  def row(): InternalRow = {
    ReceivedEvents.move(received, delivery)
    toRow(received)
  }

  /** The same in Spark's own form, as every query goes on with it. */
  @Benchmark
  def unsafeRow(): InternalRow = toUnsafe(row())

  /** The body alone. */
  @Benchmark
  def bodyOnly(): InternalRow = {
    ReceivedEvents.move(received, delivery)
    toBody(received)
  }
}
