package org.apache.spark.eventhubs.connection

import scala.collection.mutable

import org.apache.spark.util.ManualClock

/**
 * Questions that many JVMs ask the service at the same time, in simulated time. Each JVM has the connector's own rate
 * limiter. The service answers a fixed number in each second and refuses the others; a refused question is asked again
 * when the limiter allows it.
 *
 * @param perSecond that the service answers
 */
final class QuestionQueue(perSecond: Int) {

  import QuestionQueue._

  /**
   * @param ofJvms the number of questions that each JVM asks at the start
   * @return refused questions, and seconds until the last one is answered
   */
  def ask(ofJvms: Seq[Int]): (Int, Double) = {
    val waiting = mutable.PriorityQueue.empty[Attempt](Ordering.by[Attempt, Long](_.nanos).reverse)
    ofJvms.zipWithIndex.foreach { case (questions, seed) =>
      val jvm = new Jvm(seed)
      (1 to questions).foreach(_ => waiting += jvm.next(0L))
    }
    val answered = mutable.Queue.empty[Long]
    var (refused, last) = (0, 0L)
    while (waiting.nonEmpty) {
      val attempt = waiting.dequeue()
      while (answered.headOption.exists(_ <= attempt.nanos - 1000000000L)) answered.dequeue()
      if (answered.size < perSecond) {
        answered += attempt.nanos
        last = attempt.nanos
      } else {
        refused += 1
        attempt.jvm.clock.setTime(attempt.nanos / 1000000)
        attempt.jvm.limiter.refused()
        waiting += attempt.jvm.next(attempt.nanos)
      }
    }
    (refused, last / 1e9)
  }
}

private object QuestionQueue {

  private final case class Attempt(nanos: Long, jvm: Jvm)

  private final class Jvm(seed: Int) {
    private val random = new scala.util.Random(seed)
    val clock = new ManualClock(0L)
    val limiter = new ManagementRateLimiter(Some(ManagementRateLimiter.PerSecond), clock, () => random.nextDouble())

    def next(nanos: Long): Attempt = {
      clock.setTime(nanos / 1000000)
      Attempt(nanos + limiter.nanosToTurn(), this)
    }
  }
}
