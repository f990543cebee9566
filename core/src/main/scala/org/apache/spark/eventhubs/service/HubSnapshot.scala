package org.apache.spark.eventhubs.service

import org.apache.spark.eventhubs.connection.PartitionBounds
import org.apache.spark.eventhubs.generation.HubGeneration

/**
 * The state of a hub at one moment.
 *
 * @param bounds of the partitions that the query reads
 * @param unread partitions of the hub that the query does not read
 */
private[spark] final case class HubSnapshot(
    generation: HubGeneration.CreatedAt,
    bounds: Map[Int, PartitionBounds],
    unread: Set[Int] = Set.empty
) {

  /** The epochs of a geo-replicated hub's partitions; empty for other hubs. */
  def epochs: Map[Int, Int] = for ((partition, known) <- bounds; epoch <- known.epoch) yield partition -> epoch

  /** The hub that ranges which are planned now refer to. */
  def planned: HubGeneration = HubGeneration.of(generation, epochs)

  /** Returns this state with later ends, where `nextSeqNos` has them. */
  def withEnds(nextSeqNos: Map[Int, Long]): HubSnapshot = copy(bounds = bounds.map { case (partition, known) =>
    partition -> nextSeqNos.get(partition).fold(known)(known.upTo)
  })
}
