package org.apache.spark.eventhubs.connection

import java.lang.management.ManagementFactory

import scala.jdk.CollectionConverters._

import com.sun.management.{ThreadMXBean => AllocationMXBean}

import org.apache.spark.eventhubs.send.OneHubBatches
import org.apache.spark.eventhubs.send.SendFixture.event
import testkit.TestSuite

/** A batch's array goes to the socket without a copy: this saves allocation, and the batch arrives unchanged. */
class ZeroCopySendLinksSuite extends TestSuite with WriteHubFixture {

  /** Every part of a body has the event's number, so that parts of different events differ. */
  private def body(number: Int): String = f"$number%08d" * 125

  private def send(accumulator: OneHubBatches, numbers: Range)(afterEach: => Unit): Unit = {
    numbers.foreach { i =>
      accumulator.add(event(body(i)), None)
      afterEach
    }
    accumulator.flush()
  }

  private def assertUnchanged(hub: String, events: Int): Unit = {
    val arrived = bodies(hub).values.flatten.toSeq
    val changed = arrived.filterNot(text => text == body(text.take(8).toInt))
    assert(changed.length == 0, s"of ${arrived.length} events have changed")
    assert(arrived.map(_.take(8).toInt).distinct.sorted == (0 until events))
  }

  /** Allocated bytes of each thread of the SDK's connections. The local hub's threads have other names. */
  private def allocatedByConnections(): Map[Long, Long] = ManagementFactory.getThreadMXBean match {
    case threads: AllocationMXBean =>
      val connections = Thread.getAllStackTraces.keySet.asScala.filter(_.getName.startsWith("reactor-executor"))
      assert(connections.nonEmpty, "the SDK's connection has a thread of this name")
      connections.map(thread => thread.getId -> threads.getThreadAllocatedBytes(thread.getId)).toMap
    case other => throw new AssertionError(s"${other.getClass.getName} does not know what threads allocate")
  }

  test("the thread of a connection allocates far less than the bytes that it sends") {
    val hub = newHub(1)
    writing(settings(hub)) { accumulator =>
      send(accumulator, 0 until 1000)(())
      val before = allocatedByConnections()
      send(accumulator, 1000 until 41000)(())
      val since = allocatedByConnections().map { case (id, bytes) => bytes - before.getOrElse(id, 0L) }
      val perByte = since.sum / 40e6
      assert(perByte < 0.5, "a copy of each batch would be 1")
    }
    assertUnchanged(hub, 41000)
  }

  test("a batch that waits in the old connection arrives unchanged, although another connection has sent it too") {
    val hub = newHub(1)
    val proxy = new TcpProxy(localHub.amqpPort, window = Some(64 * 1024))
    // With three retries, an attempt has 2 seconds.
    val impatient = through(proxy, hub, "eventhubs.operationTimeout" -> "8s", "eventhubs.sendTimeout" -> "60s")
    var retried = 0L
    try
      writing(impatient) { accumulator =>
        send(accumulator, 0 until 5000)(())
        proxy.pause()
        send(accumulator, 5000 until 60000) {
          // By then the arrays of accepted batches have later events.
          if (accumulator.totals.retried > 0 && accumulator.totals.events > 25000) proxy.resume()
        }
        retried = accumulator.totals.retried
        assert(retried > 0)
      }
    finally proxy.close()
    assertUnchanged(hub, 60000)
    // A wrongly reused array has later events: these would be in the hub twice, instead of the ones that waited.
    val twice = bodies(hub).values.flatten.map(_.take(8).toInt).groupBy(identity).filter(_._2.size > 1).keySet
    // Eight batches were on the wire. More retries mean that the machine itself was too slow.
    if (retried <= 8) assert(twice.forall(_ < 15000), s"${twice.size} events are in the hub twice")
  }
}
