package org.apache.spark.sql.eventhubs.source

import java.time.Duration

import localhub.amqp.fault.{Fault, FaultAction, FaultScope, Occasion}
import org.apache.spark.eventhubs.connection.{AzureEventHubsClient, PartitionBounds, ReceiveLink}
import org.apache.spark.eventhubs.options.{ReadMode, ReadSettings}
import org.apache.spark.eventhubs.receive.PrefetchQueue
import org.apache.spark.eventhubs.{Background, EventHubsException, EventPosition}
import testkit.TestSuite

/** The connector's client with the SDK, over AMQP. */
class AzureClientSuite extends TestSuite with ReadHubFixture {

  private def withClient(name: String, more: (String, String)*)(test: AzureEventHubsClient => Unit): Unit = {
    val client = new AzureEventHubsClient(ReadSettings.parse(options(name, more), ReadMode.Stream).connection)
    try test(client)
    finally client.close()
  }

  private def inject(name: String, action: FaultAction, occasion: Occasion, count: Int): Unit = {
    localHub.amqp.faults.inject(Fault(action, occasion, FaultScope(hub = Some(name)), count = Some(count)))
    ()
  }

  private def first(client: AzureEventHubsClient, position: EventPosition, timeout: Duration = Duration.ofSeconds(60)) =
    client.firstSequenceNumber("$Default", 0, position, None, timeout, whenEmpty = None)

  test("the properties of a hub are its name, its creation time and its partitions in numeric order") {
    val name = newHub(40)
    withClient(name) { client =>
      val found = client.hubProperties()
      assert(found.name == name)
      assert(found.generation.time.toEpochMilli == hub(name).createdAt.toEpochMilli)
      assert(found.partitionIds == (0 until 40))
    }
  }

  test("the bounds of partitions that never had events, retain all, retain some, or retain none") {
    val name = newHub(4)
    send(name, 0, 5, 8, 6)
    expire(name, 2, before = 3)
    expire(name, 3, before = 6)
    withClient(name) { client =>
      val bounds = client.partitionBounds(0 until 4)
      def seqNos(bounds: PartitionBounds) = (bounds.earliest, bounds.latest, bounds.isEmpty)
      assert((0 until 4).map(id => seqNos(bounds(id))) ==
        Seq((0, 0, true), (0, 5, false), (3, 8, false), (6, 6, true)))
      assert(bounds(1).lastEnqueuedTime.toEpochMilli == hub(name).partitions(1).bounds.lastEnqueuedMillis)
      assert(bounds(1).lastOffset == hub(name).partitions(1).bounds.lastOffset.toString)
    }
  }

  test("a routine question leaves a partition out that does not answer, unless none answers") {
    val name = newHub(3)
    send(name, 0, 0, 4)
    withClient(name, "eventhubs.operationTimeout" -> "4s") { client =>
      val silent = FaultScope(hub = Some(name), partition = Some("1"))
      val fault = localHub.amqp.faults.inject(Fault(FaultAction.LoseAnswer, Occasion.Manage, silent))
      val (hub, bounds) = client.routineState(0 to 2, () => false)
      assert(hub.partitionIds == (0 to 2) && bounds.keySet == Set(0, 2) && bounds(2).latest == 4)
      assert(intercept[EventHubsException](client.routineState(Seq(1), () => false)).condition.mayPass)
      localHub.amqp.faults.cancel(fault.id)
      ()
    }
  }

  test("a start by time, offset or sequence number skips older events that the service sends first") {
    val name = newHub(1)
    val log = hub(name).partitions.head
    def sendLater(): Unit = {
      val before = log.bounds.lastEnqueuedMillis
      eventually("time passed")(System.currentTimeMillis() > before)
      send(name, 1)
    }
    (1 to 6).foreach(_ => sendLater())
    val third = log.read(3).get.position
    val time = java.time.Instant.ofEpochMilli(third.enqueuedMillis)
    withClient(name) { client =>
      for ((inclusive, expected) <- Seq(true -> 3L, false -> 4L)) {
        val positions = Seq(
          EventPosition.fromEnqueuedTime(time, inclusive),
          EventPosition.fromOffset(third.offset.toString, inclusive),
          EventPosition.fromSequenceNumber(3, inclusive)
        )
        positions.foreach { position =>
          inject(name, FaultAction.OlderFirst(3), Occasion.Start, count = 1)
          assert(first(client, position).contains(expected), s"for $position")
        }
      }
      assert(localHub.faults.active.isEmpty)
    }
  }

  test("a start is found behind more older events than the search's window has room for") {
    val name = newHub(1)
    StoredEvent.append(hub(name).partitions.head, partition = 0, count = 9, bodyBytes = 900 << 10)
    withClient(name) { client =>
      inject(name, FaultAction.OlderFirst(7), Occasion.Start, count = 1)
      val found = first(client, EventPosition.fromSequenceNumber(8), timeout = Duration.ofSeconds(20))
      assert(found.contains(8L) && localHub.faults.active.isEmpty)
    }
  }

  test("the service says that no event follows, although it began with an older one") {
    val name = newHub(1)
    send(name, 3)
    val later = java.time.Instant.ofEpochMilli(hub(name).partitions.head.bounds.lastEnqueuedMillis + 1)
    withClient(name) { client =>
      inject(name, FaultAction.OlderFirst(1), Occasion.Start, count = 1)
      val position = EventPosition.fromEnqueuedTime(later)
      val found =
        client.firstSequenceNumber("$Default", 0, position, None, Duration.ofSeconds(20), whenEmpty = Some(3L))
      assert(found.contains(3L) && localHub.faults.active.isEmpty)
    }
  }

  test("one answer that no event follows is not believed: another link finds the event") {
    val name = newHub(1)
    send(name, 3)
    withClient(name) { client =>
      inject(name, FaultAction.HideEvents, Occasion.Receive, count = 1)
      val position = EventPosition.fromSequenceNumber(2)
      val found =
        client.firstSequenceNumber("$Default", 0, position, None, Duration.ofSeconds(20), whenEmpty = Some(3L))
      assert(found.contains(2L) && localHub.faults.active.map(_.hits) == Seq(1))
    }
  }

  test("the bounds and events of a geo-replicated hub have epochs, and it refuses whole-number offsets") {
    val name = newHub(1)
    localHub.deleteHub(name)
    localHub.createHub(localhub.HubConfig(name, 1, geoReplication = true))
    send(name, 10)
    localHub.promote(name, unreplicated = 4)
    send(name, 1)
    withClient(name) { client =>
      assert(client.partitionBounds(Seq(0))(0).epoch.contains(2))
      def epochAt(seqNo: Long) =
        client.epochAt("$Default", 0, seqNo, None, Duration.ofSeconds(60), whenEmpty = Some(99))
      assert((4L to 7L).flatMap(epochAt) == Seq(1, 1, 2, 99), "no event follows event 6")
      val refused = intercept[EventHubsException](first(client, EventPosition.fromOffset("0")))
      assert(refused.getCondition == "EVENTHUBS_OFFSET_NOT_ACCEPTED")
    }
    val plain = newHub(1)
    send(plain, 1)
    withClient(plain) { client =>
      assert(client.partitionBounds(Seq(0))(0).epoch.isEmpty)
      assert(client.epochAt("$Default", 0, 0, None, Duration.ofSeconds(60), None).exists(_ < 0))
    }
  }

  test("hundreds of partitions are queried concurrently") {
    val name = newHub(300)
    withClient(name)(client => assert(client.partitionBounds(0 until 300).keySet == (0 until 300).toSet))
  }

  test("threads that are interrupted while they use a connection leave it usable for others") {
    val name = newHub(2)
    send(name, 3000, 3000)
    withClient(name) { client =>
      def reader(partition: Int): PrefetchQueue = {
        val queue = new PrefetchQueue(64)
        client.subscribe(ReceiveLink("$Default", partition, 0, None), queue)
        queue
      }
      def take(queue: PrefetchQueue, count: Int): Unit = {
        queue.request(count.toLong)
        var taken = 0
        eventually(s"$count more events") {
          while (queue.poll() ne null) taken += 1
          assert(queue.ended.isEmpty, "the link ended")
          taken == count
        }
      }
      def interrupted(use: => Unit): Unit = Background {
        Thread.currentThread.interrupt()
        use
      }.result
      val (stopped, other) = (reader(0), reader(1))
      take(stopped, 60)
      take(other, 60)
      interrupted(stopped.request(60))
      interrupted(stopped.cancel())
      interrupted(reader(0).cancel())
      interrupted {
        intercept[InterruptedException](client.hubProperties())
        ()
      }
      // More than the credit, so that the link has to ask for more.
      (0 until 20).foreach(_ => take(other, 60))
      take(reader(0), 60)
      assert(client.hubProperties().partitionIds == Seq(0, 1))
    }
  }

  test("the first event at a position") {
    val name = newHub(1)
    send(name, 10)
    expire(name, 0, before = 2)
    withClient(name) { client =>
      assert(first(client, EventPosition.StartOfStream).contains(2))
      assert(first(client, EventPosition.AtSequenceNumber(7, inclusive = false)).contains(8))
      val offset = hub(name).partitions.head.read(4).get.position.offset.toString
      assert(first(client, EventPosition.AtOffset(offset, inclusive = true)).contains(4))
      assert(first(client, EventPosition.AtOffset(offset, inclusive = false)).contains(5))
      // The local hub's offsets are numbers; it refuses others.
      for (inclusive <- Seq(true, false)) {
        val refused = intercept[EventHubsException](first(client, EventPosition.AtOffset("a:b:7", inclusive)))
        assert(refused.getMessage.contains(if (inclusive) "x-opt-offset >= 'a:b:7'" else "x-opt-offset > 'a:b:7'"))
      }
    }
  }

  test("a lookup without an event in time has no result") {
    val name = newHub(1)
    withClient(name) { client =>
      // Opens the connection first, so that the timeout covers only the link.
      client.hubProperties()
      val waiting = Background(first(client, EventPosition.StartOfStream, Duration.ofSeconds(3)))
      eventually("the link is open")(localHub.amqp.readers.exists(_.hub == name))
      assert(waiting.result.isEmpty)
    }
  }

  test("calls whose connection breaks are retried") {
    val name = newHub(2)
    send(name, 3, 4)
    withClient(name) { client =>
      for (_ <- 1 to 3) {
        client.hubProperties()
        localHub.amqp.faults.inject(Fault(FaultAction.DropConnection, Occasion.Now))
        assert(client.partitionBounds(Seq(0, 1)).view.mapValues(_.latest).toMap == Map(0 -> 3L, 1 -> 4L))
      }
    }
  }

  test("a question whose answer is lost is asked again") {
    val name = newHub(2)
    send(name, 3, 4)
    withClient(name, "eventhubs.operationTimeout" -> "16s") { client =>
      inject(name, FaultAction.LoseAnswer, Occasion.ManageHub, count = 1)
      assert(client.hubProperties().partitionIds == Seq(0, 1))
      inject(name, FaultAction.LoseAnswer, Occasion.Manage, count = 2)
      assert(client.partitionBounds(Seq(0, 1)).view.mapValues(_.latest).toMap == Map(0 -> 3L, 1 -> 4L))
    }
  }

  test("the error of a partition that does not answer names it, and says how to leave it out") {
    val name = newHub(3)
    withClient(name, "eventhubs.operationTimeout" -> "4s") { client =>
      val down = FaultScope(hub = Some(name), partition = Some("1"))
      val fault = localHub.amqp.faults.inject(Fault(FaultAction.LoseAnswer, Occasion.Manage, down))
      try {
        val failed = intercept[EventHubsException](client.hubState(Seq(0, 1, 2)))
        assert(failed.getCondition == "EVENTHUBS_TIMEOUT")
        assert(failed.getMessage.contains("asking for the state of partition 1 (if only this one is down, name the " +
          "others in 'eventhubs.partitions')"))
      } finally { val _ = localHub.amqp.faults.cancel(fault.id) }
    }
  }

  test("a lookup whose link breaks is retried") {
    val name = newHub(1)
    send(name, 3)
    withClient(name) { client =>
      inject(name, FaultAction.DropConnection, Occasion.Receive, count = 2)
      assert(first(client, EventPosition.StartOfStream).contains(0))
    }
  }

  test("a failure that lasts longer than the operation timeout is reported unchanged") {
    val name = newHub(1)
    send(name, 3)
    withClient(name, "eventhubs.operationTimeout" -> "8s") { client =>
      client.hubProperties()
      val busy = FaultAction.Detach("com.microsoft:server-busy", "The server is busy.")
      inject(name, busy, Occasion.Attach, count = 1000)
      val error = intercept[EventHubsException](first(client, EventPosition.StartOfStream))
      assert(error.getCondition == "EVENTHUBS_THROTTLED")
      localHub.amqp.faults.clear()
    }
  }

  test("a call that waits ends when its thread is interrupted") {
    val name = newHub(1)
    withClient(name) { client =>
      client.hubProperties()
      val waiting = Background(first(client, EventPosition.StartOfStream))
      eventually("the link is open")(localHub.amqp.readers.exists(_.hub == name))
      waiting.interrupt()
      assert(waiting.failure.isInstanceOf[InterruptedException])
    }
  }

  test("an interrupted thread closes its connection too") {
    val name = newHub(1)
    eventually("no connection is left")(localHub.amqp.counters.openConnections == 0)
    withClient(name) { client =>
      client.hubProperties()
      Thread.currentThread.interrupt()
    }
    assert(Thread.interrupted(), "the thread is no longer interrupted")
    eventually("no connection is left")(localHub.amqp.counters.openConnections == 0)
  }

  test("closing the client closes its connection") {
    val name = newHub(1)
    withClient(name)(_.hubProperties())
    eventually("no connection is left")(localHub.amqp.counters.openConnections == 0)
  }
}
