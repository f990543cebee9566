package localhub.amqp.sdk

import java.time.Duration

import scala.jdk.CollectionConverters._

import com.azure.core.amqp.exception.{AmqpErrorCondition, AmqpException}
import com.azure.core.amqp.{AmqpRetryMode, AmqpRetryOptions}
import com.azure.messaging.eventhubs.EventData
import com.azure.messaging.eventhubs.models.{EventPosition, SendOptions}

import localhub.amqp.fault.{Fault, FaultAction, FaultScope, Occasion}
import localhub.amqp.{HubFixture, Subscription}
import testkit.TestSuite

/** The official SDK under injected faults. */
class FaultsSuite extends TestSuite with HubFixture {

  private def sendTo(partition: String, body: String): Unit =
    producer().send(Seq(new EventData(body)).asJava, new SendOptions().setPartitionId(partition))

  private def stored(partition: Int): Long =
    namespace.find("hub1").map(_.partitions(partition).bounds.lastSequenceNumber + 1).getOrElse(-1L)

  private def conditionOf(action: => Unit): AmqpErrorCondition = amqpFailure(action).getErrorCondition

  /** An open subscription: it has received its first event. */
  private def reading(partition: String = "0"): Subscription = {
    send(partition, "first")
    val subscription = subscribe(consumer(), partition)
    subscription.next()
    subscription
  }

  test("a dropped connection completes its subscriptions, and a new one works") {
    val subscription = reading()
    assert(server.faults.inject(Fault(
      FaultAction.DropConnection,
      Occasion.Now,
      FaultScope(hub = Some("HUB1"), consumerGroup = Some("$default"))
    )).hits == 1)
    assert(subscription.isCompleted())
    assert(read("0", 1).head.getData.getBodyAsString == "first")
  }

  test("a link is detached with the given condition, and other links stay open") {
    val zero = reading("0")
    val one = reading("1")
    val scope = FaultScope(partition = Some("0"), consumerGroup = Some("$default"))
    server.faults.inject(Fault(FaultAction.Detach("amqp:link:detach-forced", "maintenance"), Occasion.Now, scope))
    val error = zero.error().asInstanceOf[AmqpException]
    assert(error.getErrorCondition == AmqpErrorCondition.LINK_DETACH_FORCED && error.isTransient)
    sendTo("1", "second")
    assert(one.next().getData.getBodyAsString == "second")
  }

  test("a throttled send fails with server-busy and stores nothing") {
    server.faults.inject(Fault(FaultAction.Throttle, Occasion.Send, count = Some(1)))
    assert(conditionOf(sendTo("0", "x")) == AmqpErrorCondition.SERVER_BUSY_ERROR)
    assert(stored(0) == 0)
    sendTo("0", "y")
    assert(stored(0) == 1 && server.faults.active.isEmpty)
  }

  test("a throttled send succeeds when the SDK retries") {
    server.faults.inject(Fault(FaultAction.Throttle, Occasion.Send, count = Some(1)))
    val retry = new AmqpRetryOptions().setMaxRetries(2).setMode(AmqpRetryMode.FIXED).setDelay(Duration.ofMillis(50))
    val client = closing(builder().retryOptions(retry).buildProducerClient())
    client.send(Seq(new EventData("x")).asJava, new SendOptions().setPartitionId("0"))
    assert(stored(0) == 1 && server.faults.active.isEmpty)
  }

  test("a sender whose answer is lost after the store sends again") {
    server.faults.inject(Fault(FaultAction.DropConnection, Occasion.Stored, count = Some(1)))
    val retry = new AmqpRetryOptions().setMaxRetries(3).setDelay(Duration.ofMillis(50)).setTryTimeout(testTimeout)
    val client = closing(builder().retryOptions(retry).buildProducerClient())
    client.send(Seq(new EventData("twice")).asJava, new SendOptions().setPartitionId("0"))
    assert(stored(0) == 2)
  }

  test("a refused token is reported as 401, for its hub only") {
    namespace.create("other", 1)
    server.faults.inject(Fault(FaultAction.RefuseToken, Occasion.PutToken, FaultScope(hub = Some("hub1"))))
    assert(conditionOf(sendTo("0", "x")) == AmqpErrorCondition.UNAUTHORIZED_ACCESS)
    producer(connectionString("other")).send(Seq(new EventData("x")).asJava)
  }

  test("expired tokens close their links") {
    val subscription = reading()
    server.faults.inject(Fault(FaultAction.ExpireTokens, Occasion.Now))
    val error = subscription.error().asInstanceOf[AmqpException]
    assert(error.getErrorCondition == AmqpErrorCondition.LINK_DETACH_FORCED && error.isTransient)
    assert(error.getMessage.contains("'Listen' claim(s) are required to perform this operation"))
  }

  test("a stolen reader gets the error link-stolen") {
    val subscription = reading()
    server.faults.inject(Fault(FaultAction.Steal, Occasion.Now))
    assert(subscription.error().asInstanceOf[AmqpException].getErrorCondition == AmqpErrorCondition.LINK_STOLEN)
  }

  test("stalled readers receive nothing until the fault is cancelled, then everything") {
    val subscription = reading()
    val stall = server.faults.inject(Fault(FaultAction.Stall, Occasion.Receive))
    sendTo("0", "late")
    eventually("the fault has stalled the reader")(server.faults.active.exists(_.hits == 1))
    assert(subscription.received.isEmpty)
    assert(server.faults.cancel(stall.id))
    assert(subscription.next().getData.getBodyAsString == "late")
  }

  test("a stalled send is stored when the stall ends") {
    val stall = server.faults.inject(Fault(FaultAction.Stall, Occasion.Send))
    val sending = closing(builder().buildAsyncProducerClient())
      .send(Seq(new EventData("late")).asJava, new SendOptions().setPartitionId("0")).toFuture
    eventually("the fault has stalled the delivery")(server.faults.active.exists(_.hits == 1))
    assert(stored(0) == 0 && !sending.isDone)
    server.faults.cancel(stall.id)
    eventually("it is stored and accepted")(sending.isDone && !sending.isCompletedExceptionally)
    assert(stored(0) == 1)
  }

  test("delayed events arrive in order") {
    server.faults.inject(Fault(FaultAction.Delay(Duration.ofMillis(30)), Occasion.Receive, count = Some(3)))
    // More than three times the 64 KB that are sent at a time.
    val bodies = (0 until 500).map(i => s"$i " + "x" * 500)
    send("0", bodies: _*)
    assert(read("0", 500).map(_.getData.getBodyAsString) == bodies)
    assert(server.faults.active.isEmpty, "not all of the delays have happened")
  }

  test("a fault at attach refuses the link, until its count is reached") {
    server.faults.inject(Fault(FaultAction.Detach("com.microsoft:timeout", "slow"), Occasion.Attach, count = Some(1)))
    assert(conditionOf(sendTo("0", "x")) == AmqpErrorCondition.TIMEOUT_ERROR)
    sendTo("0", "x")
    assert(stored(0) == 1 && server.faults.active.isEmpty)
  }

  test("reading continues without loss or duplicates when connections break at random") {
    // Enough occasions, at 64 KB each, that all five faults happen with this seed.
    (0 until 3000).map(i => s"$i " + "x" * 700).grouped(1000).foreach(bodies => send("0", bodies: _*))
    server.faults.seed(7)
    server.faults.inject(Fault(FaultAction.DropConnection, Occasion.Receive, probability = 0.2, count = Some(5)))
    val got = Seq.newBuilder[Long]
    var next = 0L
    while (next < 3000) {
      val subscription = subscribe(consumer(), "0", EventPosition.fromSequenceNumber(next, true))
      while (
        next < 3000 && subscription.tryNext().exists { event =>
          got += event.getData.getSequenceNumber.longValue; next += 1; true
        }
      ) {}
      subscription.close()
    }
    assert(got.result() == (0L until 3000L))
    assert(server.faults.active.isEmpty, "not all faults have happened")
  }

  test("events expire before a reader gets them, and sequence numbers continue") {
    send("0", "a", "b")
    send("1", "kept")
    val fault = Fault(FaultAction.ExpireEvents, Occasion.Receive, FaultScope(partition = Some("0")), count = Some(1))
    server.faults.inject(fault)
    val subscription = subscribe(consumer(), "0")
    eventually("the events have expired")(namespace.find("hub1").exists(_.partitions(0).bounds.isEmpty))
    send("0", "c")
    val event = subscription.next().getData
    assert(event.getBodyAsString == "c" && event.getSequenceNumber == 2L)
    assert(read("1", 1).head.getData.getBodyAsString == "kept")
  }

  test("events expire at once in the hubs and partitions in scope, without a connected client") {
    send("0", "a")
    send("1", "b")
    val expired = server.faults.inject(
      Fault(FaultAction.ExpireEvents, Occasion.Now, FaultScope(hub = Some("HUB1"), partition = Some("1")))
    )
    assert(expired.hits == 1)
    assert(namespace.find("hub1").map(_.partitions.map(_.bounds.isEmpty)).contains(Seq(false, true, true, true)))
  }

  test("stored events expire before their sender is answered, and the sender is answered") {
    server.faults.inject(Fault(FaultAction.ExpireEvents, Occasion.Stored, count = Some(1)))
    sendTo("0", "short-lived")
    val log = namespace.find("hub1").get.partitions.head
    assert(log.bounds.isEmpty && log.bounds.lastSequenceNumber == 0)
  }

  test("readers of a recreated hub get an error that the old one was deleted") {
    val subscription = reading()
    server.faults.inject(Fault(FaultAction.RecreateHub, Occasion.Now, FaultScope(hub = Some("hub1"))))
    assert(subscription.error().asInstanceOf[AmqpException].getErrorCondition == AmqpErrorCondition.NOT_FOUND)
    sendTo("0", "new")
    val event = read("0", 1).head.getData
    assert(event.getBodyAsString == "new" && event.getSequenceNumber == 0L)
  }

  test("a hub is recreated once when a reader attaches") {
    sendTo("0", "old")
    server.faults.inject(Fault(
      FaultAction.RecreateHub,
      Occasion.Attach,
      FaultScope(partition = Some("0")),
      count = Some(1)
    ))
    val subscription = subscribe(consumer(), "0")
    eventually("the reader is in the new hub")(server.readers.nonEmpty && stored(0) == 0)
    namespace.find("hub1").foreach(hub => assert(hub.partitions.size == 4 && hub.hasConsumerGroup("cg1")))
    send("0", "new")
    assert(subscription.next().getData.getBodyAsString == "new")
  }
}
