package localhub

import java.time.Clock

import scala.util.Using

import localhub.amqp.event.EventAppender
import localhub.browse.JsonEvent
import localhub.http.TestClient
import localhub.log.TempDirectory
import localhub.namespace.{DataDirectory, Namespace}
import testkit.TestSuite

/** The program lists events that together are much larger than its heap. */
class HubListingSuite extends TestSuite {

  private val partitions = 4
  private val eventsPerPartition = 200
  private val bodyBytes = 200 * 1000

  test("events of 160 MB are listed, newest first, by a heap of 48 MB") {
    val directory = TempDirectory.create()
    val clock = Clock.systemUTC()
    Using.resource(new Namespace(clock, new DataDirectory(directory, clock, fsync = false))) { hubs =>
      val hub = hubs.create("telemetry", partitions).get
      val event = JsonEvent.parse(ujson.Obj("body" -> "x" * bodyBytes)).encoded
      for (_ <- 0 until eventsPerPartition; log <- hub.partitions) EventAppender.append(log, event)
    }
    Using.resource(new RunningHub(partitions, Some(directory), "48m")) { hub =>
      val client = new TestClient(hub.httpPort)
      val all = client.json("/hubs/telemetry/events?limit=1000")("events").arr
      assert(all.size == partitions * eventsPerPartition)
      assert(all.forall(event => event("bodyTruncated").bool && event("body").str == "x" * 2000))
      val one = client.json("/hubs/telemetry/partitions/1/events?limit=1000")("events").arr
      assert(one.map(_("sequenceNumber").num.toInt) == (0 until eventsPerPartition).reverse)
    }
  }
}
