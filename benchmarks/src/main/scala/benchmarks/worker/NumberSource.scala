package benchmarks.worker

import java.util

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.SpecificInternalRow
import org.apache.spark.sql.connector.catalog._
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.read._
import org.apache.spark.sql.connector.read.streaming._
import org.apache.spark.sql.types.{LongType, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * A streaming source of the numbers 0 to `events` - 1, with two tasks per micro-batch. Unlike Spark's file source it
 * writes no log at a trigger, so a query over it costs only Spark's own time and the sink's.
 *
 * Options: `events`, `eventsPerBatch`.
 */
final class NumberSource extends TableProvider {

  override def inferSchema(options: CaseInsensitiveStringMap): StructType = NumberSource.Schema

  override def getTable(
      schema: StructType,
      partitioning: Array[Transform],
      properties: util.Map[String, String]
  ): Table = NumberSource.NumberTable
}

private object NumberSource {

  private val Schema = new StructType().add("id", LongType)
  private val Tasks = 2

  private object NumberTable extends Table with SupportsRead {
    override def name: String = "numbers"
    override def schema: StructType = Schema
    override def capabilities: util.Set[TableCapability] = util.EnumSet.of(TableCapability.MICRO_BATCH_READ)

    override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = () =>
      new Scan {
        override def readSchema: StructType = Schema
        override def toMicroBatchStream(checkpointLocation: String): MicroBatchStream =
          new Batches(options.getLong("events", 0), options.getLong("eventsPerBatch", 0))
      }
  }

  private final case class Until(number: Long) extends Offset {
    override def json: String = number.toString
  }

  private final case class Range(from: Long, until: Long) extends InputPartition

  /** Has an end, whatever the trigger. */
  private final class Batches(events: Long, perBatch: Long) extends MicroBatchStream with SupportsTriggerAvailableNow {

    override def prepareForTriggerAvailableNow(): Unit = ()
    override def initialOffset: Offset = Until(0)
    override def deserializeOffset(json: String): Offset = Until(json.toLong)

    override def latestOffset(start: Offset, limit: ReadLimit): Offset =
      Until(math.min(number(start) + perBatch, events))

    override def latestOffset: Offset =
      throw new UnsupportedOperationException("Spark calls latestOffset with a start and a limit")

    override def planInputPartitions(start: Offset, end: Offset): Array[InputPartition] = {
      val (first, count) = (number(start), number(end) - number(start))
      Array.tabulate(Tasks)(task => Range(first + count * task / Tasks, first + count * (task + 1) / Tasks))
    }

    override def createReaderFactory(): PartitionReaderFactory = Readers
    override def commit(end: Offset): Unit = ()
    override def stop(): Unit = ()

    private def number(offset: Offset): Long = offset.json.toLong
  }

  private object Readers extends PartitionReaderFactory {

    override def createReader(partition: InputPartition): PartitionReader[InternalRow] = partition match {
      case Range(from, until) => new Reader(from, until)
      case other => throw new IllegalArgumentException(s"$other is not a range of numbers")
    }

    private def readResolve(): AnyRef = Readers
  }

  private final class Reader(from: Long, until: Long) extends PartitionReader[InternalRow] {
    private val row = new SpecificInternalRow(Seq(LongType))
    private var number = from - 1

    override def next(): Boolean = {
      number += 1
      number < until
    }

    override def get(): InternalRow = {
      row.setLong(0, number)
      row
    }

    override def close(): Unit = ()
  }
}
