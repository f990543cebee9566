package org.apache.spark.sql.eventhubs.checkpointstore

import java.nio.charset.StandardCharsets.UTF_8

import org.scalatest.Suite

import org.apache.spark.eventhubs.blob.{AzuriteFixture, BlobStore, WriteCondition}

/** The blobs of a consumer group, as processors of the SDKs see them. */
trait CheckpointStoreFixture extends AzuriteFixture { this: Suite =>

  protected def namespace: String

  protected def storeOptions(container: String): Seq[(String, String)] = Seq(
    "eventhubs.checkpointStore.container" -> container,
    "eventhubs.checkpointStore.connectionString" -> storageConnectionString,
    "eventhubs.checkpointStore.interval" -> "50ms"
  )

  protected val fromStore: (String, String) = "eventhubs.startingPosition" -> "checkpointStore"

  private def prefix(hub: String) = s"$namespace/$hub/$$default/checkpoint/"

  /** Number of the last processed event, by partition. */
  protected def published(container: String, hub: String): Map[Int, Long] =
    metadata(container, hub).map { case (partition, values) => partition -> values("sequencenumber").toLong }

  protected def metadata(container: String, hub: String): Map[Int, Map[String, String]] =
    openStore(container).list(prefix(hub)).map(blob => blob.name.stripPrefix(prefix(hub)).toInt -> blob.metadata).toMap

  protected def put(container: String, blob: String, values: (String, String)*): Unit = {
    openStore(container).upload(blob, BlobStore.NoContent, values.toMap, WriteCondition.Always)
    ()
  }

  protected def putCheckpoint(container: String, hub: String, partition: Int, values: (String, String)*): Unit =
    put(container, s"${prefix(hub)}$partition", values: _*)

  protected def putJson(container: String, blob: String, json: String): Unit = {
    openStore(container).upload(blob, json.getBytes(UTF_8), Map.empty, WriteCondition.Always)
    ()
  }
}
