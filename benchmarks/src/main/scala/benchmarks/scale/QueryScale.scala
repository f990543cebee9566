package benchmarks.scale

import java.nio.file.{Files, Path}

import benchmarks.harness.OtherLoad
import benchmarks.server.{HubProcess, HubTrust}
import benchmarks.worker.SparkWork

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.streaming.{StreamingQuery, Trigger}

/**
 * Several queries of one application on one namespace, which share the rate of management calls. Each reads a hub of
 * its own over TLS, with triggers as close as Spark makes them. The namespace refuses calls as the service does. Writes
 * `queries.json`: one object per number of queries.
 *
 * Arguments: the output folder, seconds of waiting, partitions of each hub, numbers of queries. Defaults:
 * benchmarks/results, 20, 32, 1 2 4 8.
 */
object QueryScale {

  def main(args: Array[String]): Unit = {
    val folder = Files.createDirectories(Path.of(args.headOption.getOrElse("benchmarks/results")))
    val (seconds, partitions) = (args.lift(1).fold(20)(_.toInt), args.lift(2).fold(32)(_.toInt))
    val counts = Some(args.drop(3).toSeq.map(_.toInt)).filter(_.nonEmpty).getOrElse(Seq(1, 2, 4, 8))
    val hub = new HubProcess(tls = true, heapGigabytes = 1, managementLimit = Some(50))
    val otherLoad = new OtherLoad(Seq(hub.process, ProcessHandle.current))
    try {
      HubTrust(hub)
      val spark = SparkWork.session()
      // Each query counts its rows in the list of recent progress, which triggers without events would fill.
      spark.conf.set("spark.sql.streaming.noDataProgressEventInterval", "10s")
      try {
        val cases = counts.map { count =>
          val found = new QueryScale(hub, spark, count, partitions).measure(seconds)
          println(found)
          found
        }
        val run = ujson.Obj("otherCores" -> math.round(otherLoad.cores * 100) / 100.0, "cases" -> cases)
        Files.writeString(folder.resolve("queries.json"), ujson.write(run, indent = 2) + "\n")
        ()
      } finally spark.stop()
    } finally hub.close()
  }
}

private final class QueryScale(hub: HubProcess, spark: SparkSession, count: Int, partitions: Int) {

  private val names = (1 to count).map(number => s"queries-$count-$number")

  def measure(seconds: Int): ujson.Obj = {
    names.foreach { name =>
      hub.create(name, partitions)
      hub.oneEach(name, partitions)
    }
    val folder = Files.createTempDirectory("queries")
    val begin = System.nanoTime()
    val queries = names.map(start(_, folder))
    try {
      await(queries, partitions.toLong)
      val started = secondsSince(begin)
      val (before, from) = (calls, System.nanoTime())
      val watch = new PeakCallRate(() => calls)
      Thread.sleep(seconds * 1000L)
      val (rate, most) = ((calls - before) / secondsSince(from), watch.most)
      watch.close()
      val written = System.nanoTime()
      names.foreach(hub.oneEach(_, partitions))
      val stored = secondsSince(written)
      await(queries, 2L * partitions)
      ujson.Obj(
        "queries" -> count,
        "partitionsEach" -> partitions,
        "secondsToStartAll" -> tenths(started),
        "idleCallsPerSecond" -> tenths(rate),
        "callsInBusiestSecond" -> most,
        "secondsToNotice" -> tenths(secondsSince(written) - stored)
      )
    } finally {
      queries.foreach(_.stop())
      names.foreach(hub.delete)
      SparkWork.delete(folder)
    }
  }

  private def start(name: String, folder: Path): StreamingQuery = spark.readStream
    .format("eventhubs")
    .option("eventhubs.connectionString", s"${hub.tlsAddress};EntityPath=$name")
    .option("eventhubs.startingPosition", "earliest")
    .option("eventhubs.maxPartitions", 2L)
    .load()
    .writeStream
    .format("noop")
    .option("checkpointLocation", folder.resolve(name).toString)
    .trigger(Trigger.ProcessingTime(0))
    .start()

  private def await(queries: Seq[StreamingQuery], events: Long): Unit = queries.foreach { query =>
    while (query.recentProgress.map(_.numInputRows).sum < events) {
      query.exception.foreach(throw _)
      Thread.sleep(5)
    }
  }

  private def calls: Double = hub.metrics("localhub_amqp_management_calls_total")

  private def secondsSince(nanos: Long): Double = (System.nanoTime() - nanos) / 1e9

  private def tenths(value: Double): Double = math.round(value * 10) / 10.0
}
