package benchmarks.latency

import java.nio.file.Files

import benchmarks.harness.Client
import benchmarks.server.KafkaListeners
import benchmarks.worker.SparkWork

import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{DataStreamReader, OutputMode, Trigger}
import org.apache.spark.sql.{Column, DataFrame}

/**
 * A query in Real-Time Mode from one hub or topic to another, in a JVM of its own. It puts two times before the body of
 * an event: that of its storage in the source, and that of its row. Ends when standard input ends.
 *
 * Arguments: the client's name, the address of the server, the names of source and target.
 */
object RealTimeCopy {

  /** Longer than the measurement, so that no event waits for the next batch. */
  private val Batch = Trigger.RealTime("10 minutes")

  private val now = udf(() => System.currentTimeMillis()).asNondeterministic()

  def main(args: Array[String]): Unit = {
    val (client, address, source, target) = (args(0), args(1), args(2), args(3))
    val answers = System.out
    System.setOut(System.err)
    val spark = SparkWork.session()
    // Spark has a list of sinks for Real-Time Mode, with its own Kafka sink and without ours.
    spark.conf.set("spark.sql.streaming.realTimeMode.allowlistCheck", "false")
    val folder = Files.createTempDirectory("latency")
    val isKafka = client == Client.Kafka.name
    val copied =
      if (isKafka) kafka(spark.readStream, address, source) else eventHubs(spark.readStream, address, source)
    val query = copied.writeStream
      .format(if (isKafka) "kafka" else "eventhubs")
      .options(if (isKafka) kafkaOptions(address) + ("topic" -> target) else hubOptions(address, target))
      .option("checkpointLocation", folder.toString)
      .outputMode(OutputMode.Update())
      .trigger(Batch)
      .start()
    answers.println("ready")
    try while (System.in.read() >= 0) ()
    finally {
      query.exception.foreach(failed => System.err.println(failed.getMessage))
      query.stop()
      SparkWork.delete(folder)
    }
    sys.exit(0)
  }

  private def eventHubs(reader: DataStreamReader, address: String, hub: String): DataFrame =
    reader.format("eventhubs").options(hubOptions(address, hub) + ("eventhubs.startingPosition" -> "earliest")).load()
      .select(stamped(col("enqueuedTime"), col("body")).as("body"))

  private def kafka(reader: DataStreamReader, address: String, topic: String): DataFrame =
    reader.format("kafka").options(kafkaOptions(address) ++ Map("subscribe" -> topic, "startingOffsets" -> "earliest"))
      .load().select(stamped(col("timestamp"), col("value")).as("value"))

  private def stamped(time: Column, body: Column): Column =
    concat(unix_millis(time).cast("string"), separator, now().cast("string"), separator, body.cast("string"))

  private def separator: Column = lit(Arrivals.Separator.toString)

  private def hubOptions(address: String, hub: String): Map[String, String] =
    Map("eventhubs.connectionString" -> s"$address;EntityPath=$hub") ++
      sys.env.get("BENCH_LINGER_MS").map("eventhubs.lingerMs" -> _)

  private def kafkaOptions(address: String): Map[String, String] = KafkaListeners.clientOptions(address)
}
