package org.apache.spark.sql.eventhubs.memory

import java.lang.management.ManagementFactory
import java.util.concurrent.ConcurrentHashMap

import com.sun.management.ThreadMXBean

import org.apache.spark.sql.eventhubs.source.{StoredEvent, StreamFixture}
import org.apache.spark.sql.functions.{col, collect_list, explode, struct}
import org.apache.spark.sql.streaming.{OutputMode, Trigger}
import org.apache.spark.sql.{DataFrame, ForeachWriter, Row}
import testkit.TestSuite

/** Bytes that the thread of a task has allocated for each row. */
object AllocatedBytes {

  private val threads = ManagementFactory.getThreadMXBean.asInstanceOf[ThreadMXBean]

  val perRow = new ConcurrentHashMap[String, Long]

  def now(): Long = threads.getThreadAllocatedBytes(Thread.currentThread.getId)
}

/** Measures from the row `from` to the row `until`, so that Spark's waiting before and after them does not count. */
class AllocationWriter(query: String, from: Int, until: Int) extends ForeachWriter[Row] {
  private var rows = 0L
  private var begin = 0L

  override def open(partitionId: Long, epochId: Long): Boolean = true

  override def process(row: Row): Unit = {
    rows += 1
    if (rows == from) begin = AllocatedBytes.now()
    if (rows == until) {
      AllocatedBytes.perRow.put(query, (AllocatedBytes.now() - begin) / (until - from))
      ()
    }
  }

  override def close(errorOrNull: Throwable): Unit = ()
}

/** A column that a query does not use costs nothing. Allocated bytes do not depend on the machine's load. */
class DecodedColumnsSuite extends TestSuite with StreamFixture {

  private val Events = 3000
  private val WarmUp = 1000

  private def hubOf(properties: Map[String, AnyRef], key: Option[String]): String = {
    val name = newHub(1)
    val body = Array.fill[Byte](100)(1)
    (0 until Events).foreach(_ => StoredEvent.append(hub(name).partitions(0), body, properties, key))
    name
  }

  private lazy val bare = hubOf(Map.empty, None)
  private lazy val full = hubOf((0 until 10).map(i => s"property-$i" -> s"value $i").toMap, Some("a-partition-key"))

  private def bytesPerRow(frame: DataFrame, trigger: Trigger = Trigger.AvailableNow()): Long = {
    val name = s"query-${AllocatedBytes.perRow.size}"
    val query = frame.writeStream
      .foreach(new AllocationWriter(name, WarmUp, Events))
      .outputMode(OutputMode.Update())
      .option("checkpointLocation", newFolder().toUri.toString)
      .trigger(trigger)
      .start()
    try eventually("the rows did not come")(AllocatedBytes.perRow.containsKey(name))
    finally query.stop()
    AllocatedBytes.perRow.get(name)
  }

  /** Ten properties and a key were 2,000 bytes when all columns were decoded. */
  private def assertSameCost(ofBare: Long, ofFull: Long): Unit =
    assert(math.abs(ofFull - ofBare) < 300, s"$ofFull bytes with properties and a key, $ofBare without")

  private def withSetting(key: String, value: String)(test: => Unit): Unit = {
    spark.conf.set(key, value)
    try test
    finally spark.conf.unset(key)
  }

  private val wholeStage = "spark.sql.codegen.wholeStage"

  for (useV1 <- Seq(false, true))
    test(s"events with properties and a key cost a stream of bodies what bare ones do, with useV1Source=$useV1") {
      def cost(hub: String, columns: String*): Long =
        bytesPerRow(stream(hub, earliest, "eventhubs.useV1Source" -> useV1.toString).selectExpr(columns: _*))
      assertSameCost(cost(bare, "body"), cost(full, "body"))
      // Otherwise the measurement would show nothing.
      assert(cost(full, "body", "properties") > cost(full, "body") + 1000)
    }

  test("they do so without generated code for whole stages, and in Real-Time Mode") {
    withSetting(wholeStage, "false") {
      def cost(hub: String): Long = bytesPerRow(stream(hub, earliest).select("body"))
      assertSameCost(cost(bare), cost(full))
    }
    withSetting("spark.sql.streaming.realTimeMode.minBatchDuration", "1s") {
      def cost(hub: String): Long = bytesPerRow(stream(hub, earliest).select("body"), Trigger.RealTime("2 seconds"))
      assertSameCost(cost(bare), cost(full))
    }
  }

  test("rows that an operator keeps are the events' own: sorted, cached, in arrays, collected") {
    val hub = newHub(2)
    send(hub, 300, 200)
    val expected = firstEvents(300, 200)
    for (generated <- Seq(true, false)) withSetting(wholeStage, generated.toString) {
      val frame = batch(hub)
      assertSame(seen(frame.orderBy(col("sequenceNumber").desc)), expected)
      assertSame(
        seen(frame.groupBy("partition").agg(collect_list(struct("*")) as "all")
          .select(explode(col("all"))).select("col.*")),
        expected
      )
      val cached = frame.persist()
      try (1 to 2).foreach(_ => assertSame(seen(cached), expected))
      finally cached.unpersist()
      val held = frame.rdd.mapPartitions(_.toVector.iterator).collect() ++ frame.collect()
      assertSame(seen(spark.createDataFrame(java.util.Arrays.asList(held: _*), frame.schema)), expected ++ expected)
    }
  }
}
