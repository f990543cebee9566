package org.apache.spark.sql.eventhubs.planning

import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.service.HubSnapshot
import org.apache.spark.eventhubs.{DataLoss, DataLossPolicy, EventHubName, EventHubsErrors}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.eventhubs.EventHubsSourceOffset

/**
 * Checks that a checkpoint is used with the hub that it was written for. Refuses the checkpoint of another hub, and
 * detects a recreated hub even when its sequence numbers look plausible.
 */
private[eventhubs] final class HubIdentityTracker(
    file: HubIdentityFile,
    metadataPath: String,
    configured: EventHubName
) extends Logging {

  private var known: Option[HubIdentity] = file.read()
  known.foreach { identity =>
    val sameName = identity.hub.name.equalsIgnoreCase(configured.name)
    if (!sameName || identity.hub.namespace != configured.namespace)
      throw EventHubsErrors.otherHub(metadataPath, identity.hub.toString, configured)
  }

  /**
   * The positions that an offset of this checkpoint stands for: its sequence numbers, except for partitions that its
   * batch withheld. In a legacy checkpoint only the offsets name the hub.
   *
   * @throws org.apache.spark.eventhubs.EventHubsException EVENTHUBS_CHECKPOINT_OF_ANOTHER_HUB
   */
  def seqNosOf(offset: EventHubsSourceOffset): Map[Int, Long] = {
    val seqNos = offset.of(configured.name)
    if (seqNos.isEmpty)
      throw EventHubsErrors.otherOffsets(metadataPath, offset.sequenceNumbers.keys, configured)
    seqNos ++ known.filter(_.withheldAt.contains(offset.json)).fold(Map.empty[Int, Long])(_.withheld)
  }

  /**
   * The batch that ends at `end` does not read these partitions, and each repetition of it neither. The next batch
   * continues at the given positions.
   */
  def withhold(end: EventHubsSourceOffset, positions: Map[Int, Long]): Unit = known.foreach { identity =>
    val before = if (isWithheldAt(end)) identity.withheld else Map.empty[Int, Long]
    if (positions.nonEmpty) save(identity.copy(withheldAt = Some(end.json), withheld = before ++ positions))
  }

  /** Whether the checkpoint can note what [[withhold]] is given: a legacy one has no file for it yet. */
  def mayWithhold: Boolean = known.isDefined

  /** A batch that starts at `start` follows. If it is a later one, its offset has the real positions. */
  def endWithholding(start: EventHubsSourceOffset): Unit =
    known.filter(identity => identity.withheldAt.nonEmpty && !isWithheldAt(start))
      .foreach(identity => save(afterWithholding(identity)))

  /** Whether positions of this offset are not those that were read. */
  def isWithheldAt(offset: EventHubsSourceOffset): Boolean = known.exists(_.withheldAt.contains(offset.json))

  /**
   * Compares the hub's generation with the checkpoint's, and reports a recreated hub as data loss. A checkpoint without
   * an identity adopts the hub's.
   *
   * @return whether the batch that starts at `start` must read the hub from its beginning
   */
  def detectRecreation(
      start: EventHubsSourceOffset,
      seqNos: Map[Int, Long],
      snapshot: HubSnapshot,
      policy: DataLossPolicy
  ): Boolean = known match {
    case None =>
      logWarning(
        s"The checkpoint '$metadataPath' has no ${HubIdentityFile.Name}. Its offsets are taken as sequence numbers of " +
          s"$configured, as the legacy connector wrote them. If Spark's Kafka source wrote it, stop the query and give " +
          "it a new checkpoint location: Kafka's offsets are other numbers"
      )
      save(HubIdentity(configured, snapshot.generation, None, epochs = snapshot.epochs))
      false
    case Some(identity) if identity.generation == snapshot.generation =>
      val restarts = restartsAfter(start)
      // The restart is over. The recreated hub will reach the old hub's last offset too, and must not restart there
      // again.
      if (!restarts && identity.restartedAfter.nonEmpty) save(afterRestart(identity))
      restarts
    case Some(identity) =>
      seqNos.toSeq.sortBy(_._1).foreach { case (partition, seqNo) =>
        val facts =
          s"the checkpoint was written for ${identity.generation}, but this is ${snapshot.generation}"
        val earliest = snapshot.bounds.get(partition).fold(0L)(_.earliest)
        policy.report(DataLoss.recreated(partition, seqNo, earliest, facts))
      }
      save(HubIdentity(
        identity.hub,
        snapshot.generation,
        Some(start.json),
        epochs = snapshot.epochs,
        startsAt = identity.startsAt,
        namesPartitions = identity.namesPartitions
      ))
      true
  }

  /**
   * Notes where the first batch of the checkpoint starts, before the offset is stored.
   *
   * @param atEarliest partitions that start at their first retained event
   * @param named      whether the query's option names its partitions
   */
  def begin(snapshot: HubSnapshot, atEarliest: Set[Int], named: Boolean): Unit =
    save(HubIdentity(
      configured,
      snapshot.generation,
      None,
      epochs = snapshot.epochs,
      startsAtEarliest = atEarliest,
      namesPartitions = named
    ))

  /**
   * Notes where partitions start that the query has not read before, and whether its option names its partitions now.
   *
   * @param atEarliest those that start at their first retained event
   */
  def join(starts: Map[Int, Long], atEarliest: Set[Int], named: Boolean): Unit = known.foreach { identity =>
    if (starts.nonEmpty || identity.namesPartitions != named)
      save(identity.copy(
        joinedAt = identity.joinedAt ++ starts,
        startsAtEarliest = identity.startsAtEarliest ++ atEarliest,
        namesPartitions = named
      ))
  }

  /** The starts of [[join]]. */
  def joinedAt: Map[Int, Long] = known.fold(Map.empty[Int, Long])(_.joinedAt)

  /** Whether the query's option named its partitions when it was last called by [[join]] or [[begin]]. */
  def namesPartitions: Boolean = known.exists(_.namesPartitions)

  /** Notes the first offset of a hub that the query did not read from its first start on. */
  def startAt(seqNos: Map[Int, Long]): Unit = known.foreach(identity => save(identity.copy(startsAt = seqNos)))

  /** The offset of [[startAt]]; empty without it. */
  def startsAt: Map[Int, Long] = known.fold(Map.empty[Int, Long])(_.startsAt)

  /** The partitions whose stored start is the resolved `earliest`. */
  def startsAtEarliest: Set[Int] = known.fold(Set.empty[Int])(_.startsAtEarliest)

  /** The checkpoint's identity, when it was written for the generation of `snapshot`. */
  def in(snapshot: HubSnapshot): Option[HubIdentity] = known.filter(_.generation == snapshot.generation)

  /** Whether the checkpoint was written for another generation than that of `snapshot`. */
  def isOfAnother(snapshot: HubSnapshot): Boolean = known.exists(_.generation != snapshot.generation)

  /** Notes the epochs of partitions that the checkpoint does not know yet. */
  def learnEpochs(snapshot: HubSnapshot): Unit = in(snapshot).foreach { identity =>
    val more = snapshot.epochs -- identity.epochs.keySet
    if (more.nonEmpty) save(identity.copy(epochs = identity.epochs ++ more))
  }

  /**
   * A secondary region was promoted.
   *
   * @param restartsAt where the batch that starts at `start` really starts, in each partition
   * @param epochs     those that are known from now on
   */
  def continueAt(start: EventHubsSourceOffset, restartsAt: Map[Int, Long], epochs: Map[Int, Int]): Unit =
    known.foreach { identity =>
      save(identity.copy(
        restartedAfter = Some(start.json),
        restartsAt = restartsAt,
        epochs = identity.epochs ++ epochs
      ))
    }

  /** Where the batch that starts at `start` really starts; empty for the hub's beginning, None for `start` itself. */
  def restartOf(start: EventHubsSourceOffset): Option[Map[Int, Long]] =
    known.filter(_ => restartsAfter(start)).map(_.restartsAt)

  /**
   * The generation of the checkpoint's hub. A checkpoint without one adopts that of `snapshot` and writes it to
   * `hub.json`.
   */
  def generationOrAdopt(snapshot: => HubSnapshot): HubGeneration = known.fold[HubGeneration] {
    val adopted = snapshot
    save(HubIdentity(configured, adopted.generation, None, epochs = adopted.epochs))
    adopted.planned
  }(identity => HubGeneration.of(identity.generation, identity.epochs))

  /** A batch ended at `end`: that offset now refers to the present generation, even if an older one ended there too. */
  def completeRestart(end: EventHubsSourceOffset): Unit =
    known.filter(_ => restartsAfter(end)).foreach(identity => save(afterRestart(identity)))

  /** A batch that read all partitions ended at `end`. */
  def completeWithheld(end: EventHubsSourceOffset): Unit =
    known.filter(_ => isWithheldAt(end)).foreach(identity => save(afterWithholding(identity)))

  /** Whether `start` is the last offset of an older generation or epoch, so that its batch starts elsewhere. */
  def restartsAfter(start: EventHubsSourceOffset): Boolean = known.flatMap(_.restartedAfter).contains(start.json)

  private def afterWithholding(identity: HubIdentity) = identity.copy(withheldAt = None, withheld = Map.empty)

  private def afterRestart(identity: HubIdentity) = identity.copy(restartedAfter = None, restartsAt = Map.empty)

  private def save(identity: HubIdentity): Unit = {
    file.write(identity)
    known = Some(identity)
  }
}
