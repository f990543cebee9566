package org.apache.spark.eventhubs.rdd

import java.time.Instant

import org.apache.spark.eventhubs.connection.PartitionBounds
import org.apache.spark.eventhubs.rdd.ReadAction._
import org.apache.spark.eventhubs.service.Verdict
import org.apache.spark.eventhubs.{DataLoss, NameAndPartition, TestSettings}
import testkit.TestSuite

/** What a read does next, without a link and a clock. */
class ReadRulesSuite extends TestSuite {

  private val silence = 5000L

  private def rules(from: Long, until: Option[Long], earliest: Boolean, options: Seq[(String, String)]): ReadRules =
    new ReadRules(
      OffsetRange(NameAndPartition("telemetry", 0), from, until.getOrElse(from), startsAtEarliest = earliest),
      hasEnd = until.isDefined,
      TestSettings.stream(options: _*),
      silence,
      nowMillis = 0,
      random = () => 0.5
    )

  private def rules(from: Long, until: Long, options: (String, String)*): ReadRules =
    rules(from, Some(until), earliest = false, options)

  private def unbounded(from: Long, options: (String, String)*): ReadRules =
    rules(from, None, earliest = false, options)

  private def retained(earliest: Long, latest: Long) =
    Verdict.Retained(PartitionBounds(earliest, latest, "", Instant.EPOCH))

  private def losses(actions: Seq[ReadAction]): Seq[(DataLoss.Kind, Long, Long)] = actions.collect {
    case Report(loss) => (loss.kind, loss.fromSeqNo, loss.untilSeqNo)
  }

  private def take(rules: ReadRules, seqNos: Seq[Long]): Unit =
    seqNos.foreach(n => assert(rules.expected == n && rules.take(n, isDraining = false)))

  test("an event after the end is no part of the range, and ends it") {
    val r = rules(3, 5)
    take(r, Seq(3L, 4L))
    assert(r.isOver)
    val compacted = rules(3, 5, "eventhubs.compacted" -> "true")
    assert(compacted.gap(found = 9, earliest = 0).isEmpty && compacted.absent == 2 && compacted.isOver)
  }

  test("a gap is confirmed by a second link and by one at the beginning before it is a loss") {
    val r = rules(3, 20)
    assert(r.gap(found = 8, earliest = 0) == Seq(Reopen(3)))
    assert(r.gap(found = 8, earliest = 0) == Seq(Reopen(0)))
    r.waitsAt(0)
    assert(r.isFirstRetained)
    val actions = r.gap(found = 1, earliest = 1)
    assert(losses(actions) == Seq((DataLoss.Kind.Gap, 3L, 8L)) && actions.last == Reopen(8) && r.expected == 8)
  }

  test("without failOnDataLoss a second link is enough") {
    val r = rules(3, 20, "failOnDataLoss" -> "false")
    assert(r.gap(found = 8, earliest = 0) == Seq(Reopen(3)))
    assert(losses(r.gap(found = 8, earliest = 0)) == Seq((DataLoss.Kind.Gap, 3L, 8L)) && r.expected == 8)
  }

  test("what one of two links has brought is no part of the gap") {
    val lenient = "failOnDataLoss" -> "false"
    val r = rules(3, 20, lenient)
    r.gap(found = 5, earliest = 0)
    val actions = r.gap(found = 8, earliest = 0)
    assert(losses(actions) == Seq((DataLoss.Kind.Gap, 3L, 5L)) && actions.last == Reopen(5) && r.expected == 5)
    val facts = actions.collect { case Report(loss) => loss.details }
    assert(facts == Seq("event 5 came next, and over another link event 8"))
    val other = rules(3, 20, lenient)
    other.gap(found = 8, earliest = 0)
    assert(losses(other.gap(found = 5, earliest = 0)) == Seq((DataLoss.Kind.Gap, 3L, 5L)) && other.expected == 5)
  }

  test("a link that was opened at the beginning shows what has expired, whatever the service answered") {
    val r = rules(3, 20)
    r.gap(found = 8, earliest = 0)
    r.gap(found = 8, earliest = 0)
    r.waitsAt(0)
    assert(losses(r.gap(found = 8, earliest = 8)) == Seq((DataLoss.Kind.Expired, 3L, 8L)) && r.expected == 8)
    r.take(8, isDraining = false)
    r.waitsAt(9)
    assert(!r.isFirstRetained)
  }

  test("a link that was reopened elsewhere meanwhile shows nothing about the beginning") {
    val r = rules(3, 20)
    r.gap(found = 8, earliest = 0)
    r.gap(found = 8, earliest = 0)
    r.waitsAt(3)
    assert(!r.isFirstRetained)
  }

  test("events that expire before the first read of a start `earliest` are no loss; after it they are") {
    val r = rules(0, Some(20), earliest = true, Nil)
    assert(r.gap(found = 7, earliest = 7) == Seq(SkipAtStart(0, 7)))
    take(r, Seq(7L))
    assert(losses(r.gap(found = 12, earliest = 12)) == Seq((DataLoss.Kind.Expired, 8L, 12L)))
  }

  test("a part of a gap expired: the rest needs another link") {
    val r = rules(3, 20)
    val actions = r.gap(found = 8, earliest = 5)
    assert(losses(actions) == Seq((DataLoss.Kind.Expired, 3L, 5L)) && actions.last == Reopen(5))
  }

  test("an older event than the expected one is no evidence when the link did not begin at the beginning") {
    val r = rules(3, 20)
    r.gap(found = 8, earliest = 0)
    r.waitsAt(3)
    assert(r.gap(found = 2, earliest = 0) == Seq(Reopen(3)) && r.expected == 3)
  }

  test("a silent range is asked about, its link is reopened, and at last the read fails") {
    val r = rules(0, 10)
    val timeout = TestSettings.stream().connection.operationTimeout.toMillis
    val first = r.firstWaitMillis
    assert(first == silence)
    r.silent(first, first, reopened = 0)
    assert(r.question(first, isDrained = false, isInDoubt = false).contains(Ask(isDrained = false)))
    assert(r.answer(retained(0, 10), isDrained = false, position = 0, first).isEmpty)
    assert(r.question(first, isDrained = false, isInDoubt = false).isEmpty && r.patience(first, false).isEmpty)
    val half = timeout / 2
    assert(r.patience(half, isListening = true).isEmpty)
    assert(r.patience(half, isListening = false).contains(Reopen(0)))
    assert(r.patience(half + 1, isListening = false).isEmpty)
    assert(r.patience(timeout, isListening = false).contains(Fail(timeout, None)))
  }

  test("a lost link makes the next question urgent; an own reopening does not") {
    val r = rules(0, 10)
    r.silent(silence, silence, reopened = 0)
    (1 to 5).foreach(_ => r.answer(Verdict.Missing, isDrained = false, position = 0, silence))
    val later = silence + 1000
    r.linkReopened(1)
    r.silent(later, 1000, reopened = 1)
    assert(r.waitMillis(later) > silence)
    r.silent(later, 0, reopened = 2)
    assert(r.waitMillis(later) == silence)
  }

  test("of a compacted range, what is missing at the end is passed after the answer to a drain") {
    val r = rules(0, 10, "eventhubs.compacted" -> "true")
    val first = r.firstWaitMillis
    assert(first < silence)
    r.silent(first, first, reopened = 0)
    assert(r.question(first, isDrained = false, isInDoubt = false).contains(Drain))
    r.drained(0)
    assert(r.question(first, isDrained = false, isInDoubt = false).isEmpty, "it has been drained")
    assert(r.question(first, isDrained = true, isInDoubt = false).contains(Ask(isDrained = true)))
    assert(r.wanted(isDrained = true) == 10)
    val actions = r.answer(retained(4, 10), isDrained = true, position = 0, first)
    assert(losses(actions) == Seq((DataLoss.Kind.Expired, 0L, 4L)) && actions.last == SkipTo(10))
    assert(r.isOver && r.absent == 6)
  }

  test("a doubtful answer about a range opens another link, and the rest is lost when the doubt is over") {
    val r = rules(2, 10)
    assert(r.answer(Verdict.AskAgain, isDrained = false, position = 2, 0) == Seq(Reopen(2)))
    assert(losses(r.answer(Verdict.Recreated("facts"), isDrained = false, position = 2, 0)) ==
      Seq((DataLoss.Kind.Recreated, 2L, 10L)))
    assert(r.isOver)
  }

  test("a read without an end opens another link only for events that exist") {
    val r = unbounded(5)
    assert(r.answer(retained(0, 5), isDrained = false, position = 5, 0).isEmpty)
    assert(r.answer(retained(0, 7), isDrained = false, position = 5, 0) == Seq(Reopen(5)))
    val expired = r.answer(retained(9, 9), isDrained = false, position = 5, 0)
    assert(losses(expired) == Seq((DataLoss.Kind.Expired, 5L, 9L)) && expired.last == Reopen(9))
    assert(r.patience(Long.MaxValue, isListening = false).isEmpty, "it need not get an event, ever")
  }

  test("an answer to a read without an end has to have all events that were read, also after one that had fewer") {
    val r = unbounded(0)
    take(r, 0L until 10L)
    assert(r.wanted(isDrained = false) == 10)
    r.answer(retained(0, 5), isDrained = false, position = 10, 0)
    assert(r.wanted(isDrained = false) == 10)
    assert(r.answer(Verdict.AskAgain, isDrained = false, position = 10, 0).isEmpty)
    assert(r.waitMillis(0) == silence, "the next question comes soon")
  }

  test("of a compacted partition without an end, a tail is passed once the link has got all events") {
    val r = unbounded(5, "eventhubs.compacted" -> "true")
    assert(r.question(0, isDrained = true, isInDoubt = false).isEmpty, "nothing was asked")
    assert(r.answer(retained(0, 9), isDrained = false, position = 5, 0) == Seq(Drain))
    r.drained(0)
    take(r, Seq(5L))
    assert(r.question(0, isDrained = true, isInDoubt = false).contains(SkipTo(9)) && r.expected == 9 && r.absent == 3)
    assert(r.question(0, isDrained = true, isInDoubt = false).isEmpty)
  }

  test("a lost link makes the question of a read without an end urgent, also in the first silence") {
    val r = unbounded(0)
    val before = r.waitMillis(0)
    r.arrived(0)
    take(r, Seq(0L))
    r.silent(1000, 1000, reopened = 0)
    assert(r.waitMillis(1000) == silence && before == silence)
    val question = TestSettings.stream().receiverTimeout.toMillis
    assert(r.question(2 * silence, isDrained = false, isInDoubt = false).isEmpty && question > 2 * silence)
    val lost = unbounded(0)
    lost.arrived(0)
    lost.silent(0, 0, reopened = 1)
    assert(lost.question(silence, isDrained = false, isInDoubt = false).contains(Ask(isDrained = false)))
  }

  test("a second gap needs a confirmation of its own") {
    val r = rules(3, 40)
    r.gap(found = 8, earliest = 0)
    r.gap(found = 8, earliest = 0)
    r.waitsAt(0)
    r.gap(found = 1, earliest = 1)
    take(r, Seq(8L))
    assert(r.gap(found = 12, earliest = 0) == Seq(Reopen(9)))
  }

  test("a range whose first events have expired waits for its link; one that has expired as a whole ends") {
    val r = rules(0, 10)
    assert(r.answer(retained(4, 10), isDrained = false, position = 0, 0).isEmpty && r.expected == 0)
    val actions = r.answer(retained(12, 20), isDrained = false, position = 0, 0)
    assert(losses(actions) == Seq((DataLoss.Kind.Expired, 0L, 10L)) && r.isOver)
  }

  test("a compacted range in doubt is drained again before it is asked about") {
    val r = rules(0, 10, "eventhubs.compacted" -> "true")
    r.silent(silence, silence, reopened = 0)
    assert(r.question(silence, isDrained = false, isInDoubt = true).contains(Drain))
    r.drained(0)
    assert(r.question(silence, isDrained = false, isInDoubt = true).contains(Ask(isDrained = false)))
    take(r, Seq(0L))
    r.silent(2 * silence, silence, reopened = 0)
    assert(r.question(2 * silence, isDrained = false, isInDoubt = true).contains(Drain), "an event has come since")
  }

  test("a read without an end restarts in a partition that is shorter, and leaves another hub to the driver") {
    val shrunk = unbounded(9, "failOnDataLoss" -> "false")
    val bounds = PartitionBounds(2, 6, "", Instant.EPOCH)
    val actions = shrunk.answer(Verdict.Shrunk(bounds, "facts"), isDrained = false, position = 9, 0)
    assert(losses(actions) == Seq((DataLoss.Kind.Recreated, 9L, 9L)) && actions.last == Reopen(2))
    val left = unbounded(9, "failOnDataLoss" -> "false")
    assert(left.another(Verdict.Recreated("facts")) == Seq(Leave("facts")) && left.isOver && left.expected == 9)
    assert(losses(unbounded(9).another(Verdict.Promoted("facts"))) == Seq((DataLoss.Kind.FailedOver, 9L, 9L)))
  }

  test("a gap that was suspected before a partition became shorter says nothing of the events after it") {
    val r = unbounded(9, "failOnDataLoss" -> "false")
    assert(r.gap(found = 12, earliest = 0) == Seq(Reopen(9)))
    r.answer(Verdict.Shrunk(PartitionBounds(7, 8, "", Instant.EPOCH), "facts"), isDrained = false, position = 9, 0)
    take(r, Seq(7L, 8L))
    assert(r.gap(found = 12, earliest = 0) == Seq(Reopen(9)))
  }

  test("a question that was cut by the end of a wait is asked again, once") {
    val r = unbounded(0)
    val due = r.firstWaitMillis * 100
    def asks: Boolean = r.question(due, isDrained = false, isInDoubt = false).nonEmpty
    assert(asks)
    r.answer(Verdict.Unanswered(None), isDrained = false, position = 0, due)
    assert(asks)
    r.answer(Verdict.Unanswered(None), isDrained = false, position = 0, due)
    assert(!asks)
    // An event that comes while a question is asked cuts it, too.
    r.answer(Verdict.Unanswered(None), isDrained = false, position = 0, due)
    r.arrived(due)
    val again = due + r.firstWaitMillis * 2
    r.answer(Verdict.Unanswered(None), isDrained = false, position = 0, again)
    assert(r.question(again, isDrained = false, isInDoubt = false).nonEmpty)
  }
}
