package org.apache.spark.sql.eventhubs.planning

import java.time.{Duration, Instant}

import scala.jdk.CollectionConverters._

import localhub.amqp.fault.{Fault, FaultAction, FaultScope, Occasion}
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.sql.eventhubs.source.{ReadHubFixture, Seen, StoredEvent, StreamFixture}
import testkit.TestSuite

/** Hubs whose compaction leaves gaps. Bodies are as in [[ReadHubFixture]], so that events can be compared by number. */
class CompactedHubSuite extends TestSuite with StreamFixture {

  private val compacted = "eventhubs.compacted" -> "true"

  /** Appends an event for each key. */
  private def sendKeys(name: String, keys: String*): Unit = {
    val log = hub(name).partitions(0)
    keys.foreach { key =>
      val body = s"p0-${log.bounds.lastSequenceNumber + 1}".getBytes
      StoredEvent.appendKeyed(log, body, key)
    }
  }

  private def sendTombstones(name: String, keys: String*): Unit =
    keys.foreach(key => StoredEvent.appendTombstone(hub(name).partitions(0), key))

  private def compact(name: String): Unit = localHub.compact(name, "0", removeTombstones = true)

  private def numbers(from: Long, until: Long, step: Long = 1): Seq[Seen] =
    (from until until by step).map(n => Seen(0, n, s"p0-$n"))

  /** Events 0 until 94 have keys of their own. 95 until 100 were tombstones, and are gone. */
  private def withoutTail(): String = {
    val name = newHub(1)
    sendKeys(name, (0 until 95).map(n => s"key $n"): _*)
    sendTombstones(name, (0 until 5).map(n => s"gone $n"): _*)
    compact(name)
    name
  }

  private def metric(query: Running, name: String): String =
    query.query.recentProgress.last.sources.head.metrics.asScala(name)

  /** A fixed credit, because a link is opened again when its credit does not fit the size of the events. */
  private val oneLink = "eventhubs.prefetchCount" -> "500"

  /** Reads a hub, and returns how many questions the service got meanwhile. */
  private def measured(name: String): (Running, Long) = {
    val before = localHub.amqp.counters.managementCalls
    val query = readAvailable(stream(name, earliest, compacted, oneLink))
    (query, localHub.amqp.counters.managementCalls - before)
  }

  test("500 rows with gaps between them: one link, and as many questions to the service as without gaps") {
    val gapless = newHub(1)
    sendKeys(gapless, (0 until 501).map(n => s"key $n"): _*)
    val (_, usual) = measured(gapless)
    val name = newHub(1)
    sendKeys(name, (0 until 1000).map(n => if (n % 2 == 0) s"key $n" else "again"): _*)
    compact(name)
    val (query, calls) = measured(name)
    info(s"links ${metric(query, "linksOpened")}, management calls $calls; $usual without gaps")
    assertSame(query.read, numbers(0, 1000, 2) :+ Seen(0, 999, "p0-999"))
    assert(metric(query, "linksOpened") == "1" && metric(query, "lostEvents") == "0")
    assert(calls <= usual + 1, "for expired events, if the query takes 10 s")
  }

  test("without the option a gap is a loss, and the error names the option") {
    val name = newHub(1)
    sendKeys(name, "z", "a", "b", "a", "c")
    compact(name)
    val error = failureOf(stream(name, earliest))
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.GAP" && error.getMessage.contains(compacted._1))
    val query = readAvailable(stream(name, earliest, lenient))
    assertSame(query.read, numbers(0, 1) ++ numbers(2, 5))
    assert(metric(query, "lostEvents") == "1")
  }

  test("without the option too, a start at the earliest event has no gap before its first event") {
    val name = newHub(1)
    sendKeys(name, "a", "b", "a", "c")
    compact(name)
    val query = readAvailable(stream(name, earliest))
    assertSame(query.read, numbers(1, 4))
    assert(metric(query, "lostEvents") == "0" && metric(query, "expiredAtStart") == "1")
  }

  test("when the last events are gone, a query reads the others and then later ones") {
    val name = withoutTail()
    val before = System.nanoTime()
    running(stream(name, earliest, compacted, oneLink)) { query =>
      assertSame(query.catchUp(), numbers(0, 95))
      assert(query.metrics("sequenceNumbersBehind") == "0")
      sendKeys(name, "new 1", "new 2")
      assertSame(query.catchUp(), numbers(0, 95) ++ numbers(100, 102))
      assert(query.metrics("linksOpened") == "1" && query.metrics("lostEvents") == "0")
    }
    info(s"${(System.nanoTime() - before) / 1000000} ms")
  }

  test("a start by time after the last event that is left waits for nothing") {
    val name = newHub(1)
    sendKeys(name, "a")
    val time = Instant.ofEpochMilli(hub(name).partitions(0).bounds.lastEnqueuedMillis)
    eventually("a millisecond passed")(Instant.now().isAfter(time.plusMillis(2)))
    sendTombstones(name, "b", "c")
    compact(name)
    val start = "eventhubs.startingPosition" -> time.plusMillis(1).toString
    running(stream(name, start, compacted)) { query =>
      assertSame(query.catchUp(), Nil)
      sendKeys(name, "d")
      assertSame(query.catchUp(), numbers(3, 4))
    }
  }

  test("batches whose events are all gone are empty, whatever their size") {
    val name = newHub(1)
    sendKeys(name, Seq.fill(50)("a") ++ Seq("b", "c"): _*)
    compact(name)
    val query = readAvailable(stream(name, earliest, compacted, oneLink, "eventhubs.maxEventsPerTrigger" -> "10"))
    assertSame(query.read, numbers(49, 52))
    assert(metric(query, "linksOpened") == "1" && metric(query, "lostEvents") == "0")
  }

  test("expired events are a loss on a compacted hub too, while the query is stopped and between the gaps") {
    val name = newHub(1)
    val checkpoint = newFolder()
    def lossy(more: (String, String)*) =
      stream(name, more :+ earliest :+ compacted :+ ("eventhubs.receiverIdleTimeout" -> "1ms"): _*)
    sendKeys(name, "a", "b", "a", "c")
    compact(name)
    assertSame(readAvailable(lossy(), checkpoint).read, numbers(1, 4))
    eventually("idle links are closed") {
      ExecutorResources.get.evictIdle()
      !localHub.amqp.readers.exists(_.hub == name)
    }
    sendKeys(name, "d", "e", "d", "f", "g")
    compact(name)
    expire(name, 0, before = 6)
    val error = failureOf(lossy(), checkpoint)
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.EXPIRED")
    assert(error.getMessageParameters.get("untilSeqNo") == "6")
    assertSame(readAvailable(lossy(lenient), checkpoint).read, numbers(6, 9))
  }

  test("a recreated compacted hub is a loss") {
    val name = newHub(1)
    val checkpoint = newFolder()
    sendKeys(name, "a", "b", "a")
    compact(name)
    readAvailable(stream(name, earliest, compacted), checkpoint)
    recreate(name)
    sendKeys(name, "a", "b", "a")
    assert(failureOf(stream(name, earliest, compacted), checkpoint).getCondition == "EVENTHUBS_DATA_LOSS.RECREATED")
  }
}

/** Batch reads of compacted hubs. */
class CompactedBatchSuite extends TestSuite with ReadHubFixture {

  private val compacted = "eventhubs.compacted" -> "true"

  private def filled(): String = {
    val name = newHub(1)
    val log = hub(name).partitions(0)
    (0 until 200).foreach { n =>
      StoredEvent.appendKeyed(log, s"p0-$n".getBytes, if (n % 3 == 0) s"key $n" else "again")
    }
    (0 until 10).foreach(n => StoredEvent.appendTombstone(log, s"gone $n"))
    localHub.compact(name, "0", removeTombstones = true)
    name
  }

  private val expected = (0L until 200L).filter(n => n % 3 == 0 || n == 199).map(n => Seen(0, n, s"p0-$n"))

  test("a batch read has the events that are left, also when several tasks share the partition") {
    val name = filled()
    assertSame(seen(batch(name, compacted)), expected)
    assertSame(seen(batch(name, compacted, "eventhubs.minPartitions" -> "9")), expected)
    assertSame(
      seen(batch(name, compacted, "eventhubs.startingPosition" -> "100", "eventhubs.endingPosition" -> "150")),
      expected.filter(event => event.seqNo >= 100 && event.seqNo < 150)
    )
  }

  test("a range with gaps is kept in the replay cache") {
    val name = filled()
    val frame = batch(name, compacted, "eventhubs.replayCacheBytes" -> "10m")
    assertSame(seen(frame), expected)
    val before = localHub.amqp.counters.eventsOut
    assertSame(seen(frame), expected)
    assert(localHub.amqp.counters.eventsOut == before)
  }

  test("a drained link that says too early that no event follows: nothing is skipped") {
    val name = filled()
    val planned = batch(name, compacted).queryExecution.executedPlan
    val scope = FaultScope(hub = Some(name))
    localHub.faults.inject(
      Fault(FaultAction.HideEvents, Occasion.Receive, scope, count = Some(1), duration = Some(Duration.ofMillis(900)))
    )
    assert(planned.executeCollect().length == expected.length)
    assert(localHub.faults.active.isEmpty, "the events were hidden")
  }
}
