package org.apache.spark.sql.eventhubs.planning

import localhub.HubConfig
import localhub.amqp.fault.{Fault, FaultAction, FaultScope, Occasion}
import org.apache.spark.sql.eventhubs.source.{Seen, StoredEvent, StreamFixture}
import testkit.TestSuite

/**
 * Geo-replicated hubs whose secondary region is promoted. It gives sequence numbers of the old primary region again.
 */
class FailoverSuite extends TestSuite with StreamFixture {

  private def newReplicatedHub(partitions: Int): String = {
    val name = newHub(partitions)
    localHub.deleteHub(name)
    localHub.createHub(HubConfig(name, partitions, geoReplication = true))
    name
  }

  private def sendNew(name: String, partition: Int, count: Int): Unit = {
    val log = hub(name).partitions(partition)
    val from = log.bounds.lastSequenceNumber + 1
    (from until from + count).foreach(n => StoredEvent.append(log, s"new-$n".getBytes, Map.empty[String, AnyRef], None))
  }

  private def newEvents(partition: Int, from: Long, until: Long): Seq[Seen] =
    (from until until).map(n => Seen(partition, n, s"new-$n"))

  private def lost(query: Running): String =
    query.query.recentProgress.last.sources.head.metrics.get("lostEvents")

  test("a geo-replicated hub is read like another one, and its offsets are texts") {
    val name = newReplicatedHub(2)
    send(name, 30, 4)
    assertSame(readAvailable(stream(name, earliest)).read, firstEvents(30, 4))
    val offsets = batch(name).select("offset").collect().map(_.getString(0))
    assert(offsets.length == 34 && offsets.forall(_.matches("1:\\d+:\\d+")))
  }

  test("new events under sequence numbers that were read already: an error at every start") {
    val name = newReplicatedHub(2)
    val checkpoint = newFolder()
    send(name, 100, 5)
    readAvailable(stream(name, earliest), checkpoint)
    localHub.promote(name, unreplicated = 10, partition = Some("0"))
    sendNew(name, 0, 20)
    for (_ <- 1 to 2) {
      val error = failureOf(stream(name), checkpoint)
      assert(error.getCondition == "EVENTHUBS_DATA_LOSS.FAILED_OVER")
      assert(error.getMessageParameters.get("partition") == "0")
      assert(error.getMessageParameters.get("fromSeqNo") == "90")
    }
  }

  test("tolerated, each new event is read once, also those whose numbers were read before") {
    val name = newReplicatedHub(2)
    val checkpoint = newFolder()
    send(name, 100, 5)
    readAvailable(stream(name, earliest), checkpoint)
    localHub.promote(name, unreplicated = 10, partition = Some("0"))
    sendNew(name, 0, 20)
    val query = readAvailable(stream(name, lenient), checkpoint)
    assertSame(query.read, newEvents(0, 90, 110))
    assert(lost(query) == "1")
    sendNew(name, 0, 3)
    sendNew(name, 1, 2)
    // Partition 1 shows its promotion with its first new event.
    val later = readAvailable(stream(name, lenient), checkpoint)
    assertSame(later.read, newEvents(0, 110, 113) ++ newEvents(1, 5, 7))
  }

  test("under a running query that waits for events, tolerated") {
    val name = newReplicatedHub(1)
    send(name, 50)
    running(stream(name, earliest, lenient)) { query =>
      query.catchUp()
      localHub.promote(name, unreplicated = 10)
      sendNew(name, 0, 10)
      eventually("the new events have come")(query.catchUp().size >= 60)
      sendNew(name, 0, 5)
      eventually("later events have come")(query.catchUp().size >= 65)
      assertSame(query.read, events(0, 0, 50) ++ newEvents(0, 40, 55))
    }
  }

  test("between planning and reading of a batch: no event of the new epoch is delivered as one of the old") {
    val name = newReplicatedHub(1)
    send(name, 50)
    val planned = batch(name).queryExecution.executedPlan
    localHub.promote(name, unreplicated = 20)
    sendNew(name, 0, 40)
    val error = ours(intercept[Exception](planned.executeCollect()))
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.FAILED_OVER")
    assert(error.getMessageParameters.get("fromSeqNo") == "30" && error.getMessageParameters.get("untilSeqNo") == "50")
  }

  test("the same while answers of the service lag behind, so that they have the old epoch") {
    val name = newReplicatedHub(1)
    send(name, 50)
    val planned = batch(name).queryExecution.executedPlan
    localHub.promote(name, unreplicated = 20)
    sendNew(name, 0, 40)
    val scope = FaultScope(hub = Some(name))
    localHub.faults.inject(Fault(FaultAction.LagBehind(45), Occasion.Manage, scope, count = Some(2)))
    val error = ours(intercept[Exception](planned.executeCollect()))
    assert(localHub.faults.active.isEmpty, "the answers were given")
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.FAILED_OVER")
    assert(error.getMessageParameters.get("fromSeqNo") == "30" && error.getMessageParameters.get("untilSeqNo") == "50")
  }

  test("a start at a whole-number offset is an error that says what to do; a text and a sequence number are starts") {
    val name = newReplicatedHub(1)
    send(name, 10)
    for (offset <- Seq("0", "999999")) {
      val error = failureOf(stream(name, "eventhubs.startingPosition" -> s"""{"offset":"$offset"}"""))
      assert(error.getCondition == "EVENTHUBS_OFFSET_NOT_ACCEPTED")
      assert(error.getMessage.contains(s"offset '$offset' (com.microsoft:georeplication:invalid-offset)"))
      assert(error.getMessage.contains("sequence number"))
    }
    val text = batch(name).filter("sequenceNumber = 6").select("offset").collect().head.getString(0)
    for ((inclusive, from) <- Seq(true -> 6L, false -> 7L)) {
      val position = s"""{"offset":"$text","isInclusive":$inclusive}"""
      assertSame(readAvailable(stream(name, "eventhubs.startingPosition" -> position)).read, events(0, from, 10))
    }
    assertSame(readAvailable(stream(name, "eventhubs.startingPosition" -> "4")).read, events(0, 4, 10))
  }
}
