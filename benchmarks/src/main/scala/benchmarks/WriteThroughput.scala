package benchmarks

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{Column, SparkSession}

/**
 * Write rate of the connector beside the SDK's asynchronous producer alone, in one JVM and one run: passes of all
 * systems take turns, the first ones only warm up, the median of the rest is reported.
 *
 * Arguments: body bytes, events, partitions, passes, and a word that the systems' names contain. Defaults: 100, 400000,
 * 4, 7, all. The hub keeps everything that all passes send, on its heap.
 */
object WriteThroughput {

  private val Hub = "bench"
  private val WarmUpPasses = 2
  private val Keys = 1000

  def main(args: Array[String]): Unit = {
    def argument(index: Int, default: Int): Int = args.lift(index).fold(default)(_.toInt)
    val (bodyBytes, events, partitions, passes) =
      (argument(0, 100), argument(1, 400000), argument(2, 4), argument(3, 7))
    val hub = new HubProcess(Seq(Hub -> partitions))
    val spark = SparkSession
      .builder()
      .master("local[2]")
      .config("spark.ui.enabled", "false")
      .getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    try {
      val connection = hub.connectionString(Hub)
      val ids = (0 until partitions).map(_.toString)
      def write(destination: Column*): Long = save(spark, connection, bodyBytes, events, destination)
      val systems = Seq[(String, () => Long)](
        "sdk, any partition" -> (() => SdkSender.send(connection, Nil, events, bodyBytes)),
        "sdk, by partition" -> (() => SdkSender.send(connection, ids, events, bodyBytes)),
        "spark, any partition" -> (() => write()),
        "spark, by partition" -> (() => write((col("id") % partitions).cast("int").as("partitionId"))),
        "spark, 1000 keys" -> (() => write(concat(lit("device-"), col("id") % Keys).as("partitionKey")))
      ).filter(_._1.contains(args.lift(4).getOrElse("")))
      val measured = (1 to passes).map(_ => systems.map { case (name, pass) => name -> Measured(hub)(pass()) })
      report(bodyBytes, partitions, measured.drop(WarmUpPasses).flatten, systems.map(_._1))
    } finally {
      spark.stop()
      hub.close()
    }
  }

  private def save(
      spark: SparkSession,
      connection: String,
      bodyBytes: Int,
      events: Int,
      destination: Seq[Column]
  ): Long = {
    spark
      .range(0, events.toLong, 1, 2)
      .select(lit(Array.fill(bodyBytes)('x'.toByte)).as("body") +: destination: _*)
      .write
      .format("eventhubs")
      .option("eventhubs.connectionString", connection)
      .save()
    events.toLong
  }

  private def report(bodyBytes: Int, partitions: Int, passes: Seq[(String, Measured)], order: Seq[String]): Unit = {
    def median(values: Seq[Double]): Double = values.sorted.apply(values.length / 2)
    println(s"body $bodyBytes B, $partitions partitions, local[2], medians of ${passes.length / order.length} passes")
    println(f"${"system"}%-24s ${"events/s"}%10s ${"MB/s"}%8s ${"of SDK"}%7s ${"us/event"}%9s ${"hub us"}%7s")
    val best = order.takeWhile(_.startsWith("sdk")).map { system =>
      median(passes.collect { case (`system`, pass) => pass.eventsPerSecond })
    }.maxOption
    order.foreach { system =>
      val own = passes.collect { case (`system`, pass) => pass }
      val rate = median(own.map(_.eventsPerSecond))
      val cpu = median(own.map(_.cpuMicrosPerEvent))
      val hubCpu = median(own.map(_.hubCpuMicrosPerEvent))
      println(
        f"$system%-24s $rate%10.0f ${rate * bodyBytes / 1e6}%8.1f ${best.fold(Double.NaN)(rate / _)}%7.2f $cpu%9.2f $hubCpu%7.2f"
      )
    }
  }
}
