package benchmarks.micro

import java.util.concurrent.TimeUnit

import org.openjdk.jmh.annotations._

import org.apache.spark.eventhubs.NameAndPartition
import org.apache.spark.eventhubs.rdd.OffsetRange
import org.apache.spark.sql.eventhubs.{EventHubsSourceOffset, RangeSplits, ReadRows}

/** The driver's computations in each trigger, by the number of partitions. */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
class DriverSteps {

  @Param(Array("4", "32", "1024"))
  var partitions: Int = _

  private var ranges: Seq[OffsetRange] = _
  private var backlog: Map[Int, Long] = _
  private var offset: EventHubsSourceOffset = _
  private var json: String = _
  private var plain: Seq[OffsetRange] => Seq[OffsetRange] = _
  private var split: Seq[OffsetRange] => Seq[OffsetRange] = _

  @Setup
  def prepare(): Unit = {
    // Unequal like real backlogs, and the same in each run.
    backlog = (0 until partitions).map(id => id -> (1000L + 7919L * id % 5003)).toMap
    ranges = backlog.toSeq.sortBy(_._1).map { case (id, events) =>
      OffsetRange(NameAndPartition("bench", id), 1000000L, 1000000L + events)
    }
    offset = EventHubsSourceOffset("bench", backlog.map { case (id, events) => id -> (1000000L + events) })
    json = offset.json
    plain = RangeSplits.splitter(None)
    split = RangeSplits.splitter(Some(2 * partitions))
  }

  @Benchmark
  def fairShare(): Map[Int, Long] = ReadRows.fairShare(1000L * partitions, backlog)

  @Benchmark
  def splitByDefault(): Seq[OffsetRange] = plain(ranges)

  /** `minPartitions` is twice the number of partitions. */
  @Benchmark
  def splitInTwo(): Seq[OffsetRange] = split(ranges)

  @Benchmark
  def offsetToJson(): String = EventHubsSourceOffset("bench", offset.sequenceNumbers("bench")).json

  @Benchmark
  def offsetFromJson(): EventHubsSourceOffset = EventHubsSourceOffset.parse(json)
}
