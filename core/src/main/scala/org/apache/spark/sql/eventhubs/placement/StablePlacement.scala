package org.apache.spark.sql.eventhubs.placement

import scala.collection.mutable

import org.apache.spark.eventhubs.NameAndPartition

/**
 * Rendezvous hashing with bounded load. Every pair of partition and executor has a score. A partition goes to the
 * executor with its best score; a full executor keeps the partitions with the best scores. An executor that joins or
 * leaves moves few partitions, and no executor has more than the mean, rounded up.
 *
 * The result depends only on the names, not on their order or on earlier batches: there is one stable matching.
 */
private[eventhubs] object StablePlacement extends PreferredLocations {

  /** For one partition alone: no executor can be full. */
  override def locate(partition: NameAndPartition, executors: IndexedSeq[String]): Option[String] =
    executors.maxByOption(score(partition, _))

  override def assign(
      partitions: Seq[NameAndPartition],
      executors: IndexedSeq[String]
  ): Map[NameAndPartition, String] =
    if (executors.isEmpty || partitions.isEmpty) Map.empty
    else {
      val capacity = (partitions.length + executors.length - 1) / executors.length
      val slots = executors.map(name => name -> new ExecutorSlots(name, capacity)).toMap
      partitions.foreach { partition =>
        val best = executors.map(name => Candidate(partition, name, score(partition, name))).sorted
        assign(Proposal(best.toList), slots)
      }
      slots.values.flatMap(executor => executor.accepted.map(_.candidate.partition -> executor.name)).toMap
    }

  /** Proposes to the best executor. A partition that is rejected proposes to its next best one. */
  @scala.annotation.tailrec
  private def assign(proposal: Proposal, slots: Map[String, ExecutorSlots]): Unit =
    slots(proposal.candidate.executor).propose(proposal) match {
      case Some(rejected) => assign(Proposal(rejected.candidates.tail), slots)
      case None => ()
    }

  /** Every JVM computes the same score. It is mixed, because texts that differ little have similar hashes. */
  private def score(partition: NameAndPartition, executor: String): Long = {
    val seed = scala.util.hashing.MurmurHash3.stringHash(executor).toLong << 32
    mix(seed ^ scala.util.hashing.MurmurHash3.stringHash(s"${partition.ehName}/${partition.partitionId}"))
  }

  /** The finalizer of SplitMix64. */
  private def mix(value: Long): Long = {
    val one = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L
    val two = (one ^ (one >>> 27)) * 0x94d049bb133111ebL
    two ^ (two >>> 31)
  }

  private final case class Candidate(partition: NameAndPartition, executor: String, score: Long)

  /** Best first; equal scores are ordered by name. */
  private implicit val byScore: Ordering[Candidate] =
    Ordering.by[Candidate, (Long, String, String, Int)](candidate =>
      (candidate.score, candidate.executor, candidate.partition.ehName, candidate.partition.partitionId)
    ).reverse

  /**
   * @param candidates executors that have not rejected the partition, best first; not empty: there are slots for all
   */
  private final case class Proposal(candidates: List[Candidate]) {
    def candidate: Candidate = candidates.head
  }

  private final class ExecutorSlots(val name: String, capacity: Int) {

    /** The worst one is dequeued first. */
    val accepted: mutable.PriorityQueue[Proposal] =
      mutable.PriorityQueue.empty[Proposal](Ordering.by[Proposal, Candidate](_.candidate))

    /** @return the proposal that is rejected when the executor is full */
    def propose(proposal: Proposal): Option[Proposal] = {
      accepted.enqueue(proposal)
      Option.when(accepted.size > capacity)(accepted.dequeue())
    }
  }
}
