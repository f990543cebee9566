package org.apache.spark.eventhubs.service

import java.time.{Duration, Instant}

import org.apache.spark.eventhubs.connection.PartitionBounds
import org.apache.spark.eventhubs.generation.HubGeneration
import testkit.TestSuite

/** What answers of the service mean. The time is a number. */
class HubRulesSuite extends TestSuite {

  private def answer(latest: Long, epoch: Option[Int] = None, enqueuedMillis: Long = 0) =
    PartitionBounds(0, latest, "x", Instant.ofEpochMilli(enqueuedMillis), epoch)

  /** The rules of one partition. */
  private class Partition(known: Known, limit: Duration = Duration.ofMinutes(1)) {
    private var rules = HubRules.of(limit)

    def says(found: PartitionBounds, at: Double = 0, enough: Long = Long.MaxValue): Verdict =
      judge(Some(found), at, enough)

    def isRefused(at: Double): Verdict = judge(None, at, Long.MaxValue)

    private def judge(found: Option[PartitionBounds], at: Double, enough: Long): Verdict = {
      val (after, verdict) = rules.answer(0, known, found, (at * 1000).toLong, enough)
      rules = after
      verdict
    }

    def isInDoubt: Boolean = rules.isInDoubt
  }

  test("an answer that has what is known counts at once") {
    val full = answer(10)
    assert(new Partition(Known(10)).says(full) == Verdict.Retained(full))
    val later = answer(10, Some(2))
    assert(new Partition(Known(10, Some(1))).says(later) == Verdict.Retained(later), "also from a later epoch")
  }

  test("four answers in a row, over ten seconds, show that the events are gone") {
    val few = new Partition(Known(10))
    assert(Seq[Double](0, 5, 20).map(few.says(answer(7), _)).forall(_ == Verdict.AskAgain))
    val expected = Verdict.Shrunk(answer(7), "the next event to arrive is 7, as 4 answers of the service in a row say")
    assert(few.says(answer(7), 21) == expected)
    val quick = new Partition(Known(10))
    assert(Seq[Double](0, 1, 2, 3, 9.9).map(quick.says(answer(7), _)).forall(_ == Verdict.AskAgain))
    assert(quick.says(answer(7), 10).isInstanceOf[Verdict.Shrunk])
  }

  test("answers agree over half the operation timeout, if that is shorter") {
    val partition = new Partition(Known(10), Duration.ofSeconds(4))
    assert(Seq[Double](0, 0.5, 1, 1.9).map(partition.says(answer(7), _)).forall(_ == Verdict.AskAgain))
    assert(partition.says(answer(7), 2).isInstanceOf[Verdict.Shrunk])
  }

  test("an answer that has all events ends a doubt") {
    val partition = new Partition(Known(10))
    Seq[Double](0, 4, 8).foreach(partition.says(answer(7), _))
    assert(partition.isInDoubt && partition.says(answer(10), 12) == Verdict.Retained(answer(10)))
    assert(!partition.isInDoubt)
    assert(Seq[Double](13, 16, 19).map(partition.says(answer(7), _)).forall(_ == Verdict.AskAgain))
  }

  test("an answer that has enough of the events is not in doubt, and does not end a doubt either") {
    val partition = new Partition(Known(10))
    Seq[Double](0, 4, 8).foreach(partition.says(answer(7), _))
    assert(partition.says(answer(7), 9, enough = 7) == Verdict.Retained(answer(7)))
    assert(partition.says(answer(6), 10, enough = 7).isInstanceOf[Verdict.Shrunk])
  }

  test("a later epoch explains at once why events are gone") {
    val partition = new Partition(Known(10, Some(1)))
    assert(partition.says(answer(7, Some(2))) ==
      Verdict.Promoted("the range was planned for epoch 1, but this is epoch 2"))
    assert(!partition.isInDoubt)
  }

  test("only a promotion makes a partition of a geo-replicated hub shorter, also before its first new event") {
    val partition = new Partition(Known(10, Some(1)))
    assert(Seq[Double](0, 5, 10).map(partition.says(answer(7, Some(1)), _)).forall(_ == Verdict.AskAgain))
    assert(partition.says(answer(7, Some(1)), 11) ==
      Verdict.Promoted("the next event to arrive is 7, as 4 answers of the service in a row say"))
  }

  test("a hub of an earlier epoch than planned is another one, because epochs never decrease") {
    val partition = new Partition(Known(10, Some(3)))
    Seq[Double](0, 4, 8).foreach(partition.says(answer(7, Some(0)), _))
    assert(partition.says(answer(7, Some(0)), 10).isInstanceOf[Verdict.Shrunk])
  }

  test("an answer of an epoch before the answered one lags behind, whatever its end") {
    val answered = new Partition(Known(10, Some(2), isEpochAnswered = true))
    assert(answered.says(answer(12, Some(1))) == Verdict.AskAgain)
    val fromAnEvent = new Partition(Known(10, Some(2)))
    assert(fromAnEvent.says(answer(12, Some(1))) == Verdict.Retained(answer(12, Some(1))))
  }

  test("an answer whose last event is older than a known event lacks it, whatever its end") {
    val partition = new Partition(Known(7, Some(1), enqueuedMillis = Some(6)))
    assert(partition.says(answer(1000, Some(1), enqueuedMillis = 5)) == Verdict.AskAgain)
    val newer = answer(7, Some(1), enqueuedMillis = 6)
    assert(partition.says(newer) == Verdict.Retained(newer))
  }

  test("a known partition is missing when the service refuses it four times, over ten seconds") {
    val partition = new Partition(Known(0))
    assert(Seq[Double](0, 5, 10).map(partition.isRefused(_)).forall(_ == Verdict.AskAgain))
    assert(partition.isRefused(11) == Verdict.Missing)
    assert(partition.says(answer(0), 12) == Verdict.Retained(answer(0)))
  }

  test("each partition has its own doubt") {
    val start = HubRules.of(Duration.ofMinutes(1))
    val first = Seq(0L, 5000L, 10000L).foldLeft(start)((rules, at) =>
      rules.answer(0, Known(10), Some(answer(7)), at)._1
    )
    assert(first.answer(1, Known(10), Some(answer(7)), 20000)._2 == Verdict.AskAgain)
    assert(first.answer(0, Known(10), Some(answer(7)), 20000)._2.isInstanceOf[Verdict.Shrunk])
  }

  test("a hub with another creation time is a recreated one, unless any hub is meant") {
    val (old, recreated) = (HubGeneration.CreatedAt(Instant.EPOCH), HubGeneration.CreatedAt(Instant.MAX))
    assert(HubRules.recreated(old, old).isEmpty)
    assert(HubRules.recreated(HubGeneration.of(old, Map(0 -> 1)), old).isEmpty)
    assert(HubRules.recreated(old, recreated).map(_.facts).contains(
      s"the range was planned for $old, but this is $recreated"
    ))
    assert(HubRules.recreated(HubGeneration.Unchecked("reader"), recreated).isEmpty)
  }

  test("only a later epoch than the planned one shows a promotion") {
    assert(HubRules.promotion(Some(1), Some(2)).nonEmpty)
    assert(HubRules.promotion(Some(2), Some(2)).isEmpty && HubRules.promotion(Some(2), Some(1)).isEmpty)
    assert(HubRules.promotion(None, Some(2)).isEmpty && HubRules.promotion(Some(2), None).isEmpty)
  }
}
