package org.apache.spark.eventhubs.send

import java.time.Duration
import java.util.concurrent.ConcurrentLinkedQueue

import org.apache.spark.util.ManualTime

/** Time passes only while the task waits for a result; what the test does meanwhile is `whenIdle`. */
final class ManualSendResults(whenIdle: () => Unit = () => (), val clock: ManualTime = new ManualTime)
    extends SendResults {
  private val results = new ConcurrentLinkedQueue[SendResult]

  /** How often the task waited for no time at all. */
  var emptyWaits = 0

  override def post(result: SendResult): Unit = { results.add(result); () }
  override def poll(): Option[SendResult] = Option(results.poll())
  override def await(nanos: Long): Option[SendResult] = poll().orElse {
    if (nanos <= 0) emptyWaits += 1
    assert(emptyWaits < 1000, "waiting for no time at all, again and again")
    pass(Duration.ofNanos(nanos))
    whenIdle()
    poll()
  }

  def elapsed: Duration = Duration.ofNanos(clock.nanoTime())

  def pass(time: Duration): Unit = {
    clock.advance(time)
    assert(elapsed.compareTo(Duration.ofHours(1)) < 0, "nothing happened for an hour")
  }
}
