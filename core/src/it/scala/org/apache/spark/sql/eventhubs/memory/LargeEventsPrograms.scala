package org.apache.spark.sql.eventhubs.memory

import java.nio.file.{Files, Path}
import java.util.concurrent.atomic.{AtomicInteger, AtomicLong}

import scala.collection.mutable

import localhub.{HubConfig, LocalHub, LocalHubConfig}
import org.apache.spark.sql.eventhubs.TestSpark
import org.apache.spark.sql.eventhubs.source.StoredEvent
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.{ForeachWriter, Row}

/**
 * Sizes of the events of each partition: small ones, then large ones. The reader's tasks are slow for the first large
 * events.
 */
final case class LargeEvents(
    partitions: Int,
    smallCount: Int,
    largeCount: Int,
    largeBytes: Int,
    slowCount: Int,
    slowMillis: Int
) {
  def total: Long = partitions.toLong * (smallCount + largeCount)
  def words: Seq[String] =
    Seq(partitions, smallCount, largeCount, largeBytes, slowCount, slowMillis).map(_.toString)
}

object LargeEvents {
  def of(words: Seq[String]): LargeEvents = words.map(_.toInt) match {
    case Seq(partitions, small, large, bytes, slow, millis) =>
      LargeEvents(partitions, small, large, bytes, slow, millis)
    case other => throw new IllegalArgumentException(s"six numbers, not $other")
  }
}

/** A program: a hub on disk with such events. Prints its connection string and ends with its input. */
object LargeEventsHub {

  def main(args: Array[String]): Unit = {
    val events = LargeEvents.of(args.toSeq.drop(1))
    val hub =
      LocalHub.start(LocalHubConfig(Seq(HubConfig("large", events.partitions)), dataDir = Some(Path.of(args(0)))))
    try {
      hub.namespace.find("large").foreach(_.partitions.zipWithIndex.foreach { case (log, partition) =>
        StoredEvent.append(log, partition, events.smallCount, bodyBytes = 100)
        (0 until events.largeCount).foreach(_ => StoredEvent.append(log, partition, 1, events.largeBytes))
      })
      println(hub.connectionString("large"))
      while (System.in.read() >= 0) ()
    } finally hub.close()
  }
}

/** A program: a stream that reads all events and checks their order. Prints how many it has read. */
object LargeEventsReader {

  private val read = new AtomicLong
  private val slowLeft = new AtomicInteger
  private val next = mutable.Map.empty[String, Long].withDefaultValue(0L)

  private final class Sink(events: LargeEvents) extends ForeachWriter[Row] {
    override def open(partitionId: Long, epochId: Long): Boolean = true
    override def process(row: Row): Unit = {
      val (partition, seqNo) = (row.getAs[String]("partition"), row.getAs[Long]("sequenceNumber"))
      next.synchronized {
        require(next(partition) == seqNo, s"event $seqNo of partition $partition came instead of ${next(partition)}")
        next(partition) = seqNo + 1
      }
      val isLarge = row.getAs[Array[Byte]]("body").length == events.largeBytes
      if (isLarge && slowLeft.getAndDecrement() > 0) Thread.sleep(events.slowMillis.toLong)
      read.incrementAndGet()
      ()
    }
    override def close(errorOrNull: Throwable): Unit = ()
  }

  def main(args: Array[String]): Unit = {
    val events = LargeEvents.of(args.toSeq.drop(1))
    slowLeft.set(events.slowCount)
    val spark = TestSpark.ofProgram()
    val query = spark.readStream
      .format("eventhubs")
      .option("eventhubs.connectionString", args(0))
      .option("eventhubs.startingPosition", "earliest")
      .load()
      .writeStream
      .foreach(new Sink(events))
      .option("checkpointLocation", Files.createTempDirectory("large-events").toString)
      .trigger(Trigger.AvailableNow())
      .start()
    query.awaitTermination()
    println(s"read ${read.get}")
    spark.stop()
  }
}
