package org.apache.spark.eventhubs.rdd

import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.service.Verdict
import org.apache.spark.eventhubs.{DataLoss, EventHubsException}

/**
 * Decides what a read of a partition does next. It takes what has happened (an event that is not the expected one, a
 * silence, an answer of the service), and gives what to do. [[SequenceReader]] does it, and brings the times, in
 * milliseconds of a clock that never goes back.
 *
 * @param hasEnd        whether the events of the range are known to exist; otherwise events may come, and its end is
 *                      ignored
 * @param silenceMillis the longest time until the reader looks whether its link was lost
 * @param random        numbers from 0 to 1, which vary the intervals between questions
 */
private[rdd] final class ReadRules(
    range: OffsetRange,
    hasEnd: Boolean,
    settings: ReadSettings,
    silenceMillis: Long,
    nowMillis: Long,
    random: () => Double
) {

  import ReadAction._
  import ReadRules._

  private val end = if (hasEnd) range.untilSeqNo else Long.MaxValue
  private var next = range.fromSeqNo
  private var hasRead = false
  private var hasLeft = false
  private var compactedAway = 0L

  /** The events before this number have existed, and the link is asked whether it has got all of them. */
  private var drainedUntil = if (hasEnd) end else next

  /** What did not come. Another link has to confirm that. */
  private var suspected = Option.empty[Gap]

  /** A link was opened at the beginning of the partition. Its first event shows what the partition retains. */
  private var isFirstWanted = false
  private var isFirst = false

  /** Half the operation timeout at most, so that a link is reopened at least once before it. */
  private val timeoutMillis = settings.connection.operationTimeout.toMillis
  private val reopenAfterMillis = math.max(1L, math.min(settings.receiverTimeout.toMillis, timeoutMillis / 2))

  /** Counts from the last event, however often the link was reopened. With an end it starts with the first silence. */
  private val timer =
    if (hasEnd) IdleTimer.beforeKnownEvent(silenceMillis, nowMillis, random)
    else IdleTimer.beforeAnyEvent(settings.receiverTimeout, nowMillis, random)
  private val soonMillis = if (hasEnd) timer.firstMillis else silenceMillis
  private var isSilent = false
  private var reopenAtMillis = 0L
  private var reopenedBefore = 0
  private var isAskedAgain = false

  /** How often the link had been reopened when it was drained for the last time; -1 before. */
  private var drainedAfter = -1

  /** Why the last question has no answer. */
  private var unanswered = Option.empty[EventHubsException]

  /** Sequence number of the first event that is neither read nor lost. */
  def expected: Long = next

  /** Whether nothing is left to read. */
  def isOver: Boolean = hasLeft || next >= end

  /** Sequence numbers whose events compaction has removed. */
  def absent: Long = compactedAway

  /** The reader waits for an event of its link, which continues at this number. */
  def waitsAt(seqNo: Long): Unit = isFirst = isFirstWanted && seqNo == Beginning

  /** Whether the event that came is the first one that the partition retains. */
  def isFirstRetained: Boolean = isFirst

  /**
   * An event has come, and none is missing before it.
   *
   * @param isDraining whether the service has not yet said whether an event follows
   * @return false when the event lies after the end of the range
   */
  def take(seqNo: Long, isDraining: Boolean): Boolean = {
    next = seqNo + 1
    isFirstWanted = false
    val isInRange = seqNo < end
    if (isInRange) {
      hasRead = true
      isSilent = false
      // The end of the range is older than an open question, so its answer will count.
      if (!isDraining) drainedAfter = -1
    }
    isInRange
  }

  /**
   * Another event than the expected one has come.
   *
   * @param earliest the first retained event, as far as the service was asked. Its answer may lag behind
   *                 (azure-event-hubs-spark#488). Then the events before the first one that a link at the beginning of
   *                 the partition brings have expired
   */
  def gap(found: Long, earliest: Long): Seq[ReadAction] = {
    isFirstWanted = false
    val until = math.min(found, end)
    if (found < next) {
      // The partition retains an event before the gap, so the events in the gap have not expired.
      val loss = if (isFirst) suspected.map(lost).toSeq else Nil
      loss :+ Reopen(next)
    } else {
      val expired = if (earliest > next) Seq(expire(math.min(earliest, until), earliest)) else Nil
      // Compaction leaves gaps, so only expired events are a loss.
      if (settings.compacted) passAbsent(until)
      if (next == until) expired else expired ++ doubt(Gap(next, until, s"event $found came next, twice"))
    }
  }

  private def doubt(gap: Gap): Seq[ReadAction] = {
    val before = suspected.filter(_.from == gap.from)
    // What one of the two links has brought exists.
    val missing = before.filter(_.until != gap.until).fold(gap) { other =>
      val facts = s"event ${other.until} came next, and over another link event ${gap.until}"
      Gap(next, math.min(other.until, gap.until), facts)
    }
    suspected = Some(missing)
    if (before.isEmpty) Seq(Reopen(next))
    else if (isUnreadStart || settings.failOnDataLoss) {
      isFirstWanted = true
      Seq(Reopen(Beginning))
    } else lost(missing) +: (if (missing.until < gap.until) Seq(Reopen(missing.until)) else Nil)
  }

  private def lost(gap: Gap): ReadAction = lose(DataLoss.Kind.Gap, gap.until, gap.facts)

  private def lose(kind: DataLoss.Kind, until: Long, facts: String): ReadAction = {
    val from = next
    next = until
    Report(DataLoss(kind, range.partitionId, from, until, facts))
  }

  /** The events before `until` have expired. They are lost, unless nothing of an `earliest` start is read. */
  private def expire(until: Long, earliest: Long): ReadAction =
    if (isUnreadStart) {
      val from = next
      next = until
      SkipAtStart(from, until)
    } else lose(DataLoss.Kind.Expired, until, s"the first retained event is $earliest")

  private def isUnreadStart: Boolean = range.startsAtEarliest && !hasRead

  /** No event is before `until`: compaction has removed the rest. */
  private def passAbsent(until: Long): Unit = {
    compactedAway += until - next
    next = until
  }

  /** Whether [[firstWaitMillis]] is the time to wait for the next event, so that no clock has to be read. */
  def isFirstWait: Boolean = hasEnd && !isSilent

  /** A compacted hub is asked soon whether an event follows at all, because the last ones of the range may be gone. */
  val firstWaitMillis: Long =
    if (settings.compacted) math.min(DrainAfterMillis, timer.firstMillis) else timer.firstMillis

  /** How long to wait for an event before there is something else to do. */
  def waitMillis(nowMillis: Long): Long =
    if (hasEnd) math.max(1L, math.min(timer.millisToQuestion(nowMillis), millisToReopen(nowMillis)))
    else math.min(silenceMillis, timer.millisToQuestion(nowMillis))

  private def millisToReopen(nowMillis: Long): Long =
    math.min(reopenAtMillis - nowMillis, timeoutMillis - timer.millis(nowMillis))

  /** Whether it is time for [[patience]], so that an answer is no longer waited for. */
  def isImpatient(nowMillis: Long): Boolean = hasEnd && millisToReopen(nowMillis) <= 0

  /** An event has come to a read without an end. Silence counts from here, not from the end of the checks. */
  def arrived(nowMillis: Long): Unit = {
    timer.restart(nowMillis)
    isAskedAgain = false
  }

  /**
   * No event has come.
   *
   * @param waitedMillis the time that was waited
   * @param reopened     how often the link was opened again, for whatever reason
   */
  def silent(nowMillis: Long, waitedMillis: Long, reopened: Int): Unit = {
    if (isFirstWait) {
      isSilent = true
      timer.restart(nowMillis - waitedMillis)
      reopenAtMillis = nowMillis - waitedMillis + reopenAfterMillis
      // The hub may be away: then the question says so in the log.
    } else if (reopened != reopenedBefore) timer.askWithin(nowMillis, soonMillis)
    reopenedBefore = reopened
  }

  /**
   * What to ask in a silence.
   *
   * @param isDrained whether the service has said that the link has got all events
   * @param isInDoubt whether answers about the partition have lacked known events
   */
  def question(nowMillis: Long, isDrained: Boolean, isInDoubt: Boolean): Option[ReadAction] = {
    // Waiting for a time would prove nothing on a compacted hub.
    val mayDrain = hasEnd && settings.compacted && drainedAfter != reopenedBefore
    if (isDrained && hasEnd) {
      // Without an answer to the questions it is drained again.
      drainedAfter = -1
      Some(Ask(isDrained = true))
    } else if (isDrained) passTail()
    else if (timer.millisToQuestion(nowMillis) == 0 && !(mayDrain && isInDoubt)) Some(Ask(isDrained = false))
    else if (mayDrain) Some(Drain)
    else None
  }

  /** Compaction has removed the last events that the partition had when the link was drained. */
  private def passTail(): Option[ReadAction] = Option.when(next < drainedUntil) {
    passAbsent(drainedUntil)
    SkipTo(next)
  }

  /** The events before this number are waited for, or were read. */
  def wanted(isDrained: Boolean): Long = if (isDrained) end else if (hasEnd) next + 1 else next

  /** @param position where the link continues */
  def answer(verdict: Verdict, isDrained: Boolean, position: Long, nowMillis: Long): Seq[ReadAction] = {
    // A question that fell due as the caller's time ended is asked again in its next wait; once, if that is too short.
    val isCut = !hasEnd && verdict == Verdict.Unanswered(None)
    if (!isCut || isAskedAgain) timer.asked(nowMillis)
    isAskedAgain = isCut && !isAskedAgain
    unanswered = None
    verdict match {
      // Of a recreated hub and a promoted region, the driver finds out where they continue.
      case Verdict.Shrunk(bounds, facts) if !hasEnd =>
        val loss = Report(DataLoss.shrunk(range.partitionId, next, facts))
        next = bounds.earliest
        // A gap of the events before says nothing of those that have their numbers now.
        suspected = None
        loss +: continue(bounds.latest, position).toSeq
      case gone: Verdict.Gone => another(gone)
      case Verdict.Retained(bounds) =>
        val earliest = math.min(bounds.earliest, end)
        val mayExpire = isDrained || earliest == end || !hasEnd
        val expired = if (mayExpire && earliest > next) Seq(expire(earliest, bounds.earliest)) else Nil
        expired ++ (if (isDrained) passTail() else continue(bounds.latest, position))
      case Verdict.AskAgain =>
        timer.askWithin(nowMillis, soonMillis)
        // If the events exist, a new link brings them.
        if (hasEnd) Seq(Reopen(next)) else continue(next, position).toSeq
      // The service may be slow, busy or away, and the events may still come.
      case Verdict.Unanswered(why) =>
        unanswered = why
        Nil
      case Verdict.Missing => Nil
    }
  }

  /** Another link brings the events before `latest` to a read without an end, if the present one does not. */
  private def continue(latest: Long, position: Long): Option[ReadAction] =
    if (hasEnd || latest <= next && position == next) None
    else if (settings.compacted && position == next) {
      drainedUntil = latest
      Some(Drain)
    } else Some(Reopen(next))

  /**
   * The hub is another one than planned, or another region, with other events under these numbers. The driver finds
   * that when it plans the next batch, which starts with that hub's first event. After a read without an end it counts
   * the loss, too.
   */
  def another(gone: Verdict.Gone): Seq[ReadAction] =
    if (hasEnd) Seq(lose(gone.kind, end, gone.facts))
    else {
      hasLeft = true
      Seq(if (settings.failOnDataLoss) lose(gone.kind, next, gone.facts) else Leave(gone.facts))
    }

  /**
   * Reopens the link from time to time while events that exist do not come, up to the operation timeout.
   *
   * @param isListening whether a new link would have to be listened to from its start
   */
  def patience(nowMillis: Long, isListening: Boolean): Option[ReadAction] = {
    val silentMillis = timer.millis(nowMillis)
    if (!hasEnd || isOver) None
    else if (silentMillis >= timeoutMillis) Some(Fail(silentMillis, unanswered))
    else if (nowMillis >= reopenAtMillis && !isListening) {
      reopenAtMillis = nowMillis + reopenAfterMillis
      Some(Reopen(next))
    } else None
  }

  /** The reader has drained its link. That may have opened another one. */
  def drained(reopened: Int): Unit = drainedAfter = reopened

  /** The reader has reopened its link, not because the hub may be away. */
  def linkReopened(reopened: Int): Unit = if (hasEnd) reopenedBefore = reopened
}

private[rdd] object ReadRules {

  /** Where a link begins with the first retained event. */
  private val Beginning = 0L

  /** Longer than a round trip, so that a range that has all its events asks nothing. */
  private val DrainAfterMillis = 300L

  /** Sequence numbers whose events did not come. @param until exclusive */
  private final case class Gap(from: Long, until: Long, facts: String)
}
