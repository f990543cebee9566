package org.apache.spark.eventhubs.ownership

import java.io.IOException

import org.apache.spark.util.Clock

/** An ownership store in memory, with the etag rules of Azure Blob Storage. Safe for several threads. */
final class MemoryOwnershipStore(clock: Clock) extends OwnershipStore {

  import MemoryOwnershipStore.Blob

  private var blobs = Map.empty[Int, Blob]
  private var etags = 0

  /** Partitions that were written, in this order; released ones have a minus before them. */
  var writes = Vector.empty[String]

  /** Called before each claim, by the thread that claims. */
  @volatile var beforeClaim: Int => Unit = (_: Int) => ()
  var isDown = false

  /** Writes are answered, and lists are not. */
  var listsAreDown = false

  /** Partitions whose writes are stored, but the answer does not arrive. */
  var losesAnswers = Set.empty[Int]

  def owners: Map[Int, String] = blobs.map { case (partition, blob) => partition -> blob.owner }

  /** Another owner writes the partition. */
  def set(partition: Int, owner: String): Unit = synchronized {
    etags += 1
    blobs += partition -> Blob(owner, etags, clock.getTimeMillis())
  }

  def delete(partition: Int): Unit = synchronized(blobs -= partition)

  override def list(): Seq[PartitionOwnership] = synchronized {
    if (isDown || listsAreDown) throw new IOException("the store is down")
    blobs.toSeq.map { case (partition, blob) =>
      PartitionOwnership(partition, blob.owner, blob.etag.toString, clock.getTimeMillis() - blob.modifiedMillis)
    }
  }

  override def claim(partitionId: Int, ownerId: String, etag: Option[String]): Option[String] = {
    beforeClaim(partitionId)
    synchronized {
      if (isDown) throw new IOException("the store is down")
      if (blobs.get(partitionId).map(_.etag.toString) != etag) None
      else {
        set(partitionId, ownerId)
        writes :+= (if (ownerId.isEmpty) s"-$partitionId" else s"$partitionId")
        if (losesAnswers(partitionId)) throw new IOException("the answer was lost")
        blobs.get(partitionId).map(_.etag.toString)
      }
    }
  }
}

private object MemoryOwnershipStore {
  final case class Blob(owner: String, etag: Int, modifiedMillis: Long)
}
