package org.apache.spark.eventhubs.connection.replay

import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicInteger

import com.azure.messaging.eventhubs.ProducerClaim
import org.apache.qpid.proton.amqp.transport.Detach

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.connection._
import org.apache.spark.eventhubs.options.WriteDestination.ToPartition
import org.apache.spark.eventhubs.options.WriteSettings
import org.apache.spark.eventhubs.send.SendFixture.event
import org.apache.spark.eventhubs.send.{OneHubBatches, SendLimits, SendPermit}
import org.apache.spark.util.ManualTime
import testkit.TestSuite

/** The connector writes, and gets the service's own answers. */
class ServiceReplayWriteSuite extends TestSuite with ServiceReplayFixture {

  private def writing[T](script: => ReplayScript)(use: OneHubBatches => T): T = replaying(script) { replay =>
    val settings = WriteSettings.parse(options(replay))
    val pool = new ProducerPool(EventHubsProducerClient.open, java.time.Duration.ofMinutes(10), new ManualTime)
    try use(OneHubBatches(pool.borrow(settings.connection), SendLimits.of(settings), SendPermit(() => ())))
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

  test("the link of an idempotent producer that opens too late is closed") {
    val (answers, closed) = (new ConcurrentLinkedQueue[() => Unit], new AtomicInteger)
    class Script extends ReadScript {
      override def onAttach(link: ReplayedLink, connection: ReplayConnection): Unit = {
        answers.add(() => accept(link, connection))
        ()
      }
      override def onFrame(frame: ClientFrame, connection: ReplayConnection): Unit = {
        super.onFrame(frame, connection)
        if (frame.body.isInstanceOf[Detach]) closed.incrementAndGet()
      }
    }
    replaying(new Script) { replay =>
      val settings = WriteSettings.parse(options(replay) + ("eventhubs.operationTimeout" -> "8s"))
      val producer = EventHubsProducerClient.open(settings.connection)
      try {
        intercept[Exception](producer.openIdempotent(ToPartition("0"), ProducerClaim(None, -1)).get())
        assert(closed.get == 0)
        answers.forEach(_.apply())
        eventually("the client has closed the link")(closed.get == 1)
      } finally producer.close()
    }
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

  test("an event that the service could not process is sent again by the connector, on the same connection") {
    val (attempts, connections) = (new AtomicInteger, new AtomicInteger)
    class Script extends ReadScript {
      connections.incrementAndGet()
      override def onDelivery(link: ReplayedLink, id: Long, connection: ReplayConnection): Unit =
        if (attempts.incrementAndGet() > 3) super.onDelivery(link, id, connection)
        else {
          val text = "The service was unable to process the request; please retry the operation."
          connection.send(link.channel, ServiceFrames.rejected(id, "amqp:internal-error", text))
        }
    }
    writing(new Script) { accumulator =>
      accumulator.add(event("again"), Some("0"))
      accumulator.flush()
      // Not by the SDK: an exactly-once write looks into the hub first.
      assert(accumulator.totals.events == 1 && accumulator.totals.retried == 3)
    }
    assert(attempts.get == 4 && connections.get == 1)
  }

  private val detached = Seq(
    "it was idle" -> ("The link 'G25:30407932:/telemetry/Partitions/0_1' is force detached by the broker due to " +
      "errors occurred in publisher(link39916690). Detach origin: AmqpEventHubPublisher.IdleTimerExpired: Idle " +
      "timeout: 00:30:00."),
    "its token has expired" -> ("Unauthorized access. 'Send' claim(s) are required to perform this operation. " +
      "Resource: 'sb://ns/telemetry/partitions/0'.")
  )

  detached.foreach { case (why, text) =>
    test(s"a sender's link that was detached because $why is opened again for the next event") {
      val (attached, stored, closed, tokens) =
        (new AtomicInteger, new AtomicInteger, new AtomicInteger, new AtomicInteger)
      class Script extends ReadScript {
        override def onAttach(link: ReplayedLink, connection: ReplayConnection): Unit = {
          attached.incrementAndGet()
          super.onAttach(link, connection)
        }
        override def putToken() = {
          tokens.incrementAndGet()
          super.putToken()
        }
        override def onDelivery(link: ReplayedLink, id: Long, connection: ReplayConnection): Unit = {
          // Counted before it is answered: the client continues as soon as it has the answer.
          val first = stored.incrementAndGet() == 1
          super.onDelivery(link, id, connection)
          if (first) detach(link, "amqp:link:detach-forced", text, connection)
        }
        override def onFrame(frame: ClientFrame, connection: ReplayConnection): Unit = {
          super.onFrame(frame, connection)
          if (frame.body.isInstanceOf[Detach]) closed.incrementAndGet()
        }
      }
      writing(new Script) { accumulator =>
        accumulator.add(event("before"), Some("0"))
        accumulator.flush()
        eventually("the client has closed its side of the link")(closed.get > 0)
        val before = tokens.get
        accumulator.add(event("after"), Some("0"))
        accumulator.flush()
        assert(accumulator.totals.events == 2 && accumulator.totals.retried == 0)
        assert(tokens.get > before, "the new link has a new token")
      }
      assert(stored.get == 2 && attached.get == 2)
    }
  }

  test("a token that $cbs refuses fails the write with the service's reason") {
    val text = "The messaging entity 'sb://ns/telemetry' could not be found."
    class Script extends ReadScript {
      override def putToken() = (ServiceFrames.refusal(404, text, Some("amqp:not-found")), AmqpHex.Null)
    }
    writing(new Script) { accumulator =>
      val failed = intercept[EventHubsException] {
        accumulator.add(event("lost"), Some("0"))
        accumulator.flush()
      }
      assert(failed.getCondition == "EVENTHUBS_NOT_FOUND" && failed.getMessage.contains(text))
    }
  }
}
