package benchmarks

import java.nio.file.Files

import benchmarks.harness.{Content, ResourceUsage, Statistics, Workload}
import benchmarks.server.{HubProcess, SampleEvents}
import benchmarks.worker.{Meter, Outcome, SparkWork}

import org.apache.spark.sql.streaming.Trigger

/**
 * What a stream pays for the columns that it uses: the body alone, body and enqueued time, all nine. Its events have a
 * key and three properties. The passes take turns; the first ones only warm up.
 *
 * Arguments: body bytes, events per partition, passes, `v1` or `v2`; `-` is the default: 1024, 100000, 7, v2.
 */
object StreamColumns {

  private val Partitions = 4
  private val WarmUp = 3
  private val columns = Seq("body" -> Seq("body"), "body, time" -> Seq("body", "enqueuedTime"), "all" -> Seq("*"))

  def main(args: Array[String]): Unit = {
    val words = Arguments(args)
    val perPartition = words.int(1, 100000)
    val events = perPartition.toLong * Partitions
    val workload = Workload(words.int(0, 1024), Partitions, events, events / 5, Content.PropertiesAndKeys)
    val useV1 = words.text(3).contains("v1")
    val (hub, meter, spark) = (new HubProcess(heapGigabytes = 2), new Meter, SparkWork.session())
    try {
      hub.create("columns", Partitions)
      SampleEvents.sendToHub(hub, workload, "columns")
      def pass(names: Seq[String]): Outcome = {
        val folder = Files.createTempDirectory("bench")
        val query = spark.readStream
          .format("eventhubs")
          .option("eventhubs.connectionString", hub.connectionString("columns"))
          .option("eventhubs.startingPosition", "earliest")
          .option("eventhubs.maxEventsPerTrigger", workload.eventsPerBatch)
          .option("eventhubs.useV1Source", useV1)
          .load()
          .selectExpr(names: _*)
          .writeStream
          .format("noop")
          .option("checkpointLocation", folder.toString)
          .trigger(Trigger.AvailableNow())
          .start()
        query.awaitTermination()
        SparkWork.delete(folder)
        Outcome(query.recentProgress.map(_.numInputRows).sum)
      }
      val passes = (1 to WarmUp + words.int(2, 7)).flatMap(_ =>
        columns.map { case (label, names) => label -> meter.measure(pass(names)) }
      ).drop(WarmUp * columns.size)
      columns.foreach { case (label, _) => print(label, passes.collect { case (`label`, usage) => usage }) }
    } finally {
      spark.stop()
      meter.close()
      hub.close()
    }
  }

  private def print(label: String, passes: Seq[ResourceUsage]): Unit = {
    def median(value: ResourceUsage => Double): Double = Statistics.median(passes.map(value))
    println(
      f"$label%-10s ${median(_.eventsPerSecond)}%9.0f events/s, " +
        f"${median(usage => usage.cpuSeconds * 1e6 / usage.events)}%.2f us CPU (of tasks " +
        f"${median(usage => usage.cpuOfThreads.getOrElse("tasks", 0.0) * 1e6 / usage.events)}%.2f), " +
        f"${median(usage => usage.allocatedBytes.toDouble / usage.events)}%.0f bytes an event"
    )
  }
}
