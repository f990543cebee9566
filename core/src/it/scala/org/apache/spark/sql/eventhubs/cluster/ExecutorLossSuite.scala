package org.apache.spark.sql.eventhubs.cluster

import java.nio.file.{Files, Path, Paths}

import scala.collection.mutable

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.{SparkEnv, TaskContext}
import testkit.TestSuite

/** Executors that die, leave and come while a query runs on them. */
class ExecutorLossSuite extends TestSuite with ClusterFixture {

  /** The locality wait of tasks, from the next batch on. */
  private def waitForExecutors(seconds: Int): Unit = {
    spark.sparkContext.conf.set("spark.locality.wait", s"${seconds}s")
    ()
  }

  private val partitions = 8

  Seq("false", "true").foreach { useV1 =>
    test(s"an executor that dies in the middle of a task loses and repeats no event; useV1Source=$useV1") {
      awaitExecutors(2)
      // Also for an executor that died.
      waitForExecutors(seconds = 5)
      val hub = newHub(2)
      val deaths = newFolder()
      val output = newFolder()
      (0 until 2).foreach(fill(hub, _, 0, 600))
      Files.createFile(deaths.resolve("p0-250"))
      val deathsHere = deaths.toString
      val mortal = udf((body: String) => { ExecutorLossSuite.dieOnce(deathsHere, body); body })
      val query = stream(hub, fromStart, "eventhubs.useV1Source" -> useV1, "eventhubs.maxEventsPerTrigger" -> "700")
        .select(mortal(col("body").cast("string")).as("body"))
        .writeStream
        .format("parquet")
        .option("path", output.toString)
        .option("checkpointLocation", newFolder().toString)
        .start()
      try {
        query.processAllAvailable()
        (0 until 2).foreach(fill(hub, _, 600, 700))
        query.processAllAvailable()
      } finally query.stop()
      assert(deaths.toFile.list().isEmpty, "no executor died")
      assert(committed(output) == (0 until 2).flatMap(names(_, 0, 700)).sorted)
      awaitExecutors(2)
    }

    test(s"an executor that leaves or joins moves only its own partitions; useV1Source=$useV1") {
      awaitExecutors(2)
      // As long as a new process may need on a slow machine: without the wait the batch would be read elsewhere.
      waitForExecutors(seconds = 120)
      val hub = newHub(partitions)
      val executorOf = udf((_: String) => SparkEnv.get.executorId)
      val places = mutable.Buffer.empty[Map[Int, String]]
      val output = newFolder()
      var sent = 0
      val query =
        stream(hub, fromStart, "eventhubs.useV1Source" -> useV1, "eventhubs.prefetchCount" -> "50").writeStream
          .foreachBatch { (frame: DataFrame, id: Long) =>
            val rows = frame.select(col("partition"), executorOf(col("partition")).as("at"), col("body").cast("string"))
            rows.write.parquet(output.resolve(s"batch-$id").toString)
            val seen = spark.read.parquet(output.resolve(s"batch-$id").toString).select("partition", "at").collect()
            if (seen.nonEmpty) places += seen.map(row => row.getString(0).toInt -> row.getString(1)).toMap
            ()
          }
          .option("checkpointLocation", newFolder().toString)
          .start()
      def round(): Map[Int, String] = {
        (0 until partitions).foreach(fill(hub, _, sent, sent + 1))
        sent += 1
        query.processAllAvailable()
        val last = places.reverseIterator.foldLeft(Map.empty[Int, String])((known, batch) => batch ++ known)
        assert(last.size == partitions)
        last
      }
      def linksOpened: Long = query.recentProgress.last.sources.head.metrics.get("linksOpened").toLong
      try {
        val before = round()
        assert(before.values.groupBy(identity).values.map(_.size).toSeq == Seq(4, 4))
        assert(round() == before && linksOpened == partitions)

        val leaving = executors.max
        // It is not replaced, because the application requests one executor less.
        assert(spark.sparkContext.killExecutors(Seq(leaving)))
        awaitExecutors(1)
        val alone = round()
        assert(alone.values.toSet == executors)
        assert(linksOpened == partitions + 4, "links of partitions that did not move were opened again")
        assert(round() == alone && linksOpened == partitions + 4)

        assert(spark.sparkContext.requestTotalExecutors(2, 0, Map.empty))
        awaitExecutors(2)
        val joined = round()
        assert(joined.values.groupBy(identity).values.map(_.size).toSeq == Seq(4, 4))
        assert(joined.count { case (partition, at) => alone(partition) != at } == 4)
        assert(linksOpened == partitions + 8)
        assert(round() == joined && linksOpened == partitions + 8)
      } finally query.stop()
      val bodies = spark.read.parquet(output.resolve("*").toString).select("body").collect().map(_.getString(0)).toSeq
      assert(bodies.sorted == (0 until partitions).flatMap(names(_, 0, sent)).sorted)
    }
  }

  /** The rows that the file sink's log has committed. */
  private def committed(output: Path): Seq[String] =
    spark.read.parquet(output.toString).collect().map(_.getString(0)).toSeq.sorted
}

object ExecutorLossSuite {

  /** Ends this process at once if this file exists, and removes the file, so that it happens once. */
  def dieOnce(deaths: String, body: String): Unit =
    if (TaskContext.get() != null && Files.deleteIfExists(Paths.get(deaths, body))) Runtime.getRuntime.halt(137)
}
