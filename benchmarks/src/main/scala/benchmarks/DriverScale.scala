package benchmarks

import java.nio.file.{Files, Path}
import java.time.LocalDate

import scala.jdk.CollectionConverters._

import benchmarks.harness.{OtherLoad, Statistics}
import benchmarks.scale.PeakCallRate
import benchmarks.server.{HubProcess, HubTrust}
import benchmarks.worker.{IdleTriggerListener, SparkWork}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.streaming.{StreamingQuery, StreamingQueryProgress, Trigger}

/**
 * The cost of a trigger for growing numbers of partitions. The hub is read over TLS, where the connector observes the
 * service's limits.
 *
 * A stream reads some micro-batches of one event per partition and then waits without events, with triggers as close as
 * Spark makes them. Then partitions get one event each, one by one. Another stream reads the first events in few tasks.
 * Writes `scale.json`: one object per number of partitions.
 *
 * Arguments: the output folder, minimum seconds of waiting, numbers of partitions. Defaults: benchmarks/results, 20,
 * 4 32 128 512 1024.
 */
object DriverScale {

  private val Batches = 6

  /** Events that the idle stream gets one by one. */
  private val Noticed = 20

  def main(args: Array[String]): Unit = {
    val folder = Files.createDirectories(Path.of(args.headOption.getOrElse("benchmarks/results")))
    val idleSeconds = args.lift(1).fold(20)(_.toInt)
    val partitions = Some(args.drop(2).toSeq.map(_.toInt)).filter(_.nonEmpty).getOrElse(Seq(4, 32, 128, 512, 1024))
    val hub = new HubProcess(tls = true)
    val otherLoad = new OtherLoad(Seq(hub.process, ProcessHandle.current))
    try {
      HubTrust(hub)
      val spark = SparkWork.session()
      try {
        val results = partitions.map { count =>
          val result = new DriverScale(hub, spark, count).measure(idleSeconds)
          println(result)
          result
        }
        val run = ujson.Obj(
          "date" -> LocalDate.now.toString,
          "cores" -> Runtime.getRuntime.availableProcessors,
          "otherCores" -> math.round(otherLoad.cores * 100) / 100.0,
          "cases" -> results
        )
        Files.writeString(folder.resolve("scale.json"), ujson.write(run, indent = 2) + "\n")
        ()
      } finally spark.stop()
    } finally hub.close()
  }
}

private final class DriverScale(hub: HubProcess, spark: SparkSession, partitions: Int) {

  private val name = s"scale-$partitions"

  def measure(idleSeconds: Int): ujson.Obj = {
    hub.create(name, partitions)
    (1 to DriverScale.Batches).foreach(_ => hub.oneEach(name, partitions))
    val checkpoint = Files.createTempDirectory("scale")
    val (before, others) = (calls, connections)
    val watch = new PeakCallRate(() => calls)
    val query = start(checkpoint)
    try {
      while (read(query) < partitions * DriverScale.Batches) pause(query)
      val busy = calls - before
      // Read now: idle triggers push these out of the list.
      val batches = query.recentProgress.toSeq.filter(_.numInputRows > 0)
      val opened = connections - others
      val triggers = new IdleTriggerListener
      spark.streams.addListener(triggers)
      val (idleFrom, idleCalls) = (System.nanoTime(), calls)
      // Long enough for several rounds of management calls, whose rate the connector limits.
      Thread.sleep(math.max(idleSeconds * 1000L, 110L * partitions))
      val (seconds, asked, idle) = ((System.nanoTime() - idleFrom) / 1e9, calls - idleCalls, triggers.count)
      val notice = (0 until DriverScale.Noticed).map(noticeMillis(query, _))
      query.stop()
      spark.streams.removeListener(triggers)
      val found = result(batches, checkpoint, busy, asked / seconds, watch.most, opened)
      found("noticeMillis") = math.round(Statistics.median(notice))
      found("longestNoticeMillis") = math.round(notice.max)
      found("idleTriggerMillis") = math.round(1e5 * seconds / idle) / 100.0
      found("addBatchInFourTasksMillis") = addBatchInFourTasksMillis()
      found
    } finally {
      query.stop()
      watch.close()
      hub.delete(name)
      SparkWork.delete(checkpoint)
    }
  }

  /** Until a micro-batch has ended that has the only new event, in a partition that nobody has used for long. */
  private def noticeMillis(query: StreamingQuery, number: Int): Double = {
    def last = query.recentProgress.filter(_.numInputRows > 0).last.batchId
    val (before, stored) = (last, System.nanoTime())
    hub.one(name, number * partitions / DriverScale.Noticed)
    while (last == before) pause(query)
    (System.nanoTime() - stored) / 1e6
  }

  private def addBatchInFourTasksMillis(): Double = {
    val checkpoint = Files.createTempDirectory("scale")
    val query = start(checkpoint, "eventhubs.maxPartitions" -> "4")
    try {
      while (read(query) < partitions * DriverScale.Batches) pause(query)
      val batches = query.recentProgress.toSeq.filter(_.numInputRows > 0)
      Statistics.median(batches.drop(1).map(_.durationMs.get("addBatch").doubleValue))
    } finally {
      query.stop()
      SparkWork.delete(checkpoint)
    }
  }

  private def start(checkpoint: Path, options: (String, String)*): StreamingQuery = spark.readStream
    .format("eventhubs")
    .option("eventhubs.connectionString", s"${hub.tlsAddress};EntityPath=$name")
    .option("eventhubs.startingPosition", "earliest")
    .option("eventhubs.maxEventsPerTrigger", partitions.toLong)
    .options(options.toMap)
    .load()
    .writeStream
    .format("noop")
    .option("checkpointLocation", checkpoint.resolve("checkpoint").toString)
    .trigger(Trigger.ProcessingTime(0))
    .start()

  private def result(
      batches: Seq[StreamingQueryProgress],
      checkpoint: Path,
      busyCalls: Double,
      idleCallsPerSecond: Double,
      callsInBusiestSecond: Double,
      connections: Double
  ): ujson.Obj = {
    val steps = batches.map(_.durationMs.asScala.map { case (step, millis) => step -> millis.doubleValue })
    // The first batch opens the links.
    def millis(step: String): Double = Statistics.median(steps.drop(1).flatMap(_.get(step)).toSeq)
    val offsets = checkpoint.resolve("checkpoint/offsets").resolve(batches.last.batchId.toString)
    ujson.Obj(
      "partitions" -> partitions,
      "offsetFileBytes" -> Files.size(offsets).toDouble,
      "firstBatchMillis" -> steps.head("triggerExecution"),
      "triggerMillis" -> millis("triggerExecution"),
      "latestOffsetMillis" -> millis("latestOffset"),
      "planningMillis" -> millis("queryPlanning"),
      "addBatchMillis" -> millis("addBatch"),
      "checkpointMillis" -> (millis("walCommit") + millis("commitOffsets")),
      "callsPerBatch" -> math.round(busyCalls / batches.size * 10) / 10.0,
      "idleCallsPerSecond" -> math.round(idleCallsPerSecond * 10) / 10.0,
      "callsInBusiestSecond" -> callsInBusiestSecond,
      "connections" -> connections
    )
  }

  /** Includes connections of earlier hubs, which stay open for a while. */
  private def connections: Double = hub.metrics("localhub_amqp_open_connections")

  private def calls: Double = hub.metrics("localhub_amqp_management_calls_total")

  private def read(query: StreamingQuery): Long = query.recentProgress.map(_.numInputRows).sum

  private def pause(query: StreamingQuery): Unit = {
    query.exception.foreach(throw _)
    Thread.sleep(20)
  }
}
