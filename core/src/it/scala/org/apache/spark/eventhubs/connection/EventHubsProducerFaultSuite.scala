package org.apache.spark.eventhubs.connection

import java.util.concurrent.{CountDownLatch, TimeUnit}

import org.scalatest.funsuite.AnyFunSuite

import localhub.amqp.fault.{Fault, FaultAction, FaultScope, Occasion}
import org.apache.spark.eventhubs.send.SendFakes.event
import org.apache.spark.eventhubs.send.{BatchAccumulator, SendLimits}
import org.apache.spark.eventhubs.{Background, EventHubsException}

/** Writing over a network that fails. */
class EventHubsProducerFaultSuite extends AnyFunSuite with WriteHubFixture {

  private val impatient = Seq(
    // With three retries, a single try has 2 seconds.
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

  private def add(queue: BatchAccumulator, numbers: Range, partitions: Int): Unit = {
    val body = "x" * 900
    numbers.foreach(i => queue.add(event(f"$i%08d$body"), Some((i % partitions).toString)))
  }

  test("connections that are cut while sending lose no event and no order") {
    proxied { proxy =>
      val hub = newHub(2)
      var added = 0
      // What a cut leaves without an answer is tried again after a fourth of this.
      writing(through(proxy, hub, "eventhubs.operationTimeout" -> "60s")) { queue =>
        // A cut while nothing is on the wire costs no batch a try, so there may have to be more of them.
        while (added < 30000 || queue.totals.retried == 0 && added < 300000) {
          add(queue, added until added + 5000, partitions = 2)
          added += 5000
          proxy.cut()
        }
        queue.flush()
        assert(queue.totals.events == added)
        assert(queue.totals.retried > 0)
      }
      assertComplete(hub, added, partitions = 2)
    }
  }

  test("a connection that stays open and answers nothing is given up for a new one") {
    proxied { proxy =>
      val hub = newHub(2)
      writing(through(proxy, hub, impatient: _*)) { queue =>
        add(queue, 0 until 5000, partitions = 2)
        proxy.hold()
        add(queue, 5000 until 20000, partitions = 2)
        queue.flush()
        assert(queue.totals.events == 20000)
        assert(queue.totals.retried > 0)
      }
      assertComplete(hub, events = 20000, partitions = 2)
    }
  }

  test("a service that does not come back fails the task in time, telling what was confirmed") {
    val hub = newHub(1)
    val proxy = new TcpProxy(localHub.amqpPort)
    writing(through(proxy, hub, "eventhubs.operationTimeout" -> "8s", "eventhubs.sendTimeout" -> "15s")) { queue =>
      queue.add(event("first"), Some("0"))
      queue.flush()
      queue.add(event("second"), Some("0"))
      proxy.close()
      val failure = intercept[EventHubsException](queue.flush())
      assert(failure.getMessage.contains("of this task 1 events were confirmed, 1 were not"))
    }
  }

  private val dropping = "eventhubs.oversizedEvents" -> "drop"

  test("a connection that breaks while a link is opened is no reason to take events for too large") {
    val hub = newHub(2)
    writing(settings(hub, dropping)) { queue =>
      queue.add(event("a"), Some("0"))
      localHub.faults.inject(
        Fault(
          FaultAction.DropConnection,
          Occasion.Attach,
          FaultScope(Some(hub), partition = Some("1")),
          count = Some(1)
        )
      )
      Seq("b", "c", "d").foreach(body => queue.add(event(body), Some("1")))
      queue.flush()
      assert(queue.totals.dropped == 0)
    }
    assert(bodies(hub) == Map(0 -> Seq("a"), 1 -> Seq("b", "c", "d")))
  }

  test("a connection that another task replaces while a link is opened is no reason to take events for too large") {
    proxied { proxy =>
      val hub = newHub(2)
      val pool = newPool()
      val ours = through(proxy, hub, dropping)
      try {
        val other = pool.lend(ours.connection)
        val queue = BatchAccumulator(pool.lend(ours.connection), SendLimits.of(ours), () => ())
        queue.add(event("a"), Some("0"))
        val opening = proxy.holdFrom(EventHubsProducerFaultSuite.nameOfLink(s"$hub/Partitions/1"))
        val replacer = Background {
          opening.await()
          other.replace(other.producer)
        }
        Seq("b", "c", "d").foreach(body => queue.add(event(body), Some("1")))
        replacer.result
        queue.flush()
        assert(queue.totals.dropped == 0)
      } finally pool.close()
      assert(bodies(hub) == Map(0 -> Seq("a"), 1 -> Seq("b", "c", "d")))
    }
  }

  test("a thread that is interrupted while it waits stops at once") {
    proxied { proxy =>
      val hub = newHub(1)
      val waiting = new CountDownLatch(1)
      val task = Background(writing(through(proxy, hub)) { queue =>
        queue.add(event("first"), Some("0"))
        queue.flush()
        proxy.hold()
        queue.add(event("second"), Some("0"))
        waiting.countDown()
        queue.flush()
      })
      assert(waiting.await(60, TimeUnit.SECONDS))
      task.interrupt()
      assert(task.failure.isInstanceOf[InterruptedException])
    }
  }
}

private object EventHubsProducerFaultSuite {

  /** As it stands in the frame that opens the link, and in no other: a short string that is nothing but the name. */
  def nameOfLink(name: String): Array[Byte] = Array(0xa1.toByte, name.length.toByte) ++ name.getBytes
}
