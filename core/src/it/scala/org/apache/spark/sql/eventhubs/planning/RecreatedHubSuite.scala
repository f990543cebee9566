package org.apache.spark.sql.eventhubs.planning

import java.nio.file.Path
import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.eventhubs.source.{Seen, StoredEvent, StreamFixture}
import org.apache.spark.sql.streaming.{StreamingQuery, StreamingQueryException, Trigger}
import testkit.{Patience, TestSuite}

/**
 * Hubs that are deleted and recreated at moments when only the creation time shows it. The new hub has events with all
 * sequence numbers of the old one: none may be delivered as the old hub's, and none may be lost.
 */
class RecreatedHubSuite extends TestSuite with StreamFixture {

  private def replaceWith(name: String, counts: Int*): Unit = {
    recreate(name)
    sendNew(name, counts: _*)
  }

  private def sendNew(name: String, counts: Int*): Unit = counts.zipWithIndex.foreach { case (count, partition) =>
    val log = hub(name).partitions(partition)
    val from = log.bounds.lastSequenceNumber + 1
    (from until (from + count)).foreach(n =>
      StoredEvent.append(log, s"new-$n".getBytes, Map.empty[String, AnyRef], None)
    )
  }

  private def newEvents(partition: Int, from: Long, until: Long): Seq[Seen] =
    (from until until).map(n => Seen(partition, n, s"new-$n"))

  private def lost(query: Running): Long =
    query.query.recentProgress.last.sources.head.metrics.get("lostEvents").toLong

  /** Runs the first batch and stops before its commit. */
  private def startBatchAndCrash(frame: DataFrame, checkpoint: Path): Unit = {
    val broken = start(frame, checkpoint, Trigger.AvailableNow(), _ => throw new IllegalStateException("no power"))
    assertThrows[StreamingQueryException](broken.query.awaitTermination(Patience.queryMillis))
  }

  private def condition(error: EventHubsException): String = error.getCondition

  test("a batch that is replayed after a restart fails with all of its events") {
    val name = newHub(2)
    val checkpoint = newFolder()
    send(name, 10, 5)
    startBatchAndCrash(stream(name, earliest), checkpoint)
    replaceWith(name, 30, 30)
    val error = failureOf(stream(name), checkpoint)
    assert(condition(error) == "EVENTHUBS_DATA_LOSS.RECREATED")
    val facts = error.getMessageParameters.asScala
    assert(facts("hub") == name && facts("fromSeqNo") == "0" && Set("10", "5")(facts("untilSeqNo")))
  }

  test("a batch that is replayed after a restart, tolerated, is counted as lost, and the new hub is read completely") {
    val name = newHub(2)
    val checkpoint = newFolder()
    send(name, 10, 5)
    startBatchAndCrash(stream(name, earliest), checkpoint)
    replaceWith(name, 30, 30)
    val query = readAvailable(stream(name, lenient), checkpoint)
    assertSame(query.batches.asScala.head._2, Nil)
    assertSame(query.read, newEvents(0, 0, 30) ++ newEvents(1, 0, 30))
    // The events of the replayed batch, and one loss for each partition: the number of later events is unknown.
    assert(lost(query) == 10 + 5 + 1 + 1)
  }

  /** Plans a batch from `start` in a hub of `before` events, and reads it from a recreated hub of `after` events. */
  private def replacedAfterPlanning(before: Int, start: String, after: Int, fails: Boolean)(
      check: StreamingQuery => Unit
  ): Unit = {
    val name = newHub(1)
    send(name, before)
    val read = new ConcurrentLinkedQueue[Seen]
    val late = (rows: DataFrame, id: Long) => {
      if (id == 0) replaceWith(name, after)
      seen(rows).foreach(read.add)
    }
    val options = Seq("eventhubs.startingPosition" -> start, "failOnDataLoss" -> fails.toString)
    val query = stream(name, options: _*).writeStream
      .foreachBatch(late)
      .option("checkpointLocation", newFolder().toUri.toString)
      .start()
    try
      if (fails) {
        val error = ours(intercept[StreamingQueryException](query.awaitTermination(Patience.queryMillis)))
        assert(condition(error) == "EVENTHUBS_DATA_LOSS.RECREATED")
        assert(read.isEmpty)
      } else {
        eventually("the new hub's events have come")(read.size >= after)
        query.processAllAvailable()
        assertSame(read.asScala.toSeq, newEvents(0, 0, after.toLong))
        check(query)
      }
    finally query.stop()
  }

  test("between planning and reading of a batch: an error, or counted, and the new hub is read completely") {
    for (fails <- Seq(true, false))
      replacedAfterPlanning(before = 10, start = "earliest", after = 30, fails) { query =>
        assert(query.recentProgress.last.sources.head.metrics.get("lostEvents") == "11")
      }
  }

  test("between planning and reading, with a new hub that ends before the first planned event") {
    for (fails <- Seq(true, false))
      replacedAfterPlanning(before = 15, start = "10", after = 3, fails)(_ => ())
  }

  test("prefetched events of the old hub are not delivered as the new hub's") {
    val name = newHub(1)
    send(name, 200)
    val frame = stream(name, earliest, "maxEventsPerTrigger" -> "20", "eventhubs.prefetchCount" -> "100")
    val first = start(frame, newFolder(), Trigger.ProcessingTime("1 hour"))
    eventually("the first batch is done")(first.query.lastProgress != null)
    first.stop()
    assertSame(first.read, events(0, 0, 20))
    replaceWith(name, 60)
    // Another query starts where the first one's receiver ended, which has prefetched 100 events of the old hub.
    val second = readAvailable(stream(name, "eventhubs.startingPosition" -> "20", "eventhubs.prefetchCount" -> "100"))
    assertSame(second.read, newEvents(0, 20, 60))
  }

  test("under a running query that is behind, tolerated: events of the old hub, then of the new hub, each once") {
    val name = newHub(2)
    send(name, 300, 300)
    def replaced(batch: Long): Unit = if (batch == 2) replaceWith(name, 250, 350)
    val frame = stream(name, earliest, lenient, "maxEventsPerTrigger" -> "100", "eventhubs.prefetchCount" -> "200")
    running(frame, onBatch = replaced) { query =>
      eventually("the new hub's events have come")(query.catchUp().size >= 900)
      assertSame(
        query.read,
        events(0, 0, 150) ++ events(1, 0, 150) ++ newEvents(0, 0, 250) ++ newEvents(1, 0, 350)
      )
      assert(query.metrics("lostEvents") == "2")
    }
  }

  test("a hub that is deleted under a running query stops it with an error; later the checkpoint detects the new hub") {
    for (policy <- Seq(earliest, lenient)) {
      val name = newHub(1)
      val checkpoint = newFolder()
      send(name, 5)
      running(stream(name, earliest, policy), checkpoint) { query =>
        query.catchUp()
        localHub.deleteHub(name)
        assert(condition(query.failure()) == "EVENTHUBS_NOT_FOUND")
      }
      assert(condition(failureOf(stream(name, policy), checkpoint)) == "EVENTHUBS_NOT_FOUND")
      localHub.createHub(name, 1)
      sendNew(name, 9)
      if (policy == lenient) assertSame(readAvailable(stream(name, policy), checkpoint).read, newEvents(0, 0, 9))
      else assert(condition(failureOf(stream(name, policy), checkpoint)) == "EVENTHUBS_DATA_LOSS.RECREATED")
    }
  }
}
