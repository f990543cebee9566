package org.apache.spark.eventhubs.rdd

import org.scalatest.Assertions

import org.apache.spark.eventhubs.connection.FakeHub
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.{EventHubsException, NameAndPartition, TestSettings}
import org.apache.spark.{TaskContext, TaskContextImpl}

/** Reads ranges of partition 0 of a fake hub as a task does. */
private[rdd] final class RangeFixture(failOnDataLoss: Boolean = true, options: Seq[(String, String)] = Nil)
    extends Assertions {

  val hub = new FakeHub(1)
  val partition = hub.partitions(0)
  partition.latest = 1000
  val clock = new TickingClock
  val resources = new ExecutorResources(hub.connect, _ => throw new AssertionError("nothing is written"), clock)
  val settings = TestSettings.stream(options :+ ("failOnDataLoss" -> failOnDataLoss.toString): _*)
  var context: TaskContextImpl = TaskContext.empty()
  var lost = 0L
  var skipped = 0L
  var startsAtEarliest = false
  var generation: HubGeneration = TestSettings.generation

  def iterator(from: Long, until: Long, reuse: Boolean = true): EventRangeIterator = new EventRangeIterator(
    OffsetRange(NameAndPartition("telemetry", 0), from, until, startsAtEarliest = startsAtEarliest),
    settings,
    resources,
    context,
    reuse,
    generation,
    lost += _,
    skipped += _
  )

  def read(from: Long, until: Long): Seq[Long] = iterator(from, until).map(_.sequenceNumber).toList

  def failure(from: Long, until: Long): EventHubsException = {
    val error = intercept[EventHubsException](read(from, until))
    context.markTaskCompleted(Some(error))
    assert(hub.openLinks.isEmpty, "a failed task leaves no link")
    error
  }
}
