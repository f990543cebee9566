package org.apache.spark.sql.eventhubs.source

import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions.spark_partition_id
import org.apache.spark.sql.streaming.Trigger
import testkit.{Patience, TestSuite}

class V1HotPartitionSuite extends HotPartitionBehaviour(ApiVersion.V1)
class V2HotPartitionSuite extends HotPartitionBehaviour(ApiVersion.V2)

/** 32 partitions, one of which has 90 % of the backlog. */
abstract class HotPartitionBehaviour(override protected val api: ApiVersion) extends TestSuite with StreamFixture {

  private val hot = 7
  private val backlog = Seq.tabulate(32)(partition => if (partition == hot) 14400 else if (partition < 17) 52 else 51)

  /** Events and tasks of each partition in one batch. */
  private type Batch = Map[Int, (Long, Int)]

  /** Passes each batch to the test until all events are read. */
  private def drain(events: DataFrame, look: (DataFrame, Long) => Unit): Unit = {
    val query = events.writeStream
      .foreachBatch(look)
      .option("checkpointLocation", newFolder().toUri.toString)
      .trigger(Trigger.AvailableNow())
      .start()
    try assert(query.awaitTermination(Patience.queryMillis), "it has not ended in time")
    finally query.stop()
  }

  private def batches(name: String, more: (String, String)*): Seq[Batch] = {
    val seen = new ConcurrentLinkedQueue[Batch]
    val look = (rows: DataFrame, _: Long) => {
      val counted = rows.groupBy(rows("partition").cast("int"), spark_partition_id()).count().collect()
      seen.add(counted.groupBy(_.getInt(0)).view.mapValues(of => (of.map(_.getLong(2)).sum, of.length)).toMap)
      ()
    }
    drain(stream(name, more :+ earliest: _*), look)
    seen.asScala.toSeq.filter(_.nonEmpty)
  }

  private def total(batches: Seq[Batch], partition: Int): Long =
    batches.flatMap(_.get(partition)).map(_._1).sum

  test("every batch reads from every partition that has not caught up, from the hot one in proportion") {
    val name = newHub(32)
    send(name, backlog: _*)
    assert(backlog(hot) >= 0.9 * backlog.sum)
    val read = batches(name, "maxEventsPerTrigger" -> "4000")
    assert(backlog.indices.forall(partition => total(read, partition) == backlog(partition)))
    read.inits.filter(_.nonEmpty).foreach { soFar =>
      val behind = backlog.indices.filter(partition => total(soFar.init, partition) < backlog(partition))
      assert(behind.forall(soFar.last.contains), s"a partition that is behind did not move in batch ${soFar.size}")
    }
    // In proportion: the hot partition does not delay the others, nor they the hot one.
    assert(read.head(hot)._1 == 3600)
    assert(read.size <= 5)
    assert(read.forall(_.values.forall(_._2 == 1)), "without the option a partition is one task")
  }

  test("with maxPartitions partitions share tasks, and each event is read once, by one task") {
    val name = newHub(32)
    send(name, Seq.fill(32)(20): _*)
    val tasks = new ConcurrentLinkedQueue[Int]
    val rows = new ConcurrentLinkedQueue[Seen]
    val look = (batch: DataFrame, _: Long) => {
      tasks.add(batch.rdd.getNumPartitions)
      rows.addAll(seen(batch).asJava)
      ()
    }
    drain(stream(name, earliest, "eventhubs.maxPartitions" -> "3", "maxEventsPerTrigger" -> "320"), look)
    assert(tasks.asScala.toSeq == Seq(3, 3))
    assertSame(rows.asScala.toSeq, firstEvents(Seq.fill(32)(20): _*))
    val read = batches(name, "eventhubs.maxPartitions" -> "3")
    assert(read.forall(_.values.forall(_._2 == 1)), "a partition is read by one task")
  }

  test("with maxEventsPerTask the hot partition is read by several tasks, at most five, and the others by one") {
    val name = newHub(32)
    send(name, backlog: _*)
    val read = batches(name, "maxEventsPerTrigger" -> "4000", "eventhubs.maxEventsPerTask" -> "1000")
    assert(backlog.indices.forall(partition => total(read, partition) == backlog(partition)))
    assert(read.head(hot)._2 == 4, "3,600 events in tasks of at most 1,000")
    assert(read.forall(batch => (batch - hot).values.forall(_._2 == 1)))
    val whole = batches(name, "eventhubs.maxEventsPerTask" -> "1000")
    assert(whole.size == 1 && whole.head(hot) == (backlog(hot).toLong, 5), "no more than the service's five receivers")
  }
}
