package org.apache.spark.eventhubs.checkpoints

import java.util.Locale

import org.apache.spark.eventhubs.EventHubName

/** The names of a consumer group's blobs, in the layouts of the Event Hubs SDKs and of Azure Functions. */
private[spark] final class CheckpointNames(hub: EventHubName, consumerGroup: String) {

  private val written = s"${hub.namespace}/${hub.name}/$consumerGroup/"

  /** What this connector writes: the SDKs' BlobCheckpointStore, whose processors use lower case. */
  val prefix: String = s"${written.toLowerCase(Locale.ROOT)}checkpoint/"

  def ofPartition(partitionId: Int): String = s"$prefix$partitionId"

  /** The SDK for Go keeps upper case. */
  def prefixes: Seq[String] = Seq(prefix, s"${written}checkpoint/").distinct

  /** Blobs with JSON, of Azure Functions. */
  def jsonPrefixes: Seq[String] = inBothCases(written)

  /** Blobs with JSON, of the old EventProcessorHost. They name no hub. */
  def namelessPrefixes: Seq[String] = inBothCases(s"$consumerGroup/")

  private def inBothCases(prefix: String) = Seq(prefix, prefix.toLowerCase(Locale.ROOT)).distinct
}
