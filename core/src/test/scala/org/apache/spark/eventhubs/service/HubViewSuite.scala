package org.apache.spark.eventhubs.service

import java.time.{Duration, Instant}

import scala.collection.mutable

import org.apache.spark.eventhubs.JumpingClock
import org.apache.spark.eventhubs.connection.PartitionBounds
import testkit.TestSuite

/** When the service is asked again. */
class HubViewSuite extends TestSuite {

  private type Ends = Map[Int, Long]

  private class Fixture(answers: Seq[Ends], checkCancelled: () => Unit = () => ()) {
    val clock = new JumpingClock
    val asked = mutable.ArrayBuffer.empty[(Long, Seq[Int])]
    private val left = mutable.Queue(answers: _*)
    private val view = new HubView(Duration.ofMinutes(1), clock, checkCancelled)

    /** All partitions are known to have 10 events. */
    def believed(first: Ends): Ends = view.believed(first) { ends =>
      ends.toSeq.map { case (id, end) => (id, Known(10), Some(PartitionBounds(0, end, "x", Instant.EPOCH))) }
    } { (before, doubtful) =>
      asked += clock.getTimeMillis() -> doubtful
      before ++ (if (left.isEmpty) Map.empty[Int, Long] else left.dequeue())
    }
  }

  test("without doubt nothing is asked again") {
    val f = new Fixture(Nil)
    assert(f.believed(Map(0 -> 10L, 1 -> 12L)) == Map(0 -> 10L, 1 -> 12L))
    assert(f.asked.isEmpty)
  }

  test("only partitions in doubt are asked about again") {
    val f = new Fixture(Seq(Map(1 -> 9L, 2 -> 10L), Map(1 -> 11L)))
    assert(f.believed(Map(0 -> 10L, 1 -> 7L, 2 -> 7L)) == Map(0 -> 10L, 1 -> 11L, 2 -> 10L))
    assert(f.asked.map(_._2) == Seq(Seq(1, 2), Seq(1)))
  }

  test("the pauses between questions grow, and answers that agree are believed after ten seconds") {
    val f = new Fixture(Nil)
    assert(f.believed(Map(0 -> 7L)) == Map(0 -> 7L))
    val times = f.asked.map(_._1)
    val pauses = times.zip(0L +: times).map { case (at, before) => at - before }
    assert(pauses.head < 500 && pauses.last > 2000 && times.last >= 10000 && times.last < 20000)
  }

  test("a caller that is to stop does not ask again") {
    val f = new Fixture(Nil, () => throw new InterruptedException("stopped"))
    intercept[InterruptedException](f.believed(Map(0 -> 7L)))
    assert(f.asked.isEmpty)
  }
}
