package org.apache.spark.eventhubs.options

import java.util.Locale

/**
 * Options of the legacy connector that have no effect here. If the result is the same without the option, the connector
 * logs a warning. If the result would differ, the connector rejects the option.
 */
private[eventhubs] object LegacyOptions {

  sealed trait Treatment

  /** @param why continues the key in a warning */
  final case class Ignored(why: String) extends Treatment

  /**
   * @param instead        what to do, in whole sentences
   * @param harmlessValues values that have no effect, in lower case
   */
  final case class Refused(instead: String, harmlessValues: Set[String] = Set.empty) extends Treatment

  private val useEntraId =
    "Remove it, and sign in with 'eventhubs.auth.type' = 'clientSecret', 'clientCertificate', 'managedIdentity', " +
      "'workloadIdentity' or 'default'. See docs/migration.md."
  private val useTokenProvider =
    "For an application with a secret, remove it and set 'eventhubs.auth.type' = 'clientSecret' with " +
      "'eventhubs.auth.tenantId', 'eventhubs.auth.clientId' and 'eventhubs.auth.clientSecret'. To keep a class of " +
      "your own, let it implement org.apache.spark.eventhubs.credentials.TokenProvider, and set " +
      "'eventhubs.auth.credentialProvider' to its name. See docs/migration.md."
  private val useParameters =
    "Remove it, and set 'eventhubs.auth.tenantId', 'eventhubs.auth.clientId' and 'eventhubs.auth.clientSecret' to " +
      "its values. With 'eventhubs.auth.credentialProvider', set 'eventhubs.auth.tokenParameters' to it."
  private val useMetrics = "Use the source metrics in Spark's StreamingQueryProgress, which have lag and throughput."

  val all: Seq[(String, Treatment)] = Seq(
    "eventhubs.threadPoolSize" -> Ignored(
      "is no longer needed: the number of threads follows 'eventhubs.maxConnections'"
    ),
    "eventhubs.maxSilentTime" -> Ignored("is no longer needed: 'eventhubs.receiverTimeout' reopens a silent receiver"),
    "eventhubs.slowPartitionAdjustment" ->
      Ignored("is no longer needed: a slow partition does not limit the other partitions of a batch"),
    "eventhubs.maxAcceptableBatchReceiveTime" -> Ignored(
      "belongs to 'eventhubs.slowPartitionAdjustment', which was removed"
    ),
    "eventhubs.DynamicPartitionDiscovery" -> Ignored(
      "is no longer needed: the connector always finds added partitions"
    ),
    "eventhubs.maxRatePerPartition" ->
      Ignored("applies to DStreams only; use 'eventhubs.maxEventsPerTrigger' to limit a micro-batch"),
    "eventhubs.maxRatesPerPartition" ->
      Ignored("applies to DStreams only; use 'eventhubs.maxEventsPerTrigger' to limit a micro-batch"),
    "eventhubs.setUseExclusiveReceiver" ->
      Ignored("was never an option, not even of the legacy connector; use 'eventhubs.useExclusiveReceiver'"),
    "eventhubs.useAadAuth" -> Refused(useEntraId, harmlessValues = Set("false")),
    "eventhubs.aadAuthCallback" -> Refused(useTokenProvider),
    "eventhubs.AadAuthCallbackParams" -> Refused(useParameters, harmlessValues = Set("{}")),
    "eventhubs.metricPlugin" -> Refused(useMetrics),
    "eventhubs.throttlingStatusPlugin" -> Refused(useMetrics),
    "eventhubs.useSimulatedClient" ->
      Refused(
        "Use this project's local hub, which implements the AMQP protocol of Event Hubs.",
        harmlessValues = Set("false")
      )
  )

  private val byName = all.map { case (key, treatment) => key.toLowerCase(Locale.ROOT) -> (key -> treatment) }.toMap

  /** @return the canonical key and its treatment */
  def find(name: String): Option[(String, Treatment)] = byName.get(name.toLowerCase(Locale.ROOT))
}
