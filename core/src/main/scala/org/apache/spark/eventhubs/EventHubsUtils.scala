package org.apache.spark.eventhubs

import java.nio.charset.StandardCharsets.UTF_8
import java.util.{Base64, UUID}

import org.apache.spark.SparkContext
import org.apache.spark.api.java.{JavaRDD, JavaSparkContext}
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.{ConnectionStringParts, ReadMode, ReadSettings}
import org.apache.spark.eventhubs.rdd.{
  EventHubsEventConverter,
  EventHubsRDD,
  EventHubsRDDPartition,
  OffsetRange,
  ReadAccumulator
}
import org.apache.spark.internal.Logging
import org.apache.spark.rdd.RDD

/** Functions that notebooks of the legacy connector call by this name, also from Python through `_jvm`. */
object EventHubsUtils extends Logging {

  private lazy val warnOnce: Unit =
    logWarning("EventHubsUtils.encrypt is no longer needed: it returns the connection string unchanged")

  /**
   * Returns the connection string unchanged. The legacy connector encrypted it with a public key, without protection.
   */
  def encrypt(connectionString: String): String = {
    warnOnce
    connectionString
  }

  /** Decrypts a connection string that the legacy connector 2.3.22 encrypted. Returns a plain one unchanged. */
  def decrypt(connectionString: String): String = ConnectionStringParts.plain(connectionString)

  /** The text in Base64, which the legacy connector used for nothing of its own. */
  def encode(text: String): String = Base64.getEncoder.encodeToString(text.getBytes(UTF_8))

  /** @throws IllegalArgumentException if the text is not Base64 */
  def decode(base64: String): String = new String(Base64.getDecoder.decode(base64), UTF_8)

  /** Creates an RDD for Java. */
  def createRDD(
      sc: JavaSparkContext,
      ehConf: EventHubsConf,
      offsetRanges: Array[OffsetRange]
  ): JavaRDD[EventHubsEvent] = createRDD(sc.sc, ehConf, offsetRanges).toJavaRDD()

  /**
   * The events of fixed ranges, one task each. Events that retention removed are data loss, as in a query.
   *
   * @throws EventHubsException if a range belongs to another hub than the conf, or an option is invalid
   */
  def createRDD(sc: SparkContext, ehConf: EventHubsConf, offsetRanges: Array[OffsetRange]): RDD[EventHubsEvent] = {
    val settings = ReadSettings.parse(ehConf.toMap, ReadMode.Batch)
    val hub = settings.connection.hub
    offsetRanges.find(range => !settings.hubs.includes(range.name)).foreach { range =>
      throw EventHubsErrors.conflictingOptions(
        s"the conf is for event hub $hub, but a range is $range",
        "Name all event hubs of the ranges in 'eventhubs.name', or create one RDD for each."
      )
    }
    val totals = ReadAccumulator.register(sc, hub)
    new EventHubsRDD(
      sc,
      settings,
      EventHubsRDDPartition.each(offsetRanges.toSeq),
      EventHubsEventConverter,
      reuseReceivers = false,
      totals,
      HubGeneration.Unchecked(UUID.randomUUID().toString)
    )
  }
}
