package org.apache.spark.eventhubs.connection

import java.util.concurrent.{CountDownLatch, TimeUnit}

import localhub.amqp.fault.{Fault, FaultAction, FaultScope, Occasion}
import org.apache.spark.eventhubs.send.SendFixture.event
import org.apache.spark.eventhubs.send.{OneHubBatches, SendLimits, SendPermit}
import org.apache.spark.eventhubs.{Background, EventHubsException}
import testkit.TestSuite

/** Writing over a network with failures. */
class EventHubsProducerFaultSuite extends TestSuite with WriteHubFixture {

  private val impatient = Seq(
    // With three retries, an attempt has 2 seconds.
    "eventhubs.operationTimeout" -> "8s",
    "eventhubs.sendTimeout" -> "120s"
  )

  private def proxied[T](use: TcpProxy => T): T = {
    val proxy = new TcpProxy(localHub.amqpPort)
    try use(proxy)
    finally proxy.close()
  }

  private def assertComplete(hub: String, events: Int, partitions: Int): Unit =
    bodies(hub).foreach { case (partition, arrived) =>
      val numbers = arrived.map(_.take(8).toInt)
      assert(numbers.distinct == (partition until events by partitions), "first arrivals are complete and in order")
    }

  private def add(accumulator: OneHubBatches, numbers: Range, partitions: Int): Unit = {
    val body = "x" * 900
    numbers.foreach(i => accumulator.add(event(f"$i%08d$body"), Some((i % partitions).toString)))
  }

  test("connections that are cut while sending lose no event and keep the order") {
    proxied { proxy =>
      val hub = newHub(2)
      var added = 0
      // A batch that gets no result because of a cut is retried after a quarter of this.
      writing(through(proxy, hub, "eventhubs.operationTimeout" -> "60s")) { accumulator =>
        // A cut while nothing is on the wire causes no retry, so more cuts may be needed.
        while (added < 30000 || accumulator.totals.retried == 0 && added < 300000) {
          add(accumulator, added until added + 5000, partitions = 2)
          added += 5000
          proxy.cut()
        }
        accumulator.flush()
        assert(accumulator.totals.events == added)
        assert(accumulator.totals.retried > 0)
      }
      assertComplete(hub, added, partitions = 2)
    }
  }

  test("a connection that stays open without answers is replaced") {
    proxied { proxy =>
      val hub = newHub(2)
      writing(through(proxy, hub, impatient: _*)) { accumulator =>
        add(accumulator, 0 until 5000, partitions = 2)
        proxy.hold()
        add(accumulator, 5000 until 20000, partitions = 2)
        accumulator.flush()
        assert(accumulator.totals.events == 20000)
        assert(accumulator.totals.retried > 0)
      }
      assertComplete(hub, events = 20000, partitions = 2)
    }
  }

  test("a service that stays away fails the task in time, with the number of confirmed events") {
    val hub = newHub(1)
    val proxy = new TcpProxy(localHub.amqpPort)
    val shortTimeouts = through(proxy, hub, "eventhubs.operationTimeout" -> "8s", "eventhubs.sendTimeout" -> "15s")
    writing(shortTimeouts) { accumulator =>
      accumulator.add(event("first"), Some("0"))
      accumulator.flush()
      accumulator.add(event("second"), Some("0"))
      proxy.close()
      val failure = intercept[EventHubsException](accumulator.flush())
      assert(failure.getMessage.contains("of this task 1 events were confirmed, 1 were not"))
    }
  }

  private val dropping = "eventhubs.oversizedEvents" -> "drop"

  test("no event counts as too large because a connection breaks while a link opens") {
    val hub = newHub(2)
    writing(settings(hub, dropping)) { accumulator =>
      accumulator.add(event("a"), Some("0"))
      localHub.faults.inject(
        Fault(
          FaultAction.DropConnection,
          Occasion.Attach,
          FaultScope(Some(hub), partition = Some("1")),
          count = Some(1)
        )
      )
      Seq("b", "c", "d").foreach(body => accumulator.add(event(body), Some("1")))
      accumulator.flush()
      assert(accumulator.totals.dropped == 0)
    }
    assert(bodies(hub) == Map(0 -> Seq("a"), 1 -> Seq("b", "c", "d")))
  }

  test("no event counts as too large because another task replaces the connection while a link opens") {
    proxied { proxy =>
      val hub = newHub(2)
      val pool = newPool()
      val ours = through(proxy, hub, dropping)
      try {
        val other = pool.borrow(ours.connection)
        val accumulator = OneHubBatches(pool.borrow(ours.connection), SendLimits.of(ours), SendPermit(() => ()))
        accumulator.add(event("a"), Some("0"))
        val opening = proxy.holdFrom(EventHubsProducerFaultSuite.nameOfLink(s"$hub/Partitions/1"))
        val replacer = Background {
          opening.await()
          other.replace(other.producer)
        }
        Seq("b", "c", "d").foreach(body => accumulator.add(event(body), Some("1")))
        replacer.result
        accumulator.flush()
        assert(accumulator.totals.dropped == 0)
      } finally pool.close()
      assert(bodies(hub) == Map(0 -> Seq("a"), 1 -> Seq("b", "c", "d")))
    }
  }

  test("an interrupted thread stops waiting at once") {
    proxied { proxy =>
      val hub = newHub(1)
      val waiting = new CountDownLatch(1)
      val task = Background(writing(through(proxy, hub)) { accumulator =>
        accumulator.add(event("first"), Some("0"))
        accumulator.flush()
        proxy.hold()
        accumulator.add(event("second"), Some("0"))
        waiting.countDown()
        accumulator.flush()
      })
      assert(waiting.await(60, TimeUnit.SECONDS))
      task.interrupt()
      assert(task.failure.isInstanceOf[InterruptedException])
    }
  }
}

private object EventHubsProducerFaultSuite {

  /** The link's name as the frame that opens the link has it, and no other: a short string with only the name. */
  def nameOfLink(name: String): Array[Byte] = Array(0xa1.toByte, name.length.toByte) ++ name.getBytes
}
