package org.apache.spark.sql.eventhubs.checkpointstore

import org.scalatest.Suite

import org.apache.spark.eventhubs.blob.{BlobStore, WriteCondition}
import org.apache.spark.sql.eventhubs.source.StreamFixture

/** The ownership blobs of a consumer group, and other owners that write them. */
trait OwnershipFixture extends CheckpointStoreFixture { this: Suite =>

  /** Short, so that a test does not wait long for an owner that is gone. */
  protected val expiration: (String, String) = "eventhubs.checkpointStore.ownershipExpiration" -> "4s"

  protected def owning(container: String, mode: String): Seq[(String, String)] =
    storeOptions(container) ++ Seq("eventhubs.checkpointStore.ownership" -> mode, expiration)

  private def prefix(hub: String) = s"$namespace/$hub/$$default/ownership/"

  protected def ownership(container: String, hub: String): Map[Int, (String, String)] =
    openStore(container).list(prefix(hub)).map { blob =>
      blob.name.stripPrefix(prefix(hub)).toInt -> (blob.metadata("ownerid"), blob.etag)
    }.toMap

  protected def owners(container: String, hub: String): Map[Int, String] =
    ownership(container, hub).map { case (partition, (owner, _)) => partition -> owner }

  /** Another owner takes the partition, whoever has it. An empty name releases it. */
  protected def seize(container: String, hub: String, partition: Int, owner: String): Unit = {
    openStore(container).upload(
      s"${prefix(hub)}$partition",
      BlobStore.NoContent,
      Map("ownerid" -> owner),
      WriteCondition.Always
    )
    ()
  }

  /** An ownership blob without an owner, as no SDK writes it. */
  protected def putTorn(container: String, hub: String, partition: Int): Unit =
    put(container, s"${prefix(hub)}$partition", "owner" -> "x")
}

/** Streams of the local hub that own their partitions. */
trait OwningStreams extends StreamFixture with OwnershipFixture { this: Suite =>

  override protected lazy val namespace: String = localHub.connectionString("x").split("[/:;]")(3)
}
