package org.apache.spark.eventhubs.executor

import java.util.concurrent.{Executor, FutureTask}

import scala.util.control.NonFatal

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.connection.{AbandonedQuestionException, ManagementRateLimiter, PartitionBounds}
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.service.{HubRules, HubSnapshot, Known, Verdict}
import org.apache.spark.util.{Clock, Utils}

/**
 * What this JVM knows of a hub: the service's last answers, each with the time of its question, and the ends that
 * events have proven. All queries that read the same partitions of the hub with one identity share it, so one question
 * serves them all. Thread-safe.
 *
 * @param background runs routine questions while callers plan with what is known
 * @param rules      by which an answer counts that lacks proven events
 */
private[spark] final class HubAnswers(clock: Clock, background: Executor, rules: HubRules) {

  import HubAnswers._

  private var known = Option.empty[Answered]
  private var doubts = rules

  /** Ends that events of this generation have proven. */
  private var proven = Map.empty[Int, Long]
  private var failure = Option.empty[Throwable]

  /** The last answer or proof. */
  private var newsMillis = 0L
  private var askedMillis = 0L
  private var lookedMillis = 0L

  /** When routine questions last tried each partition: one that does not answer is no reason to try it first. */
  private var triedMillis = Map.empty[Int, Long]

  /** The hub has partitions that are not known. */
  private var isOutdated = false

  /** The routine question that is under way, and who asks it. */
  private var asking = Option.empty[(AnyRef, FutureTask[Unit])]

  /** Questions about the whole hub. The key says whether each of them has to be asked. */
  private val flights = new SingleFlight[Boolean, HubSnapshot]

  /** The calls of a question about the whole hub; none while nobody wants routine answers. */
  def routineCalls: Int = synchronized {
    if (known.nonEmpty && clock.getTimeMillis() - lookedMillis >= UnusedMillis) 0
    else known.fold(0)(_.partMillis.size) + 1
  }

  /** How old the oldest of the last answers about the partitions is. */
  def ageMillis: Option[Long] = synchronized(known.map(clock.getTimeMillis() - _.oldestMillis))

  /**
   * The state, of which each part was asked about at `since` or later. Waits for the answer.
   *
   * @param checkWanted called often while another thread asks; throws when the caller is to stop
   * @param whole       asks about the whole hub, given the last state
   */
  def newest(since: Long, checkWanted: () => Unit)(whole: Option[HubSnapshot] => HubSnapshot): HubSnapshot =
    askedSince(since).getOrElse(flights.run(false, checkWanted)(askedSince(since).getOrElse(ask(whole))))

  /** The state by a question that is asked after this call. Callers that wait for its turn share it. */
  def asked(checkWanted: () => Unit)(whole: Option[HubSnapshot] => HubSnapshot): HubSnapshot =
    flights.run(true, checkWanted)(ask(whole))

  private def askedSince(since: Long): Option[HubSnapshot] =
    synchronized(known.filter(found => !isOutdated && failure.isEmpty && found.oldestMillis >= since).map(_.state))

  private def ask(whole: Option[HubSnapshot] => HubSnapshot): HubSnapshot = {
    val (now, before) = synchronized {
      askedMillis = clock.getTimeMillis()
      (askedMillis, known.map(_.state))
    }
    try {
      val found = whole(before)
      synchronized(known.filter(_.hubMillis > now) match {
        case Some(newer) if newer.state.generation != found.generation => newer.state
        case newer =>
          if (known.forall(_.state.generation != found.generation)) forgetProof()
          isOutdated = false
          // A later question may have been answered before this one.
          val later = newer.fold(Map.empty[Int, Long])(_.partMillis.filter(_._2 > now))
          val kept = newer.fold(found.bounds)(_.state.bounds).filter { case (id, _) => later.contains(id) }
          answered(now, found.copy(bounds = judged(found.bounds -- later.keySet) ++ kept), later)
      })
    } catch {
      case failed: EventHubsException =>
        synchronized { failure = Some(failed) }
        throw failed
    }
  }

  /**
   * The state without waiting, as long as others ask often enough. Meanwhile a part of it is asked about. A caller that
   * comes more rarely than the questions of a round, or after a failure, waits for the answer.
   *
   * @param since    when the caller has begun to read the hub: older answers say nothing about its start
   * @param isEnough whether the caller needs no newer state
   * @param pace     of routine questions
   * @param whole    as in [[newest]]
   */
  def recent(since: Long, isEnough: HubSnapshot => Boolean, pace: Pace, checkWanted: () => Unit)(
      whole: Option[HubSnapshot] => HubSnapshot
  )(question: Question): HubSnapshot = {
    val now = clock.getTimeMillis()
    val (state, isSeldom) = synchronized {
      val before = lookedMillis
      lookedMillis = now
      val usable = known.filter { found =>
        !isOutdated && found.oldestMillis >= since && !mayNotGoOn(now, pace) && !isPartLeft(found, now - before, pace)
      }
      (usable, now - before >= pace.roundMillis && usable.exists(now - _.oldestMillis >= pace.roundMillis))
    }
    state.filter(found => !isSeldom || pace.isLimited && isEnough(found.state)).fold {
      newest(math.max(since, pace.roundSince(now)), checkWanted)(whole)
    } { found =>
      askDue(now, found, question, pace)
      synchronized(known.fold(found.state)(_.state))
    }
  }

  /** Whether the last question failed, and nothing that came since says that the hub can be read. */
  private def mayNotGoOn(now: Long, pace: Pace): Boolean = failure.exists {
    case unanswered: EventHubsException if unanswered.condition.mayPass => now - newsMillis >= pace.patienceMillis
    case _ => true
  }

  /**
   * Whether a partition has not answered while others did, again and again. The whole question names it. Where nothing
   * answers, events may come nevertheless.
   */
  private def isPartLeft(found: Answered, sinceLook: Long, pace: Pace): Boolean =
    pace.isLimited && found.newestMillis - found.oldestMillis >= 4 * (pace.roundMillis + sinceLook) + pace.patienceMillis

  /** Asks about the partitions that are due since the last question: a caller may come rarely. */
  private def askDue(now: Long, found: Answered, question: Question, pace: Pace): Unit = {
    def isDue(calls: Int) = now - askedMillis >= ManagementRateLimiter.routineMillis(calls)
    val begun = synchronized {
      Some(found.partMillis.size).filter(size => asking.isEmpty && isDue(math.min(size, PartSize) + 1)).flatMap {
        size =>
          val parts = oldestFirst(found).take(pace.due(size, now - askedMillis)).grouped(PartSize).map(_.sorted).toSeq
          Option.when(isDue(parts.map(_.size + 1).sum)) {
            askedMillis = now
            triedMillis ++= parts.flatten.map(_ -> now)
            val classes = Thread.currentThread.getContextClassLoader
            val task = new FutureTask[Unit](() => Utils.withContextClassLoader(classes)(askParts(parts, question)), ())
            asking = Some((question.asker, task))
            task
          }
      }
    }
    begun.foreach { task =>
      try background.execute(task)
      catch {
        case notStarted: Throwable =>
          synchronized { asking = None }
          throw notStarted
      }
    }
  }

  /** The partitions by the time of their last answer or try. */
  private def oldestFirst(found: Answered): Seq[Int] = found.partMillis.toSeq.sortBy { case (id, answered) =>
    (math.max(answered, triedMillis.getOrElse(id, 0L)), id)
  }.map(_._1)

  private def askParts(parts: Seq[Seq[Int]], question: Question): Unit =
    try parts.foreach(part => if (!synchronized(isOutdated)) askPart(part, question))
    catch {
      case _: AbandonedQuestionException => ()
      // A class of the user's credential may be missing.
      case failed: LinkageError => synchronized { failure = Some(failed) }
      case NonFatal(failed) => synchronized { failure = Some(failed) }
    } finally synchronized { asking = asking.filter(_._1 ne question.asker) }

  /** A partition that does not answer is no reason not to ask about the others. */
  private def askPart(part: Seq[Int], question: Question): Unit =
    try { val _ = askAgain(part)(question.ask) }
    catch { case slow: EventHubsException if slow.condition.mayPass => synchronized { failure = Some(slow) } }

  /**
   * Asks about some partitions again.
   *
   * @param ask None when the hub has changed
   * @return the state with the answer; None when nothing of it counts any more
   */
  def askAgain(partitions: Seq[Int])(
      ask: (HubSnapshot, Seq[Int]) => Option[Map[Int, PartitionBounds]]
  ): Option[HubSnapshot] = synchronized(known).flatMap { before =>
    val now = clock.getTimeMillis()
    val found = ask(before.state, partitions)
    synchronized {
      if (found.isEmpty) isOutdated = true
      for (bounds <- found; current <- known if current.state.generation == before.state.generation) yield {
        // A newer answer may have come meanwhile.
        val newer = bounds.filter { case (id, _) => current.partMillis.get(id).forall(_ <= now) }
        answered(
          now,
          current.state.copy(bounds = current.state.bounds ++ judged(newer)),
          current.partMillis -- newer.keys
        )
      }
    }
  }

  /** Adds partitions that the answers about the hub have left out, if it is still the same one. */
  def add(left: HubSnapshot): Unit = synchronized {
    known = known.map { found =>
      val state = found.state
      if (state.generation != left.generation) found
      else {
        val added = (left.bounds.keySet -- state.bounds.keySet).map(_ -> clock.getTimeMillis())
        val whole = state.copy(bounds = left.bounds ++ state.bounds, unread = left.unread ++ state.unread)
        found.copy(state = whole, partMillis = found.partMillis ++ added)
      }
    }
  }

  /**
   * Events before these ends exist in this generation of the hub. Those of another epoch prove nothing: the region
   * before a promotion may have had more.
   */
  def prove(generation: HubGeneration.CreatedAt, ends: Map[Int, Known]): Unit = synchronized {
    known.filter(_.state.generation == generation).foreach { found =>
      val raised = for {
        (id, end) <- ends
        bounds <- found.state.bounds.get(id)
        if proven.get(id).forall(_ < end.next) && end.epoch == bounds.epoch
      } yield id -> end.next
      if (raised.nonEmpty) {
        newsMillis = clock.getTimeMillis()
        proven ++= raised
        doubts = raised.keys.foldLeft(doubts)(_.without(_))
        known = Some(found.copy(state = found.state.withEnds(raised)))
      }
    }
  }

  /** The caller reads no longer: a question that it asks for all is given up. */
  def leave(asker: AnyRef): Unit = synchronized(asking.filter(_._1 eq asker)).foreach { case (_, task) =>
    task.cancel(true)
    synchronized { asking = asking.filter(_._1 ne asker) }
  }

  private def answered(now: Long, state: HubSnapshot, others: Map[Int, Long]): HubSnapshot = {
    failure = None
    newsMillis = clock.getTimeMillis()
    if (known.isEmpty) lookedMillis = newsMillis
    val raised = state.withEnds(proven)
    val hubMillis =
      known.filter(_.state.generation == state.generation).fold(now)(found => math.max(found.hubMillis, now))
    val partMillis = state.bounds.keysIterator.map(id => id -> others.getOrElse(id, now)).toMap
    known = Some(Answered(raised, partMillis, hubMillis))
    raised
  }

  /** Answers after which proven events are gone count as they are. The others keep the proven end. */
  private def judged(answers: Map[Int, PartitionBounds]): Map[Int, PartitionBounds] = {
    answers.foreach { case (id, found) =>
      proven.get(id).foreach { next =>
        val epoch = known.flatMap(_.state.bounds.get(id)).flatMap(_.epoch)
        val (judged, verdict) = doubts.answer(id, Known(next, epoch), Some(found), clock.getTimeMillis())
        doubts = judged
        verdict match {
          case Verdict.Retained(_) | Verdict.AskAgain => ()
          case _ => proven -= id
        }
      }
    }
    answers
  }

  private def forgetProof(): Unit = {
    proven = Map.empty
    doubts = rules
  }
}

private[spark] object HubAnswers {

  /** An answer about so many partitions at a time counts before the round of a large hub is over. */
  private val PartSize = 32

  /** A hub that no query has looked at for so long needs no routine questions. */
  private val UnusedMillis = 10L * 60 * 1000

  /** The part of the time between two looks that questions may take. */
  private val Busy = 0.9

  /**
   * The pace of routine questions about a hub.
   *
   * @param roundMillis    how long one question about each partition of all hubs takes; 0 when nothing limits it
   * @param patienceMillis how long unanswered questions do not matter while events come
   */
  final case class Pace(roundMillis: Long, patienceMillis: Long) {
    def isLimited: Boolean = roundMillis > 0

    /** How many of a hub's partitions are due after this time. It leaves room for the calls about the hub itself. */
    def due(partitions: Int, millis: Long): Int = {
      val inTime = Busy * partitions * math.min(millis, roundMillis) / math.max(1L, roundMillis)
      math.max(PartSize.toLong, (inTime * PartSize / (PartSize + 1)).toLong).toInt
    }

    /** Answers to questions since then are of the last round. Nothing is, where nothing limits the questions. */
    def roundSince(nowMillis: Long): Long = if (isLimited) nowMillis - roundMillis + 1 else Long.MaxValue
  }

  /**
   * A routine question.
   *
   * @param asker who gives it up when it stops
   * @param ask   the answers about some partitions; None when the hub has changed
   */
  final case class Question(asker: AnyRef, ask: (HubSnapshot, Seq[Int]) => Option[Map[Int, PartitionBounds]])

  /** @param partMillis when each partition was asked about */
  private final case class Answered(state: HubSnapshot, partMillis: Map[Int, Long], hubMillis: Long) {
    val oldestMillis: Long = if (partMillis.isEmpty) hubMillis else partMillis.values.min
    val newestMillis: Long = if (partMillis.isEmpty) hubMillis else math.max(hubMillis, partMillis.values.max)
  }
}
