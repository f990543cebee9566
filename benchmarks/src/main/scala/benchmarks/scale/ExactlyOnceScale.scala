package benchmarks.scale

import java.nio.file.{Files, Path}

import benchmarks.Arguments
import benchmarks.harness.{OtherLoad, Statistics}
import benchmarks.server.{DelayProxy, HubProcess, HubTrust}
import benchmarks.worker.{NumberSource, SparkWork}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.streaming.Trigger

/**
 * The time of an exactly-once micro-batch to a hub of many partitions, without faults and with one lost answer: the hub
 * stores a delivery and closes its connection. The hub is far away: TLS, behind a delay, with the service's limit of
 * management calls. Writes `exactly-once.json`: one object per number of partitions.
 *
 * Arguments: the output folder, round trip in milliseconds, rows of a micro-batch, numbers of partitions. Defaults:
 * benchmarks/results, 10, 1000, 32 1024.
 */
object ExactlyOnceScale {

  private[scale] val Batches = 8

  def main(args: Array[String]): Unit = {
    val words = Arguments(args)
    val folder = Files.createDirectories(Path.of(words.text(0).getOrElse("benchmarks/results")))
    val (roundTrip, rows) = (words.int(1, 10), words.int(2, 1000))
    val counts = Some(args.drop(3).toSeq.map(_.toInt)).filter(_.nonEmpty).getOrElse(Seq(32, 1024))
    val hub = new HubProcess(tls = true, heapGigabytes = 1, managementLimit = Some(50))
    val otherLoad = new OtherLoad(Seq(hub.process, ProcessHandle.current))
    try {
      HubTrust(hub)
      val proxy = new DelayProxy(hub.tlsPort, roundTrip / 2.0)
      val spark = SparkWork.session()
      try {
        val cases = counts.map { partitions =>
          val found = new ExactlyOnceScale(hub, hub.tlsAddress(proxy.port), spark, partitions, rows).measure()
          println(found)
          found
        }
        val run = ujson.Obj(
          "otherCores" -> math.round(otherLoad.cores * 100) / 100.0,
          "roundTripMillis" -> roundTrip,
          "rows" -> rows,
          "cases" -> cases
        )
        Files.writeString(folder.resolve("exactly-once.json"), ujson.write(run, indent = 2) + "\n")
        ()
      } finally spark.stop()
    } finally hub.close()
  }
}

private final class ExactlyOnceScale(
    hub: HubProcess,
    address: String,
    spark: SparkSession,
    partitions: Int,
    rows: Int
) {

  import ExactlyOnceScale.Batches

  private val name = s"exactly-once-$partitions"

  def measure(): ujson.Obj = {
    hub.create(name, partitions)
    try {
      val without = triggers()
      // The third delivery of a batch after the first few.
      hub.fault(s"""{"action": "drop", "on": "stored", "hub": "$name", "skip": ${skipped()}, "count": 1}""")
      val withOne = triggers()
      ujson.Obj(
        "partitions" -> partitions,
        "firstBatchSeconds" -> seconds(without.head),
        "batchSeconds" -> seconds(Statistics.median(without.drop(1))),
        "longestBatchSeconds" -> seconds(without.drop(1).max),
        "lostAnswerBatchSeconds" -> seconds(withOne.drop(1).max),
        "eventsStored" -> hub.stored(name).sum.toDouble,
        "eventsWritten" -> 2.0 * Batches * rows
      )
    } finally hub.delete(name)
  }

  /** Deliveries of a query before its fifth micro-batch, which are not less than those of four. */
  private def skipped(): Int = math.min(partitions, rows) * (Batches / 2)

  /** The duration of each micro-batch of a new query, in milliseconds. */
  private def triggers(): Seq[Double] = {
    val folder = Files.createTempDirectory("exactly-once")
    try {
      val query = spark.readStream
        .format(classOf[NumberSource].getName)
        .option("events", rows.toLong * Batches)
        .option("eventsPerBatch", rows.toLong)
        .load()
        .selectExpr("cast(id AS string) AS body", "cast(id AS string) AS partitionKey")
        .writeStream
        .format("eventhubs")
        .option("eventhubs.connectionString", s"$address;EntityPath=$name")
        .option("eventhubs.deliveryGuarantee", "exactly-once")
        .option("checkpointLocation", folder.resolve("checkpoint").toString)
        .trigger(Trigger.AvailableNow())
        .start()
      query.awaitTermination()
      query.recentProgress.toSeq.filter(_.numInputRows > 0).map(_.durationMs.get("triggerExecution").toDouble)
    } finally SparkWork.delete(folder)
  }

  private def seconds(millis: Double): Double = math.round(millis / 10) / 100.0
}
