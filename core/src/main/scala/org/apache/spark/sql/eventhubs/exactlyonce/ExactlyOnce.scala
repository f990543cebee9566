package org.apache.spark.sql.eventhubs.exactlyonce

import java.net.URLEncoder
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Locale

import org.apache.hadoop.fs.Path

import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.options.{BatchWriteId, ReadOptions, ReadSettings, WriteOptions, WriteSettings}
import org.apache.spark.eventhubs.retry.MonotonicClock
import org.apache.spark.eventhubs.send.SendTotals
import org.apache.spark.eventhubs.{ErrorCondition, EventHubName, EventHubsErrors, EventHubsException}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.eventhubs.hubs.InParallel
import org.apache.spark.sql.eventhubs.planning.{PartitionInfoReader, ReadinessCheck}
import org.apache.spark.sql.eventhubs.sink.WriteIdentity
import org.apache.spark.sql.execution.QueryExecution

/** The entry to exactly-once writes. It checks the requirements on the driver, before anything is sent. */
private[eventhubs] object ExactlyOnce extends Logging {

  /**
   * The writer of a streaming query.
   *
   * @param options of the sink, as Spark passes them, with Spark's own options
   * @return a function that writes one batch
   */
  def ofStream(
      spark: SparkSession,
      options: Map[String, String],
      settings: WriteSettings
  ): (Long, QueryExecution) => SendTotals = {
    if (option(options, "asyncProgressTrackingEnabled").exists(_.equalsIgnoreCase("true")))
      throw ExactlyOnceErrors.asyncProgress(settings.connection.hub)
    val log = new WriteLog(spark, new Path(checkpoint(spark, options, settings), "eventhubs-writes").toString)
    val writer = newWriter(spark, options, settings, log)
    (batchId, query) => {
      // Spark creates the id when the query first starts, and stores it in the checkpoint.
      val queryId = queryOf(spark)
        .getOrElse(throw new IllegalStateException(s"Spark has not set ${WriteIdentity.QueryIdProperty}"))
      val totals = writer.write(WriteIdentity.ofQuery(queryId, batchId), Some(queryId), query)
      // A listing of the folder for each batch would cost too much.
      if (batchId % 10 == 0) log.remove(log.startRemoval(last = batchId))
      totals
    }
  }

  /**
   * Writes one frame, unless a write with the same id and version is done. In `foreachBatch`, where the version is the
   * batch id, a version that another query has done is an error: its rows are others.
   */
  def batch(spark: SparkSession, options: Map[String, String], settings: WriteSettings, rows: QueryExecution): Unit = {
    val (id, location) = requireWriteId(settings)
    val folder = new Path(location, s"${folderOf(settings.connection.hub)}/${encoded(id.id)}")
    val done = new WriteLog(spark, new Path(folder, "done").toString)
    val started = new WriteLog(spark, new Path(folder, "begun").toString)
    // A thread of a pool may still have the properties of the query that created it.
    val isOfBatch = spark.sparkContext.getLocalProperty(WriteIdentity.BatchIdProperty) == id.version.toString
    val query = queryOf(spark).filter(_ => isOfBatch)
    val writeId = WriteIdentity.ofBatchWrite(id.id, id.version)
    done.get(id.version) match {
      case Some(earlier) =>
        requireSameQuery(id, query, earlier)
        requireSameHubs(writeId, options, settings, earlier, done)
        logWarning(s"Version ${id.version} of the write '${id.id}' is done, so its rows are not sent")
      case None =>
        if (started.get(id.version).isEmpty) requireKept(id, done)
        val writer = newWriter(spark, options, settings, started)
        writer.write(writeId, query, rows)
        if (!done.record(id.version, writer.ownRecord(writeId).copy(query = query)))
          throw ExactlyOnceErrors.concurrent(settings.connection.hub, writeId.toString, done.path)
        // While a version counts as done its record stays, so that a second writer cannot begin the version.
        val old = done.startRemoval(last = id.version)
        started.remove(old)
        done.remove(old)
    }
  }

  private def requireSameQuery(id: BatchWriteId, query: Option[String], done: WriteRecord): Unit =
    for (ours <- query; theirs <- done.query if ours != theirs)
      throw EventHubsErrors.invalidOption(
        WriteOptions.WriteId.key,
        id.id,
        s"a write id that no other query has used: the query $theirs has done version ${id.version}. A query with a " +
          "new checkpoint needs a new write id"
      )

  /** An error when a hub was recreated since: the rows are not in it. */
  private def requireSameHubs(
      writeId: WriteIdentity,
      options: Map[String, String],
      settings: WriteSettings,
      earlier: WriteRecord,
      done: WriteLog
  ): Unit = {
    val readBack = ReadBack.settings(options, settings.connection.hub)
    InParallel.map(earlier.hubs) { at =>
      val now = ReadBack.sharedGeneration(ReadBack.of(readBack, at.hub), () => ())
      if (now != at.generation)
        throw ExactlyOnceErrors.outcomeUnknown(
          at.hub,
          writeId.toString,
          s"'${done.path}'",
          s"it is done, and the hub was recreated at ${now.time}; its rows went to the hub of ${at.generation.time}"
        )
    }
    ()
  }

  private def requireKept(id: BatchWriteId, done: WriteLog): Unit = done.removedSince(id.version).foreach { last =>
    throw EventHubsErrors.invalidOption(
      WriteOptions.WriteVersion.key,
      id.version.toString,
      s"a number after $last: the records of versions up to it are removed, so this one may have been written. If it " +
        s"was not, use another ${WriteOptions.WriteId.key}"
    )
  }

  private def newWriter(
      spark: SparkSession,
      options: Map[String, String],
      settings: WriteSettings,
      log: WriteLog
  ): ExactlyOnceWriter = {
    val hub = settings.connection.hub
    if (spark.sparkContext.getConf.getBoolean("spark.speculation", defaultValue = false))
      throw ExactlyOnceErrors.withSpeculation(hub)
    val readBack = ReadBack.settings(options, hub)
    // Where rows name their hubs, the first batch that goes to a hub checks it.
    val ends = if (settings.hubByRow) None else Some(requireListen(readBack))
    new ExactlyOnceWriter(spark, settings, readBack, log, ends)
  }

  /**
   * Checks that the credential may also read, because the retry of a failed batch reads the hub. A reader with an owner
   * level shuts the write out of a partition. While nothing fails, the write does not need it, so it may begin.
   *
   * @return the ends of the hub, which the check asks for
   */
  def requireListen(readBack: ReadSettings): HubPositions = {
    val (hub, group) = (readBack.connection.hub, readBack.consumerGroup)
    val owned = ExecutorResources.get.ownedGroups
    val info = PartitionInfoReader.alone(readBack, ExecutorResources.get.clients, new MonotonicClock)
    try {
      // The service says this only to a credential that may read.
      try {
        ReadinessCheck(info, readBack)
        owned.remove((hub, group))
      } catch {
        case shutOut: EventHubsException if shutOut.condition == ErrorCondition.ReceiverDisconnected =>
          if (owned.add((hub, group)))
            logWarning(
              s"Event hub $hub: a reader with an owner level, such as an event processor or Azure Functions, has a " +
                s"partition in the consumer group '$group'. After a failure this exactly-once write reads its events " +
                "back in that group, and the reader would stop it. Give the write a consumer group of its own: set " +
                s"'${ReadOptions.ConsumerGroup.key}'"
            )
      }
      HubPositions.of(readBack.connection.hub, info.snapshot())
    } finally info.close()
  }

  /** The checkpoint's folder; an error if a restart would use another folder. */
  private def checkpoint(spark: SparkSession, options: Map[String, String], settings: WriteSettings): Path = {
    option(options, "checkpointLocation").map(new Path(_)).getOrElse {
      val root = spark.conf.getOption("spark.sql.streaming.checkpointLocation")
      val place = for (folder <- root; name <- option(options, "queryName")) yield new Path(folder, name)
      place.getOrElse(throw ExactlyOnceErrors.needsLog(
        settings.connection.hub,
        if (root.isEmpty) "the query has no checkpoint location" else "the query has no name",
        if (root.isEmpty) "Set the option 'checkpointLocation'."
        else "Set the option 'checkpointLocation', or a query name: without one, each start uses another folder of " +
          "'spark.sql.streaming.checkpointLocation'."
      ))
    }
  }

  /** Spark's options have names without case. */
  private def option(options: Map[String, String], name: String): Option[String] = options.collectFirst {
    case (key, value) if key.toLowerCase(Locale.ROOT) == name.toLowerCase(Locale.ROOT) => value
  }

  /** The streaming query that runs in this thread. */
  private def queryOf(spark: SparkSession): Option[String] =
    Option(spark.sparkContext.getLocalProperty(WriteIdentity.QueryIdProperty))

  private def requireWriteId(settings: WriteSettings): (BatchWriteId, String) = {
    val configured = for (id <- settings.batchWrite; location <- id.logLocation) yield (id, location)
    configured.getOrElse(throw ExactlyOnceErrors.needsLog(
      settings.connection.hub,
      "a batch write has no id that a retry can use",
      s"Set '${WriteOptions.WriteId.key}' and '${WriteOptions.WriteVersion.key}' (in foreachBatch: a name of your choice " +
        s"and the batch id), and '${WriteOptions.WriteLogLocation.key}' to a folder."
    ))
  }

  private def folderOf(hub: EventHubName): String =
    s"${encoded(hub.namespace)}/${encoded(hub.name.toLowerCase(Locale.ROOT))}"

  private def encoded(text: String): String = URLEncoder.encode(text, UTF_8).replace("%", "=").replace(".", "=2E")
}
