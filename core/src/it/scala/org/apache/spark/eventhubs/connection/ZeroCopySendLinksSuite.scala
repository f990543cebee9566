package org.apache.spark.eventhubs.connection

import java.lang.management.ManagementFactory

import scala.jdk.CollectionConverters._

import com.sun.management.{ThreadMXBean => AllocationMXBean}
import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.eventhubs.send.BatchAccumulator
import org.apache.spark.eventhubs.send.SendFakes.event

/** A batch's array goes to the socket as it is: what that saves, and that nobody sees it change. */
class ZeroCopySendLinksSuite extends AnyFunSuite with WriteHubFixture {

  /** Recognisable in every byte, and different in every event, so that no part of one passes for a part of another. */
  private def body(number: Int): String = f"$number%08d" * 125

  private def send(queue: BatchAccumulator, numbers: Range)(afterEach: => Unit): Unit = {
    numbers.foreach { i =>
      queue.add(event(body(i)), None)
      afterEach
    }
    queue.flush()
  }

  private def assertUnchanged(hub: String, events: Int): Unit = {
    val arrived = bodies(hub).values.flatten.toSeq
    val changed = arrived.filterNot(text => text == body(text.take(8).toInt))
    assert(changed.length == 0, s"of ${arrived.length} are not as they were sent")
    assert(arrived.map(_.take(8).toInt).distinct.sorted == (0 until events))
  }

  /** By thread of the SDK's connections, what it has allocated. The hub of this JVM has threads of other names. */
  private def allocatedByConnections(): Map[Long, Long] = ManagementFactory.getThreadMXBean match {
    case threads: AllocationMXBean =>
      val connections = Thread.getAllStackTraces.keySet.asScala.filter(_.getName.startsWith("reactor-executor"))
      assert(connections.nonEmpty, "the SDK's connection has a thread of this name")
      connections.map(thread => thread.getId -> threads.getThreadAllocatedBytes(thread.getId)).toMap
    case other => throw new AssertionError(s"${other.getClass.getName} does not know what threads allocate")
  }

  test("the thread of a connection allocates far less than the bytes that it sends") {
    val hub = newHub(1)
    writing(settings(hub)) { queue =>
      send(queue, 0 until 1000)(())
      val before = allocatedByConnections()
      send(queue, 1000 until 41000)(())
      val since = allocatedByConnections().map { case (id, bytes) => bytes - before.getOrElse(id, 0L) }
      val perByte = since.sum / 40e6
      assert(perByte < 0.5, "a copy of each batch would be 1")
    }
    assertUnchanged(hub, 41000)
  }

  test("a batch that stands in the old connection arrives as it was, though it went by another one meanwhile") {
    val hub = newHub(1)
    val proxy = new TcpProxy(localHub.amqpPort, window = Some(64 * 1024))
    // With three retries, a single try has 2 seconds.
    val impatient = through(proxy, hub, "eventhubs.operationTimeout" -> "8s", "eventhubs.sendTimeout" -> "60s")
    var retried = 0L
    try
      writing(impatient) { queue =>
        send(queue, 0 until 5000)(())
        proxy.standStill()
        send(queue, 5000 until 60000) {
          // By then later events are in the arrays of whatever batches were accepted.
          if (queue.totals.retried > 0 && queue.totals.events > 25000) proxy.goOn()
        }
        retried = queue.totals.retried
        assert(retried > 0)
      }
    finally proxy.close()
    assertUnchanged(hub, 60000)
    // An array that was filled anew is a good batch of other events: they would be there twice, and not those that stood.
    val twice = bodies(hub).values.flatten.map(_.take(8).toInt).groupBy(identity).filter(_._2.size > 1).keySet
    // Eight batches were on the way. More retries than that are those of a machine that stood still itself.
    if (retried <= 8) assert(twice.forall(_ < 15000), s"${twice.size} events are there twice")
  }
}
