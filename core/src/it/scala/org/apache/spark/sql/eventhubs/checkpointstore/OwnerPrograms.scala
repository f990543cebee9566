package org.apache.spark.sql.eventhubs.checkpointstore

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.eventhubs.TestSpark

/** The line that a program prints for each event that it has processed. A processor has no micro-batch: -1. */
final case class Processed(partition: Int, seqNo: Long, batch: Long) {
  def line: String = s"event $partition $seqNo $batch;"
}

object Processed {
  private val Line = "event (\\d+) (\\d+) (-?\\d+);".r

  /** Nothing for other output, and for a line that a killed program has not finished. */
  def parse(line: String): Option[Processed] = line match {
    case Line(partition, seqNo, batch) => Some(Processed(partition.toInt, seqNo.toLong, batch.toLong))
    case _ => None
  }
}

/**
 * A program: the processor of a hub, which prints its errors too. Arguments: hub, storage (connection strings),
 * container. Ends with its input.
 */
object JavaProcessorProgram {

  def main(args: Array[String]): Unit = {
    val processor = new JavaProcessor(
      args(0),
      args(1),
      args(2),
      processed = event => println(Processed(event.partition, event.seqNo, -1).line),
      failed = println(_)
    )
    processor.start()
    while (System.in.read() >= 0) ()
    processor.stop()
    // Threads of the SDK's HTTP client do not end by themselves.
    System.exit(0)
  }
}

/** A program: a stream that owns its partitions. The arguments of the processor, then its checkpoint folder. */
object OwningStreamProgram {

  def main(args: Array[String]): Unit = {
    val spark = TestSpark.ofProgram()
    val process = (rows: DataFrame, batch: Long) =>
      rows
        .selectExpr("cast(partition as int)", "sequenceNumber")
        .collect()
        .foreach(row => println(Processed(row.getInt(0), row.getLong(1), batch).line))
    val query = spark.readStream
      .format("eventhubs")
      .option("eventhubs.connectionString", args(0))
      .option("eventhubs.checkpointStore.connectionString", args(1))
      .option("eventhubs.checkpointStore.container", args(2))
      .option("eventhubs.checkpointStore.interval", "100ms")
      .option("eventhubs.checkpointStore.ownership", "wait")
      .option("eventhubs.checkpointStore.ownershipExpiration", "4s")
      .option("eventhubs.maxEventsPerTrigger", "40")
      .load()
      .writeStream
      .foreachBatch(process)
      .option("checkpointLocation", args(3))
      .start()
    while (System.in.read() >= 0) ()
    query.stop()
    spark.stop()
  }
}
