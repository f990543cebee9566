package org.apache.spark.sql.eventhubs.source

import java.util.concurrent.locks.LockSupport

import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.spark.eventhubs.connection.{AzureEventHubsClient, EventHubsProducerClient}
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.{ReadMode, ReadSettings}
import org.apache.spark.eventhubs.rdd.{EventRangeIterator, OffsetRange}
import org.apache.spark.eventhubs.{Background, NameAndPartition}
import org.apache.spark.util.{Clock, ManualClock, SystemClock}
import org.apache.spark.{TaskContext, TaskContextImpl}
import testkit.TestSuite

/** The resources that reads keep open over AMQP, and that they close all of them. */
class ReadResourcesSuite extends TestSuite with ReadHubFixture {

  private val partitions = 4

  private class Fixture(newClock: => Clock = new ManualClock(0L), more: Seq[(String, String)] = Nil) {
    val name: String = newHub(partitions)
    // The default depends on the number of cores.
    private val connections = "eventhubs.maxConnections" -> partitions.toString
    val settings: ReadSettings = ReadSettings.parse(options(name, connections +: more), ReadMode.Stream)
    val clock: Clock = newClock
    val resources = new ExecutorResources(new AzureEventHubsClient(_), EventHubsProducerClient.open, clock)

    /** @param isFollowed whether a later range continues where this one ends */
    def task(partition: Int, from: Long, until: Long, isFollowed: Boolean = true)(use: Iterator[Long] => Unit): Unit = {
      val context: TaskContextImpl = TaskContext.empty()
      val range = OffsetRange(NameAndPartition(name, partition), from, until)
      try
        use(new EventRangeIterator(
          range,
          settings,
          resources,
          context,
          isFollowed,
          HubGeneration.Unchecked("test"),
          _ => ()
        ).map(_.sequenceNumber))
      finally context.markTaskCompleted(None)
    }

    // Idle times would take long in real time; reading itself needs no clock.
    def pass(millis: Long): Unit = clock match {
      case manual: ManualClock => manual.advance(millis)
      case other => fail(s"unexpected $other")
    }

    def readAll(from: Long, until: Long): Unit = (0 until partitions).foreach { partition =>
      task(partition, from, until)(events => assert(events.toSeq == (from until until)))
    }

    def fill(count: Int): Unit = send(name, Seq.fill(partitions)(count): _*)

    def readers: Int = localHub.amqp.readers.count(_.hub == name)

    def assertNothingStays(): Unit = {
      resources.close()
      eventually("the hub has no reader left")(readers == 0)
      eventually("the hub has no connection left")(localHub.amqp.counters.openConnections == 0)
      eventually("no thread of the SDK is left")(sdkThreads == 0)
    }
  }

  /** Nothing may stay open after a test, and leftovers of a failing test must not fail the others. */
  private def using(fixture: Fixture)(use: Fixture => Unit): Unit =
    try {
      use(fixture)
      fixture.assertNothingStays()
    } finally fixture.resources.close()

  /** The SDK's threads: one for each open connection. */
  private def sdkThreads: Int =
    Thread.getAllStackTraces.keySet.asScala.count(thread => thread.getName.startsWith("reactor-executor"))

  test(
    "after hundreds of batches there is one link for each partition and no more connections; after the stop there are none"
  ) {
    using(new Fixture) { f =>
      f.fill(1000)
      f.readAll(0, 400)
      eventually("one reader a partition")(f.readers == partitions)
      val connections = localHub.amqp.counters.openConnections
      for (batch <- 0 until 200) f.readAll(400 + batch * 3L, 403 + batch * 3L)
      assert(f.readers == partitions)
      assert(localHub.amqp.counters.openConnections == connections)
      assert(f.resources.clients.size == partitions)
    }
  }

  test("events past a range are prefetched only if a later range reads them") {
    def sent = localHub.amqp.counters.eventsOut
    // The service sends some events twice to a link that is reopened with a credit for the event size.
    using(new Fixture(more = Seq("eventhubs.prefetchCount" -> "64"))) { f =>
      f.fill(5000)
      val before = sent
      f.task(0, 0, 100, isFollowed = false)(events => assert(events.size == 100))
      eventually("the link is closed")(f.readers == 0)
      assert(sent - before == 100)
      f.task(1, 0, 100)(events => assert(events.size == 100))
      eventually("more than both ranges was sent")(sent - before > 200)
    }
  }

  test("tasks that end halfway leave no link") {
    using(new Fixture) { f =>
      f.fill(5000)
      for (partition <- 0 until partitions) f.task(partition, 0, 5000)(events => assert(events.take(10).size == 10))
      eventually("no reader")(f.readers == 0)
      assert(f.resources.receivers.size == 0)
    }
  }

  test("idle links are closed first, and their connections later") {
    using(new Fixture) { f =>
      f.fill(10)
      f.readAll(0, 10)
      f.pass(f.settings.receiverIdleTimeout.toMillis)
      f.resources.evictIdle()
      eventually("no reader")(f.readers == 0)
      assert(f.resources.clients.size == partitions)
      f.pass(60000)
      f.resources.evictIdle()
      assert(f.resources.clients.size == 0)
      eventually("no connection")(localHub.amqp.counters.openConnections == 0)
    }
  }

  test("after its links were closed a connection is used again") {
    using(new Fixture) { f =>
      f.fill(20)
      f.readAll(0, 10)
      val opened = localHub.amqp.counters.connections
      f.pass(f.settings.receiverIdleTimeout.toMillis)
      f.resources.evictIdle()
      f.readAll(10, 20)
      assert(localHub.amqp.counters.connections == opened)
    }
  }

  test("with fewer connections allowed than partitions, receivers share them") {
    using(new Fixture) { f =>
      f.fill(100)
      val frugal = f.settings.copy(maxConnections = Some(2))
      val contexts = Seq.fill(partitions)(TaskContext.empty())
      val reading = (0 until partitions).map { partition =>
        val range = OffsetRange(NameAndPartition(f.name, partition), 0, 100)
        new EventRangeIterator(
          range,
          frugal,
          f.resources,
          contexts(partition),
          true,
          HubGeneration.Unchecked("test"),
          _ => ()
        ).map(_.sequenceNumber)
      }
      reading.foreach(events => assert(events.toSeq == (0L until 100L)))
      contexts.foreach(_.markTaskCompleted(None))
      assert(f.resources.clients.size == 2)
    }
  }

  test("tasks that are interrupted at any moment leave the connection usable for others") {
    using(new Fixture(new SystemClock, Seq("eventhubs.maxConnections" -> "1"))) { f =>
      f.fill(10000)
      val random = new Random(11)
      @volatile var interrupting = true
      val undisturbed = Background {
        var passes = 0
        while (interrupting || passes < 3) {
          f.task(1, 0, 10000)(events => assert(events.toSeq == (0L until 10000L)))
          passes += 1
        }
      }
      for (_ <- 0 until 150) {
        val stopped = Background {
          try f.task(0, 0, 10000)(_.foreach(_ => ()))
          catch { case _: InterruptedException => () }
        }
        LockSupport.parkNanos(random.nextInt(20000000).toLong)
        stopped.interrupt()
        stopped.result
      }
      interrupting = false
      undisturbed.result
    }
  }
}
