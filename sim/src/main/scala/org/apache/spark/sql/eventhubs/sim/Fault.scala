package org.apache.spark.sql.eventhubs.sim

import java.util.SplittableRandom

/** What a run has besides its faults; it follows from the seed. */
private[sim] final case class RunShape(
    partitions: Int,
    isCompacted: Boolean,
    isReplicated: Boolean,
    failOnDataLoss: Boolean,
    startsAtEarliest: Boolean,
    maxEvents: Option[Long],
    triggerMillis: Long,
    eventEveryMillis: Long,
    bodyBytes: Int,
    answersDrain: Boolean
)

/** Something that happens to the service, the network or Spark at a moment of a run. */
private[sim] final case class Fault(index: Int, atMillis: Long, atStep: Option[Long], what: Fault.What) {
  override def toString: String = {
    val step = atStep.fold("")(number => s", at step $number of the next batch")
    f"$index%3d at ${atMillis / 1000.0}%9.3f s$step: $what"
  }
}

private[sim] object Fault {
  sealed trait What
  final case class LinkLost(partition: Int) extends What
  final case class LinkDetached(partition: Int) extends What
  final case class LinkStalls(partition: Int, millis: Long) extends What
  final case class PartitionDown(partition: Int, millis: Long) extends What
  final case class NetworkDown(millis: Long) extends What
  final case class Busy(millis: Long) extends What
  final case class AnswersLost(millis: Long) extends What
  final case class AnswersSlow(millis: Long, slowest: Long) extends What
  final case class AnswersLag(partition: Int, millis: Long, lag: Long) extends What
  final case class HubLags(millis: Long) extends What
  final case class LinksLag(millis: Long, lag: Long) extends What
  final case class Retention(partition: Int, part: Double) extends What
  case object Compaction extends What
  final case class Burst(partition: Int, events: Int) extends What
  final case class NobodySends(partition: Int, millis: Long) extends What
  final case class Gap(partition: Int, events: Int) extends What
  final case class LinkSkips(partition: Int, events: Int) extends What
  final case class LinkBeginsEarly(partition: Int, events: Int) extends What
  final case class Recreated(goneMillis: Long) extends What
  final case class Promoted(lacking: Seq[Long]) extends What
  case object PartitionAdded extends What
  final case class DriverCrash(step: Long) extends What
  final case class ExecutorCrash(step: Long) extends What
  case object TaskKilled extends What
  case object QueryStopped extends What
  case object TaskMoved extends What
}

/**
 * A run before it begins. The same seed gives the same plan.
 *
 * @param salt another number gives the same faults with other delays
 */
private[sim] final case class RunPlan(seed: Long, millis: Long, shape: RunShape, faults: Seq[Fault], salt: Int = 0) {

  /** With these faults only. */
  def only(kept: Set[Int]): RunPlan = copy(faults = faults.filter(fault => kept(fault.index)))
}

private[sim] object RunPlan {

  /** No fault begins in the last part of a run, in which the query has to catch up. */
  val QuietMillis: Long = 15 * 60000L

  /** How long a fault may act, and the query may still fail because of it. */
  val LongestFault: Long = 5 * 60000L

  def of(seed: Long, millis: Long = 60 * 60000L): RunPlan = {
    val random = new SplittableRandom(seed)
    def between(low: Long, high: Long) = random.nextLong(low, high + 1)
    def chance(probability: Double) = random.nextDouble() < probability
    val kind = random.nextInt(4)
    val partitions = between(1, 3).toInt
    val triggerMillis = between(200, 20000)
    val eventEveryMillis = between(200, 10000)
    // With this limit the query is faster than the hub, also after bursts.
    val leastLimit = 20 * triggerMillis / 1000 + 3 * partitions * triggerMillis / eventEveryMillis + 1
    val shape = RunShape(
      partitions = partitions,
      isCompacted = kind == 2,
      isReplicated = kind == 3,
      failOnDataLoss = chance(0.5),
      startsAtEarliest = chance(0.7),
      maxEvents = if (chance(0.5)) Some(between(leastLimit, leastLimit * 10)) else None,
      triggerMillis = triggerMillis,
      eventEveryMillis = eventEveryMillis,
      bodyBytes = if (chance(0.1)) between(1, 20000).toInt else between(1, 50).toInt,
      answersDrain = chance(0.7)
    )
    val rare = kind match {
      case 2 => Seq.fill(8)(() => Fault.Compaction)
      case 3 => Seq.fill(5)(() => Fault.Promoted(Seq.fill(partitions)(if (chance(0.5)) 0L else between(0, 20))))
      case _ => Nil
    }
    def partition = random.nextInt(partitions)
    val common: Seq[() => Fault.What] = Seq(
      () => Fault.LinkLost(partition),
      () => Fault.LinkDetached(partition),
      () => Fault.LinkStalls(partition, between(100, 200000)),
      () => Fault.PartitionDown(partition, between(100, 90000)),
      () => Fault.NetworkDown(between(100, 100000)),
      () => Fault.Busy(between(1000, 60000)),
      () => Fault.AnswersLost(between(1000, 90000)),
      () => Fault.AnswersSlow(between(1000, 90000), between(100, 20000)),
      () => Fault.AnswersLag(partition, between(1000, 60000), between(100, 8000)),
      () => Fault.AnswersLag(partition, between(1000, 60000), between(100, 8000)),
      () => Fault.HubLags(between(100, 8000)),
      () => Fault.LinksLag(between(1000, 60000), between(10, 800)),
      () => Fault.Retention(partition, random.nextDouble()),
      () => Fault.Burst(partition, between(2, 3000).toInt),
      () => Fault.Burst(partition, between(2, 200).toInt),
      () => Fault.NobodySends(partition, between(1000, 300000)),
      () => Fault.Retention(partition, random.nextDouble()),
      () => Fault.LinkSkips(partition, between(1, 5).toInt),
      () => Fault.LinkBeginsEarly(partition, between(1, 5).toInt),
      () => Fault.DriverCrash(between(1, 300)),
      () => Fault.DriverCrash(between(1, 30)),
      () => Fault.ExecutorCrash(between(1, 100)),
      () => Fault.TaskKilled,
      () => Fault.QueryStopped,
      () => Fault.TaskMoved
    ) ++ rare ++ (if (chance(0.3)) Seq(() => Fault.Gap(partition, between(1, 5).toInt)) else Nil) ++
      (if (chance(0.4)) Seq.fill(3)(() => Fault.Recreated(between(0, 30000))) else Nil) ++
      (if (chance(0.2)) Seq(() => Fault.PartitionAdded) else Nil)
    val lively = millis - QuietMillis
    val count = between(0, 120).toInt
    val times = IndexedSeq.fill(count)(between(0, lively)).sorted
    // Faults often come together.
    val near = times.indices.map(i => if (i > 0 && chance(0.4)) times(i - 1) + between(0, 3000) else times(i))
    val faults = near.sorted.zipWithIndex.map { case (at, index) =>
      Fault(index, at, if (chance(0.5)) Some(between(1, 80)) else None, common(random.nextInt(common.length))())
    }
    RunPlan(seed, millis, shape, faults)
  }
}
