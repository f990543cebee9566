package org.apache.spark.sql.eventhubs.exactlyonce

import java.net.URLEncoder
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Locale

import org.apache.hadoop.fs.Path

import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.options.{BatchWriteId, ReadSettings, WriteOptions, WriteSettings}
import org.apache.spark.eventhubs.send.SendTotals
import org.apache.spark.eventhubs.{EventHubName, EventHubsErrors}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.eventhubs.planning.{PartitionInfoReader, ReadinessCheck}
import org.apache.spark.sql.eventhubs.sink.WriteName
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.util.SystemClock

/** Where exactly once begins: what it needs is checked on the driver, before anything is sent. */
private[eventhubs] object ExactlyOnce {

  /**
   * The writer of a streaming query.
   *
   * @param options of the sink, as Spark hands them over; among them its own
   * @return what writes one batch
   */
  def ofStream(
      spark: SparkSession,
      options: Map[String, String],
      settings: WriteSettings
  ): (Long, QueryExecution) => SendTotals = {
    val log = new WriteLog(spark, new Path(checkpoint(spark, options, settings), "eventhubs-writes").toString)
    val writer = newWriter(spark, options, settings, log)
    (batchId, query) => {
      // Spark makes the id when the query is first started, and keeps it in the checkpoint.
      val queryId = Option(spark.sparkContext.getLocalProperty(WriteName.QueryIdProperty))
        .getOrElse(throw new IllegalStateException(s"Spark has not set $WriteName.QueryIdProperty"))
      writer.write(WriteName.ofQuery(queryId, batchId), query)
    }
  }

  /** Writes one frame, unless a write of the same id and version has done so. */
  def batch(spark: SparkSession, options: Map[String, String], settings: WriteSettings, query: QueryExecution): Unit = {
    val (id, location) = known(settings)
    val folder = new Path(location, s"${folderOf(settings.connection.hub)}/${encoded(id.id)}")
    val done = new WriteLog(spark, new Path(folder, "done").toString)
    val begun = new WriteLog(spark, new Path(folder, "begun").toString)
    if (done.get(id.version).isEmpty) {
      done.latest.filter(_ - WriteLog.retained(spark) > id.version).foreach { latest =>
        throw EventHubsErrors.invalidOption(
          WriteOptions.WriteVersion.key,
          id.version.toString,
          s"a number that follows $latest, which is done: the records of much older writes are gone"
        )
      }
      val name = WriteName.ofBatchWrite(id.id, id.version)
      newWriter(spark, options, settings, begun).write(name, query)
      begun.get(id.version).foreach(done.record(id.version, _))
    }
  }

  private def newWriter(
      spark: SparkSession,
      options: Map[String, String],
      settings: WriteSettings,
      log: WriteLog
  ): ExactlyOnceWriter = {
    val hub = settings.connection.hub
    if (spark.sparkContext.getConf.getBoolean("spark.speculation", defaultValue = false))
      throw EventHubsErrors.exactlyOnceWithSpeculation(hub)
    val readBack = ReadBack.settings(options)
    requireListen(readBack)
    new ExactlyOnceWriter(spark, settings, readBack, log)
  }

  /** After a failure is too late to find out that the credential may only send. */
  private def requireListen(readBack: ReadSettings): Unit = {
    val info = new PartitionInfoReader(readBack, ExecutorResources.get.clients, new SystemClock)
    try ReadinessCheck(info, readBack)
    finally info.close()
  }

  /** Where Spark will have the checkpoint, unless it is one that no restart would find again. */
  private def checkpoint(spark: SparkSession, options: Map[String, String], settings: WriteSettings): Path = {
    def option(name: String): Option[String] = options.collectFirst {
      case (key, value) if key.toLowerCase(Locale.ROOT) == name.toLowerCase(Locale.ROOT) => value
    }
    option("checkpointLocation").map(new Path(_)).getOrElse {
      val root = spark.conf.getOption("spark.sql.streaming.checkpointLocation")
      val place = for (folder <- root; name <- option("queryName")) yield new Path(folder, name)
      place.getOrElse(throw EventHubsErrors.exactlyOnceNeedsLog(
        settings.connection.hub,
        if (root.isEmpty) "the query has no checkpoint location" else "the query has no name",
        if (root.isEmpty) "Set the option 'checkpointLocation'."
        else "Set the option 'checkpointLocation', or a query name: without one, each start uses another folder of " +
          "'spark.sql.streaming.checkpointLocation'."
      ))
    }
  }

  private def known(settings: WriteSettings): (BatchWriteId, String) = {
    val known = for (id <- settings.batchWrite; location <- id.logLocation) yield (id, location)
    known.getOrElse(throw EventHubsErrors.exactlyOnceNeedsLog(
      settings.connection.hub,
      "a batch write has nothing by which it is known when it is tried again",
      s"Set '${WriteOptions.WriteId.key}' and '${WriteOptions.WriteVersion.key}' (in foreachBatch: a name of your choice and the " +
        s"batch id), and '${WriteOptions.WriteLogLocation.key}' to a folder."
    ))
  }

  private def folderOf(hub: EventHubName): String =
    s"${encoded(hub.namespace)}/${encoded(hub.name.toLowerCase(Locale.ROOT))}"

  private def encoded(text: String): String = URLEncoder.encode(text, UTF_8).replace("%", "=").replace(".", "=2E")
}
