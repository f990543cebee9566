package org.apache.spark.eventhubs

import java.util.UUID

import org.apache.spark.SparkContext
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.{ConnectionStringParts, ReadMode, ReadSettings}
import org.apache.spark.eventhubs.rdd.{EventCopyConverter, EventHubsRDD, OffsetRange, ReadAccumulator}
import org.apache.spark.internal.Logging
import org.apache.spark.rdd.RDD

/** What notebooks for the legacy connector call by this name, from Python through `_jvm` too. */
object EventHubsUtils extends Logging {

  private lazy val sayItOnce: Unit =
    logWarning("EventHubsUtils.encrypt is no longer needed: it returns the connection string as it is")

  /** The connection string itself. The legacy encrypted it with its own version number, which protected nothing. */
  def encrypt(connectionString: String): String = {
    sayItOnce
    connectionString
  }

  /** What a conf or a notebook of the legacy connector 2.3.22 holds, as it was before it was encrypted. */
  def decrypt(connectionString: String): String = ConnectionStringParts.plain(connectionString)

  /**
   * The events of fixed ranges, one task each. Ranges that retention has passed are data loss, as in a query.
   *
   * @throws EventHubsException when a range is of another hub than the conf, or an option is wrong
   */
  def createRDD(sc: SparkContext, ehConf: EventHubsConf, offsetRanges: Array[OffsetRange]): RDD[EventHubsEvent] = {
    val settings = ReadSettings.parse(ehConf.toMap, ReadMode.Batch)
    val hub = settings.connection.hub
    offsetRanges.find(range => !range.name.equalsIgnoreCase(hub.name)).foreach { range =>
      throw EventHubsErrors.conflictingOptions(
        s"the conf is for $hub and a range is $range",
        "Give each hub its own RDD."
      )
    }
    val totals = ReadAccumulator.register(sc, hub)
    new EventHubsRDD(
      sc,
      settings,
      offsetRanges,
      EventCopyConverter,
      reuseReceivers = false,
      totals,
      HubGeneration.Unchecked(UUID.randomUUID().toString)
    )
  }
}
