package benchmarks

import java.nio.file.Files

import benchmarks.harness.Statistics
import benchmarks.server.HubProcess
import benchmarks.worker.SparkWork

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.streaming.Trigger

/**
 * What publishing checkpoints costs a micro-batch: the median of the batches of a stream with a checkpoint store and of
 * one without, in turn. A batch has one event per partition, and each batch is due to be published: the interval is
 * 1 ms.
 *
 * Arguments: name of a container, rounds, numbers of partitions. Defaults: 5 rounds of 4 and 128 partitions. The
 * environment variable AZURE_STORAGE_CONNECTION_STRING names the storage account, such as that of Azurite.
 */
object PublishingCost {

  private val Batches = 20

  def main(args: Array[String]): Unit = {
    val container = args.headOption.getOrElse(throw new IllegalArgumentException("the first argument is a container"))
    val rounds = args.lift(1).fold(5)(_.toInt)
    val partitions = Some(args.drop(2).toSeq.map(_.toInt)).filter(_.nonEmpty).getOrElse(Seq(4, 128))
    val store = Seq(
      "eventhubs.checkpointStore.container" -> container,
      "eventhubs.checkpointStore.connectionString" -> sys.env("AZURE_STORAGE_CONNECTION_STRING"),
      "eventhubs.checkpointStore.interval" -> "1ms"
    )
    val hub = new HubProcess
    try {
      val spark = SparkWork.session()
      try
        partitions.foreach { count =>
          val name = s"publishing-$count"
          hub.create(name, count)
          (1 to Batches).foreach(_ => hub.oneEach(name, count))
          val connection = hub.connectionString(name)
          val measured = (0 to rounds).map { _ =>
            (batchMillis(spark, connection, count, Nil), batchMillis(spark, connection, count, store))
          }
          // The first round warms up.
          val (without, published) = measured.drop(1).unzip
          val rates = measured.drop(1).map { case (one, other) => f"$one%.1f/$other%.1f" }.mkString(" ")
          println(
            f"$count%4d partitions: without ${Statistics.median(without)}%.1f ms, published " +
              f"${Statistics.median(published)}%.1f ms ($rates)"
          )
        }
      finally spark.stop()
    } finally hub.close()
  }

  /** Median duration of a trigger, without the first one, which opens the links. */
  private def batchMillis(
      spark: SparkSession,
      connection: String,
      partitions: Int,
      options: Seq[(String, String)]
  ): Double = {
    val checkpoint = Files.createTempDirectory("publishing")
    val query = spark.readStream.format("eventhubs")
      .option("eventhubs.connectionString", connection)
      .option("eventhubs.startingPosition", "earliest")
      .option("eventhubs.maxEventsPerTrigger", partitions.toLong)
      .options(options.toMap)
      .load()
      .writeStream.format("noop")
      .option("checkpointLocation", checkpoint.resolve("checkpoint").toString)
      .trigger(Trigger.AvailableNow())
      .start()
    try {
      query.awaitTermination()
      val batches = query.recentProgress.toSeq.filter(_.numInputRows > 0)
      Statistics.median(batches.drop(1).map(_.durationMs.get("triggerExecution").doubleValue))
    } finally {
      query.stop()
      SparkWork.delete(checkpoint)
    }
  }
}
