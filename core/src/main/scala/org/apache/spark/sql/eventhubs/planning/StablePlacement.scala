package org.apache.spark.sql.eventhubs.planning

import scala.collection.mutable

import org.apache.spark.eventhubs.NameAndPartition

/**
 * Rendezvous hashing with bounded load: every pair of partition and executor has a score, a partition goes to the
 * executor that scores best with it, and an executor that has its share already keeps those that score best. So an
 * executor that leaves or comes moves few partitions, and none has more than one above the mean.
 *
 * The result depends on the names alone, not on their order nor on what was before: it is the one stable matching.
 */
object StablePlacement extends PreferredLocations {

  /** Without the other partitions there is no share to keep to. */
  override def locate(partition: NameAndPartition, executors: IndexedSeq[String]): Option[String] =
    executors.maxByOption(score(partition, _))

  override def assign(
      partitions: Seq[NameAndPartition],
      executors: IndexedSeq[String]
  ): Map[NameAndPartition, String] =
    if (executors.isEmpty || partitions.isEmpty) Map.empty
    else {
      val share = (partitions.length + executors.length - 1) / executors.length
      val homes = executors.map(name => name -> new Home(name, share)).toMap
      partitions.foreach { partition =>
        val best = executors.map(name => Bid(partition, name, score(partition, name))).sorted
        settle(Wish(best.toList), homes)
      }
      homes.values.flatMap(home => home.bids.map(wish => wish.bid.partition -> home.name)).toMap
    }

  /** Takes a place, and if another wish loses its own by that, that one goes on to the next of its choice. */
  @scala.annotation.tailrec
  private def settle(wish: Wish, homes: Map[String, Home]): Unit =
    homes(wish.bid.executor).take(wish) match {
      case Some(loser) => settle(Wish(loser.left.tail), homes)
      case None => ()
    }

  /** Spreads well, and is the same in every JVM; the text alone would give neighbours nearly equal hashes. */
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

  private final case class Bid(partition: NameAndPartition, executor: String, score: Long)

  /** Best first; the names decide between equal scores. */
  private implicit val byScore: Ordering[Bid] =
    Ordering.by[Bid, (Long, String, String, Int)](bid =>
      (bid.score, bid.executor, bid.partition.ehName, bid.partition.partitionId)
    ).reverse

  /** @param left executors that have not refused yet, best first; never empty, because there are places for all */
  private final case class Wish(left: List[Bid]) {
    def bid: Bid = left.head
  }

  private final class Home(val name: String, share: Int) {

    /** The worst of those that have a place comes out first. */
    val bids: mutable.PriorityQueue[Wish] =
      mutable.PriorityQueue.empty[Wish](Ordering.by[Wish, Bid](_.bid))

    /** @return who has to go, if the place is full */
    def take(wish: Wish): Option[Wish] = {
      bids.enqueue(wish)
      Option.when(bids.size > share)(bids.dequeue())
    }
  }
}
