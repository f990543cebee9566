package org.apache.spark.eventhubs.options

import java.util.Locale

/**
 * Keys that notebooks written for the legacy connector have and that do nothing here. Where the result is the same without
 * them they are warned of; where a user would get something else than asked for they are refused.
 */
private[spark] object LegacyOptions {

  sealed trait Fate

  /** @param why to stand after the key in a warning */
  final case class Ignored(why: String) extends Fate

  /**
   * @param instead  what to do, in whole sentences
   * @param harmless values that ask for nothing, in lower case
   */
  final case class Refused(instead: String, harmless: Set[String] = Set.empty) extends Fate

  private val entraInstead =
    "Sign in with 'eventhubs.auth.type' = 'clientSecret', 'managedIdentity', 'workloadIdentity' or 'default'."
  private val metricsInstead = "Lag and throughput are in the sources' metrics of Spark's StreamingQueryProgress."

  val all: Seq[(String, Fate)] = Seq(
    "eventhubs.threadPoolSize" -> Ignored(
      "is no longer needed: the number of threads follows 'eventhubs.maxConnections'"
    ),
    "eventhubs.maxSilentTime" -> Ignored("is no longer needed: 'eventhubs.receiverTimeout' reopens a silent receiver"),
    "eventhubs.slowPartitionAdjustment" ->
      Ignored("is no longer needed: a slow partition does not hold back what the others may read in a batch"),
    "eventhubs.maxAcceptableBatchReceiveTime" -> Ignored(
      "belonged to 'eventhubs.slowPartitionAdjustment', which is gone"
    ),
    "eventhubs.DynamicPartitionDiscovery" -> Ignored("is no longer needed: added partitions are always found"),
    "eventhubs.maxRatePerPartition" ->
      Ignored("was for DStreams only; 'eventhubs.maxEventsPerTrigger' bounds a micro-batch"),
    "eventhubs.maxRatesPerPartition" ->
      Ignored("was for DStreams only; 'eventhubs.maxEventsPerTrigger' bounds a micro-batch"),
    "eventhubs.setUseExclusiveReceiver" ->
      Ignored("never was an option, in the legacy connector neither; 'eventhubs.useExclusiveReceiver' is"),
    "eventhubs.useAadAuth" -> Refused(entraInstead, harmless = Set("false")),
    "eventhubs.aadAuthCallback" -> Refused(entraInstead),
    "eventhubs.AadAuthCallbackParams" -> Refused(entraInstead, harmless = Set("{}")),
    "eventhubs.metricPlugin" -> Refused(metricsInstead),
    "eventhubs.throttlingStatusPlugin" -> Refused(metricsInstead),
    "eventhubs.useSimulatedClient" ->
      Refused("Use the local hub of this project, which speaks the real protocol.", harmless = Set("false"))
  )

  private val byName = all.map { case (key, fate) => key.toLowerCase(Locale.ROOT) -> (key -> fate) }.toMap

  /** @return the key as it is spelled here, and what becomes of it */
  def find(name: String): Option[(String, Fate)] = byName.get(name.toLowerCase(Locale.ROOT))
}
