package benchmarks

import java.nio.file.Files

import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.{DataFrame, SparkSession}

/**
 * Read rate of the connector beside the SDK's asynchronous receive alone, in one JVM and one run: passes of all systems
 * take turns, the first ones only warm up, the median of the rest is reported.
 *
 * Arguments: body bytes, events per partition, partitions, passes. Defaults: 100, 250000, 4, 7.
 */
object ReadThroughput {

  private val Hub = "bench"
  private val WarmUpPasses = 2

  def main(args: Array[String]): Unit = {
    def argument(index: Int, default: Int): Int = args.lift(index).fold(default)(_.toInt)
    val (bodyBytes, perPartition, partitions, passes) =
      (argument(0, 100), argument(1, 250000), argument(2, 4), argument(3, 7))
    val hub = new HubProcess(Seq(Hub -> partitions))
    val spark = SparkSession
      .builder()
      .master("local[2]")
      .config("spark.ui.enabled", "false")
      .config("spark.sql.shuffle.partitions", "2")
      .getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    try {
      val connection = hub.connectionString(Hub)
      Sdk.fill(connection, partitions, perPartition, bodyBytes)
      val total = partitions.toLong * perPartition
      val systems = Seq[(String, () => Long)](
        "sdk receive" -> (() => Sdk.receive(connection, partitions, perPartition)),
        "batch read" -> (() => batch(spark, connection, total)),
        "stream v2, 1 batch" -> (() => stream(spark, connection, total, total, v1 = false)),
        "stream v1, 1 batch" -> (() => stream(spark, connection, total, total, v1 = true)),
        "stream v2, 10 batches" -> (() => stream(spark, connection, total, total / 10, v1 = false))
      )
      val measured = (1 to passes).map(_ => systems.map { case (name, pass) => name -> Measured(hub)(pass()) })
      report(bodyBytes, partitions, measured.drop(WarmUpPasses).flatten, systems.map(_._1))
    } finally {
      spark.stop()
      hub.close()
    }
  }

  private def batch(spark: SparkSession, connection: String, total: Long): Long = {
    noop(spark.read.format("eventhubs").option("eventhubs.connectionString", connection).load())
    total
  }

  private def noop(frame: DataFrame): Unit = frame.write.format("noop").mode("overwrite").save()

  private def stream(spark: SparkSession, connection: String, total: Long, perTrigger: Long, v1: Boolean): Long = {
    val query = spark.readStream
      .format("eventhubs")
      .option("eventhubs.connectionString", connection)
      .option("eventhubs.startingPosition", "earliest")
      .option("eventhubs.maxEventsPerTrigger", perTrigger)
      .option("eventhubs.useV1Source", v1)
      .load()
      .writeStream
      .format("noop")
      .option("checkpointLocation", Files.createTempDirectory("checkpoint").toString)
      .trigger(Trigger.AvailableNow())
      .start()
    query.awaitTermination()
    val read = query.recentProgress.map(_.numInputRows).sum
    require(read == total, s"the query read $read of $total events")
    read
  }

  private def report(bodyBytes: Int, partitions: Int, passes: Seq[(String, Measured)], order: Seq[String]): Unit = {
    def median(values: Seq[Double]): Double = values.sorted.apply(values.length / 2)
    println(s"body $bodyBytes B, $partitions partitions, local[2], medians of ${passes.length / order.length} passes")
    println(f"${"system"}%-24s ${"events/s"}%10s ${"MB/s"}%8s ${"of SDK"}%7s ${"us/event"}%9s ${"hub us"}%7s")
    val sdk = median(passes.collect { case (name, pass) if name == order.head => pass.eventsPerSecond })
    order.foreach { system =>
      val own = passes.collect { case (`system`, pass) => pass }
      val rate = median(own.map(_.eventsPerSecond))
      val cpu = median(own.map(_.cpuMicrosPerEvent))
      val hubCpu = median(own.map(_.hubCpuMicrosPerEvent))
      println(f"$system%-24s $rate%10.0f ${rate * bodyBytes / 1e6}%8.1f ${rate / sdk}%7.2f $cpu%9.2f $hubCpu%7.2f")
    }
  }
}
