package org.apache.spark.eventhubs.connection.replay

import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicInteger

import scala.jdk.CollectionConverters._

import org.apache.spark.eventhubs.amqp.ReceivedEvent
import org.apache.spark.eventhubs.connection._
import org.apache.spark.eventhubs.options.{ReadMode, ReadSettings, WriteSettings}
import org.apache.spark.eventhubs.receive.PrefetchQueue
import org.apache.spark.eventhubs.send.SendFixture.event
import org.apache.spark.eventhubs.send.{BatchAccumulator, SendLimits, SendPermit}
import org.apache.spark.util.ManualTime
import testkit.TestSuite

/** The connector against the service's own frames, as public traces have them: it reads, writes and classifies. */
class ServiceReplaySuite extends TestSuite {
  import ServiceReplaySuite._

  private val hub = "telemetry"

  private def options(replay: ServiceReplay): Map[String, String] = Map(
    "eventhubs.connectionString" -> (s"Endpoint=sb://localhost:${replay.port};SharedAccessKeyName=reader;" +
      s"SharedAccessKey=c2VjcmV0;UseDevelopmentEmulator=true;EntityPath=$hub"),
    "eventhubs.operationTimeout" -> "20s",
    "eventhubs.sendTimeout" -> "60s"
  )

  private def replaying[T](script: => ReplayScript)(use: ServiceReplay => T): T = {
    val replay = new ServiceReplay(() => script)
    try {
      val result = use(replay)
      assert(replay.failure.isEmpty, replay.failure)
      result
    } finally replay.close()
  }

  private def reading[T](script: => ReplayScript)(use: AzureEventHubsClient => T): T = replaying(script) { replay =>
    val client = new AzureEventHubsClient(ReadSettings.parse(options(replay), ReadMode.Stream).connection)
    try use(client)
    finally client.close()
  }

  private def open(client: AzureEventHubsClient, credit: Long): PrefetchQueue = {
    val queue = new PrefetchQueue(1000)
    client.subscribe(ReceiveLink("$Default", 0, 0, None), queue)
    queue.request(credit)
    queue
  }

  private def take(queue: PrefetchQueue, count: Int): Seq[(Long, String)] = {
    val taken = new ConcurrentLinkedQueue[(Long, String)]
    eventually(s"$count events") {
      Iterator.continually(queue.poll()).takeWhile(_ ne null).foreach { message =>
        val event = new ReceivedEvent
        event.set(message)
        taken.add(event.sequenceNumber -> new String(event.body))
      }
      assert(queue.ended.isEmpty || taken.size >= count, s"the link ended: ${queue.ended}")
      taken.size >= count
    }
    taken.asScala.toSeq
  }

  private class ReadScript extends EventHubScript(hub, partitions = 2, lastSequenceNumber = 4)

  test("properties of the hub and of a partition") {
    reading(new ReadScript) { client =>
      val found = client.hubProperties()
      assert(found.name == hub && found.partitionIds == Seq(0, 1))
      assert(found.generation.time.toEpochMilli == 1500000000000L)
      val bounds = client.partitionBounds(Seq(1))(1)
      assert(bounds.earliest == 0 && bounds.latest == 5 && bounds.lastOffset == "400")
    }
  }

  test("events in one frame and in several, whose later frames have only a handle; with and without a header") {
    val bodies = Seq("a", "b" * 200000, "c", "d" * 900000, "e")
    class Script extends ReadScript {
      private var next = 0
      override def onCredit(link: ReplayedLink, credit: Long, connection: ReplayConnection): Unit =
        while (next < bodies.size) {
          val leading = if (next % 2 == 0) ServiceFrames.HeaderAndMetrics else ""
          deliver(link, leading + ServiceFrames.event(next.toLong, bodies(next).getBytes), connection)
          next += 1
        }
    }
    reading(new Script)(client =>
      assert(take(open(client, 5), 5) == bodies.zipWithIndex.map { case (body, index) =>
        index.toLong -> body
      })
    )
  }

  private val refusals = Seq(
    Refusal(
      "missing claims",
      "amqp:unauthorized-access",
      "Unauthorized access. 'Listen' claim(s) are required to perform this operation. Resource: " +
        "'sb://ns/telemetry/consumergroups/$default/partitions/0'.",
      "EVENTHUBS_AUTHENTICATION",
      passes = false
    ),
    Refusal(
      "an unknown partition",
      "com.microsoft:argument-out-of-range",
      "The specified partition is invalid for an EventHub partition sender or receiver. It should be between 0 and 1.\n" +
        "Parameter name: PartitionId",
      "EVENTHUBS_NOT_FOUND",
      passes = false
    ),
    Refusal(
      "an unknown consumer group",
      "amqp:not-found",
      "The messaging entity 'ns:eventhub:telemetry~32766|dashboards' could not be found.",
      "EVENTHUBS_NOT_FOUND",
      passes = false
    ),
    Refusal(
      "too many readers",
      "amqp:resource-limit-exceeded",
      "Exceeded the maximum number of allowed receivers per partition in a consumer group which is 5. List of connected " +
        "receivers - nil, nil, nil, nil, nil.",
      "EVENTHUBS_QUOTA_EXCEEDED",
      passes = false
    ),
    Refusal(
      "a reader with an epoch",
      "amqp:link:stolen",
      "At least one receiver for the endpoint is created with epoch of '0', and so non-epoch receiver is not allowed. " +
        "Either reconnect with a higher epoch, or make sure all epoch receivers are closed or disconnected.",
      "EVENTHUBS_RECEIVER_DISCONNECTED",
      passes = false
    ),
    Refusal(
      "a busy service",
      "com.microsoft:server-busy",
      "The request was terminated because the entity is being throttled. Error code : 50002. Sub error : 102. Please " +
        "wait 4 seconds and try again.",
      "EVENTHUBS_THROTTLED",
      passes = true
    ),
    Refusal(
      "a failure of the service",
      "amqp:internal-error",
      "The service was unable to process the request; please retry the operation.",
      "EVENTHUBS_SERVICE",
      passes = true
    )
  )

  private def assertEnds(queue: PrefetchQueue, refusal: Refusal): Unit = {
    eventually("the link has ended")(queue.ended.nonEmpty)
    queue.ended match {
      case Some(PrefetchQueue.Ending.Failed(error)) =>
        val settings = ReadSettings.parse(
          Map(
            "eventhubs.connectionString" -> s"Endpoint=sb://localhost;SharedAccessKeyName=a;SharedAccessKey=b;EntityPath=$hub"
          ),
          ReadMode.Stream
        )
        val translated = SdkErrors.translate(error, settings.connection.hub, "reading partition 0")
        assert(translated.getCondition == refusal.expected, error)
        assert(translated.getMessage.contains(refusal.text.linesIterator.next()))
        assert(SdkErrors.isTransient(error) == refusal.passes, error)
      case other => fail(s"the link ended with $other")
    }
  }

  refusals.foreach { refusal =>
    test(s"a refused reader: ${refusal.what}") {
      class Script extends ReadScript {
        override def onAttach(link: ReplayedLink, connection: ReplayConnection): Unit = {
          refuse(link, refusal.condition, refusal.text, connection)
          if (refusal.condition == "amqp:unauthorized-access") end(link, refusal.condition, refusal.text, connection)
        }
      }
      reading(new Script)(client => assertEnds(open(client, 5), refusal))
    }
  }

  private val interruptions = Seq(
    Refusal(
      "an expired token",
      "amqp:link:detach-forced",
      "Unauthorized access. 'Listen' claim(s) are required to perform this operation. Resource: " +
        "'sb://ns/telemetry/consumergroups/$default/partitions/0'.",
      "EVENTHUBS_SERVICE",
      passes = true
    ),
    Refusal(
      "an idle reader",
      "amqp:link:detach-forced",
      "The link 'G17:6442759:15_b00c67_1' is force detached. Code: ServerError. Details: " +
        "AmqpEventHubConsumer.IdleTimerExpired: Idle timeout: 00:30:00.",
      "EVENTHUBS_SERVICE",
      passes = true
    ),
    Refusal(
      "another reader with an epoch",
      "amqp:link:stolen",
      "New receiver 'nil' with higher epoch of '0' is created hence current receiver 'nil' with epoch '0' is getting " +
        "disconnected. If you are recreating the receiver, make sure a higher epoch is used.",
      "EVENTHUBS_RECEIVER_DISCONNECTED",
      passes = false
    )
  )

  interruptions.foreach { interruption =>
    test(s"an open reader is detached: ${interruption.what}; the events before are delivered") {
      class Script extends ReadScript {
        override def onCredit(link: ReplayedLink, credit: Long, connection: ReplayConnection): Unit = {
          deliver(link, ServiceFrames.event(0, "a".getBytes), connection)
          connection.send(link.channel, ServiceFrames.detach(link.handle, interruption.condition, interruption.text))
        }
      }
      reading(new Script) { client =>
        val queue = open(client, 5)
        assert(take(queue, 1) == Seq(0L -> "a"))
        assertEnds(queue, interruption)
      }
    }
  }

  test("a connection that the service closes because it has no readers is opened again for the next question") {
    val asked = new AtomicInteger
    class Script extends ReadScript {
      override def properties(request: org.apache.qpid.proton.message.Message) = {
        asked.incrementAndGet()
        super.properties(request)
      }
      override def onFrame(frame: ClientFrame, connection: ReplayConnection): Unit = {
        val before = asked.get
        super.onFrame(frame, connection)
        if (asked.get > before) closeIdle(connection)
      }
      private def closeIdle(connection: ReplayConnection): Unit = {
        val text =
          "The connection was inactive for more than the allowed 300000 milliseconds and is closed by container " +
            "'LinkTracker'."
        openLinks.foreach { link =>
          connection.send(link.channel, ServiceFrames.detach(link.handle, "amqp:connection:forced", text))
        }
        openLinks.map(_.channel).distinct.foreach(connection.send(_, ServiceFrames.End))
        connection.send(0, ServiceFrames.close("amqp:connection:forced", text))
      }
    }
    replaying(new Script) { replay =>
      val client = new AzureEventHubsClient(ReadSettings.parse(options(replay), ReadMode.Stream).connection)
      try {
        (1 to 3).foreach(_ => assert(client.hubProperties().name == hub))
        eventually("another connection was opened")(replay.connections >= 2)
      } finally client.close()
    }
  }

  private def writing[T](script: => ReplayScript)(use: BatchAccumulator => T): T = replaying(script) { replay =>
    val settings = WriteSettings.parse(options(replay))
    val pool = new ProducerPool(EventHubsProducerClient.open, java.time.Duration.ofMinutes(10), new ManualTime)
    try use(BatchAccumulator(pool.borrow(settings.connection), SendLimits.of(settings), SendPermit(() => ())))
    finally pool.close()
  }

  test("events are accepted one by one") {
    writing(new ReadScript) { accumulator =>
      (0 until 5).foreach { i =>
        accumulator.add(event(s"$i"), Some("0"))
        accumulator.flush()
      }
      assert(accumulator.totals.events == 5 && accumulator.totals.retried == 0)
    }
  }

  test("an event that the service rejects because it is busy is sent again on the same link") {
    val attempts = new AtomicInteger
    val attached = new AtomicInteger
    class Script extends ReadScript {
      override def onAttach(link: ReplayedLink, connection: ReplayConnection): Unit = {
        attached.incrementAndGet()
        super.onAttach(link, connection)
      }
      override def onDelivery(link: ReplayedLink, id: Long, connection: ReplayConnection): Unit =
        if (attempts.incrementAndGet() == 1)
          connection.send(
            link.channel,
            ServiceFrames.rejected(
              id,
              "com.microsoft:server-busy",
              "The request was terminated because the entity is being throttled. Error code : 50002. Sub error : 102. " +
                "Please wait 4 seconds and try again. To know more visit the documentation. S:N:NS:EVENTHUB:TELEMETRY" +
                "~32766,CL:1,CC:2,ACC:0,LUR:3,RC:4"
            )
          )
        else super.onDelivery(link, id, connection)
    }
    writing(new Script) { accumulator =>
      accumulator.add(event("busy"), Some("0"))
      accumulator.flush()
      assert(accumulator.totals.events == 1 && accumulator.totals.throttled == 1)
    }
    assert(attempts.get == 2 && attached.get == 1)
  }

  test("an event that the service rejects because of its size fails with that reason") {
    class Script extends ReadScript {
      override def onDelivery(link: ReplayedLink, id: Long, connection: ReplayConnection): Unit =
        connection.send(
          link.channel,
          ServiceFrames.rejected(
            id,
            "amqp:link:message-size-exceeded",
            "The received message (delivery-id:0, size:262412 bytes) exceeds the limit (262144 bytes) currently allowed " +
              "on the link."
          )
        )
    }
    writing(new Script) { accumulator =>
      accumulator.add(event("large"), Some("0"))
      val failed = intercept[Exception](accumulator.flush())
      assert(failed.getMessage.contains("exceeds the limit (262144 bytes)"))
    }
  }
}

private object ServiceReplaySuite {

  /**
   * How the service ends a link.
   *
   * @param expected the connector's condition
   * @param passes   whether another attempt may succeed
   */
  final case class Refusal(what: String, condition: String, text: String, expected: String, passes: Boolean)
}
