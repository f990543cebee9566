package org.apache.spark.eventhubs.connection.replay

import java.util.concurrent.atomic.AtomicInteger

import org.apache.spark.eventhubs.connection._
import org.apache.spark.eventhubs.options.{ReadMode, ReadSettings}
import testkit.TestSuite

/** The connector reads from the service's own frames. */
class ServiceReplaySuite extends TestSuite with ServiceReplayFixture {

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

  Seq("local-hub-strict").foreach { name =>
    test(s"what `verify --trace` wrote: properties, ATTACH and events of $name") {
      val file = Option(getClass.getResourceAsStream(s"/traces/$name.jsonl")).get
      val trace = RecordedFrame.ofTrace(new String(file.readAllBytes(), "UTF-8"))
      reading(new TraceScript(hub, trace)) { client =>
        assert(client.hubProperties().partitionIds == Seq(0, 1))
        val bounds = client.partitionBounds(Seq(0))(0)
        assert(bounds.earliest == 0 && bounds.latest >= 0)
        val events = take(open(client, 5), 1)
        // A body has as many letters as the user's.
        assert(events.map(_._1) == Seq(0L) && events.forall(_._2.matches("x+")))
      }
    }
  }
}
