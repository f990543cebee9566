package org.apache.spark.sql.eventhubs.source

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.streaming.Trigger
import testkit.{Patience, TestSuite}

class V1StreamSharingSuite extends StreamSharingBehaviour(ApiVersion.V1)
class V2StreamSharingSuite extends StreamSharingBehaviour(ApiVersion.V2)

/** Several readers of the same events must not disturb each other. */
abstract class StreamSharingBehaviour(override protected val api: ApiVersion) extends TestSuite with StreamFixture {

  test("two queries of one consumer group on one hub each get every event") {
    val name = newHub(2)
    send(name, 500, 500)
    running(stream(name, earliest)) { one =>
      running(stream(name, earliest)) { other =>
        assertSame(one.catchUp(), firstEvents(500, 500))
        assertSame(other.catchUp(), firstEvents(500, 500))
        for (round <- 1 to 5) {
          send(name, 10, 10)
          assertSame(other.catchUp(), firstEvents(500 + 10 * round, 500 + 10 * round))
          assertSame(one.catchUp(), firstEvents(500 + 10 * round, 500 + 10 * round))
        }
      }
    }
  }

  test("a query with an owner level closes its links when it stops, and a reader without one can read") {
    val name = newHub(2)
    send(name, 20, 20)
    val owner = Seq("eventhubs.ownerLevel" -> "5", "eventhubs.receiverIdleTimeout" -> "1h")
    running(stream(name, earliest +: owner: _*))(query => assertSame(query.catchUp(), firstEvents(20, 20)))
    eventually("the links are closed")(!localHub.amqp.readers.exists(_.hub == name))
    assertSame(readAvailable(stream(name, earliest)).read, firstEvents(20, 20))
  }

  test("a stream in union with itself has every event twice, batch after batch") {
    val name = newHub(2)
    send(name, 50, 50)
    val frame = stream(name, earliest)
    running(frame.union(frame)) { query =>
      assertSame(query.catchUp(), firstEvents(50, 50) ++ firstEvents(50, 50))
      send(name, 5, 5)
      assertSame(query.catchUp(), firstEvents(55, 55) ++ firstEvents(55, 55))
    }
  }

  test("a stream can be joined with itself") {
    val name = newHub(2)
    send(name, 20, 20)
    val frame = stream(name, earliest).select("partition", "sequenceNumber", "body")
    val joined = frame.join(
      frame.select(col("partition").as("p"), col("sequenceNumber").as("s")),
      col("partition") === col("p") && col("sequenceNumber") === col("s")
    )
    running(joined)(query => assertSame(query.catchUp(), firstEvents(20, 20)))
  }

  test("two hubs in one query are read together, and each continues from its own offset") {
    val names = Seq(newHub(1), newHub(2))
    val checkpoint = newFolder()
    send(names.head, 5)
    send(names.last, 0, 7)
    def both: DataFrame = stream(names.head, earliest).union(stream(names.last, earliest))
    assertSame(readAvailable(both, checkpoint).read, events(0, 0, 5) ++ events(1, 0, 7))
    send(names.last, 2, 1)
    assertSame(readAvailable(both, checkpoint).read, events(0, 0, 2) ++ events(1, 7, 8))
  }

  test("a batch with two actions gives both the same events") {
    val name = newHub(2)
    send(name, 300, 300)
    val seenTwice = new java.util.concurrent.CopyOnWriteArrayList[(Seq[Seen], Seq[Seen])]
    val twice = (rows: DataFrame, _: Long) => { seenTwice.add(seen(rows) -> seen(rows)); () }
    val query = stream(name, earliest, "maxEventsPerTrigger" -> "200").writeStream
      .foreachBatch(twice)
      .option("checkpointLocation", newFolder().toUri.toString)
      .trigger(Trigger.AvailableNow())
      .start()
    assert(query.awaitTermination(Patience.queryMillis))
    var all = Seq.empty[Seen]
    seenTwice.forEach { case (first, second) =>
      assertSame(second, first)
      all ++= first
    }
    assertSame(all, firstEvents(300, 300))
  }

  test("a batch that is only partly read does not disturb the next one") {
    val name = newHub(1)
    send(name, 2000)
    val looked = new java.util.concurrent.CopyOnWriteArrayList[Int]
    val peek = (rows: DataFrame, _: Long) => { looked.add(rows.limit(3).collect().length); () }
    val checkpoint = newFolder()
    val query = stream(name, earliest, "maxEventsPerTrigger" -> "1000").writeStream
      .foreachBatch(peek)
      .option("checkpointLocation", checkpoint.toUri.toString)
      .trigger(Trigger.AvailableNow())
      .start()
    assert(query.awaitTermination(Patience.queryMillis))
    assert(looked.toArray.toSeq == Seq(3, 3))
    send(name, 4)
    assertSame(readAvailable(stream(name), checkpoint).read, events(0, 2000, 2004))
  }

  test("an exclusive reader that is disconnected by one of the same level reports it") {
    val name = newHub(1)
    send(name, 10)
    val exclusive = "eventhubs.useExclusiveReceiver" -> "true"
    running(stream(name, earliest, exclusive)) { first =>
      assertSame(first.catchUp(), firstEvents(10))
      running(stream(name, earliest, "eventhubs.ownerLevel" -> "5")) { second =>
        assertSame(second.catchUp(), firstEvents(10))
        send(name, 5)
        assert(first.failure().getCondition == "EVENTHUBS_RECEIVER_DISCONNECTED")
        assertSame(second.catchUp(), firstEvents(15))
      }
    }
  }

  test("many small batches reuse the links of the first ones") {
    val name = newHub(2)
    running(stream(name, earliest, "eventhubs.prefetchCount" -> "100")) { query =>
      send(name, 1, 1)
      query.catchUp()
      def readers = localHub.amqp.readers.filter(_.hub == name).map(reader => (reader.partition, reader.name)).toSet
      // The link of the readiness check closes later, without a reader.
      eventually("one link a partition")(readers.size == 2)
      val links = readers
      for (_ <- 2 to 30) {
        send(name, 1, 1)
        query.catchUp()
      }
      assertSame(query.read, firstEvents(30, 30))
      assert(readers == links)
    }
  }

  test("a watermark on the enqueued time works") {
    val name = newHub(1)
    send(name, 10)
    val counted = stream(name, earliest)
      .withWatermark("enqueuedTime", "10 seconds")
      .dropDuplicates("partition", "sequenceNumber", "enqueuedTime")
    assertSame(readAvailable(counted).read, firstEvents(10))
  }

  test("a query that waits for events stops at once") {
    val name = newHub(1)
    running(stream(name)) { query =>
      query.catchUp()
      query.stop()
      assert(!query.query.isActive && query.query.exception.isEmpty)
    }
  }
}
