package org.apache.spark.eventhubs.connection

import org.reactivestreams.Subscription
import reactor.core.CoreSubscriber

import localhub.amqp.fault.{Fault, FaultAction, FaultScope, Occasion}
import org.apache.spark.eventhubs.options.{ReadMode, ReadSettings}
import org.apache.spark.eventhubs.receive.PrefetchQueue
import org.apache.spark.eventhubs.{EventHubName, HubFixture}
import org.apache.spark.sql.eventhubs.source.StoredEvent
import testkit.TestSuite

/** What happens when this JVM fails in the connection's thread while that takes an event. */
class ReceiveFailureSuite extends TestSuite with HubFixture {

  /** Fails at the given message, and counts what comes after it. */
  private class FailingReader(at: Int, error: Throwable) extends CoreSubscriber[Array[Byte]] {
    @volatile var lengths = Seq.empty[Int]
    @volatile var ended = Option.empty[Throwable]

    override def onSubscribe(subscription: Subscription): Unit = subscription.request(100)
    override def onNext(message: Array[Byte]): Unit = {
      lengths :+= message.length
      if (lengths.size == at) throw error
    }
    override def onError(failed: Throwable): Unit = ended = Some(failed)
    override def onComplete(): Unit = ended = Some(new IllegalStateException("the link ended without an error"))
  }

  Seq(
    new OutOfMemoryError("Java heap space"),
    new NoClassDefFoundError("com/contoso/Missing"),
    new IllegalArgumentException("no such thing")
  ).foreach { error =>
    test(s"a ${error.getClass.getSimpleName} ends the link under its own name, and no other link") {
      val name = newHub(2)
      val logs = localHub.namespace.find(name).get.partitions
      Seq(50, 3000).zipWithIndex.foreach { case (count, partition) =>
        StoredEvent.append(logs(partition), partition, count)
      }
      val options = Map("eventhubs.connectionString" -> localHub.connectionString(name))
      val client = new AzureEventHubsClient(ReadSettings.parse(options, ReadMode.Stream).connection)
      try {
        val (failing, other) = (new FailingReader(at = 5, error), new PrefetchQueue(3000))
        client.subscribe(ReceiveLink("$Default", 1, 0, None), other)
        other.request(1000)
        client.subscribe(ReceiveLink("$Default", 0, 0, None), failing)
        eventually("the link ended")(failing.ended.nonEmpty)
        assert(failing.lengths.size == 5 && failing.lengths.forall(_ > 0))
        val known = SdkErrors.translate(failing.ended.get, EventHubName("contoso", name), "reading partition 0")
        assert(known.getCondition == "EVENTHUBS_RECEIVE_FAILED" && known.getMessage.contains(error.toString))
        assert(known.getCause == error && !SdkErrors.isTransient(failing.ended.get))
        eventually("its link is closed")(localHub.amqp.readers.count(_.hub == name) == 1)
        other.request(2000)
        var taken = 0
        eventually("the other link continues") {
          while (other.poll() ne null) taken += 1
          assert(other.ended.isEmpty)
          taken == 3000
        }
      } finally client.close()
    }
  }

  test("an OutOfMemoryError elsewhere in the connection's thread ends all its links, and the next link opens") {
    val name = newHub(2)
    val logs = localHub.namespace.find(name).get.partitions
    logs.zipWithIndex.foreach { case (log, partition) => StoredEvent.append(log, partition, 10) }
    val options = Map("eventhubs.connectionString" -> localHub.connectionString(name))
    val client = new AzureEventHubsClient(ReadSettings.parse(options, ReadMode.Stream).connection)
    try {
      val other = new PrefetchQueue(100)
      client.subscribe(ReceiveLink("$Default", 1, 0, None), other)
      other.request(100)
      eventually("the other link is open")(!other.isEmpty)
      val error = new OutOfMemoryError("Java heap space")
      val failing = new FailingReader(at = 100, error) {
        override def onError(failed: Throwable): Unit = throw error
      }
      client.subscribe(ReceiveLink("$Default", 0, 0, None), failing)
      eventually("the link is open")(failing.lengths.size == 10)
      val detach = FaultAction.Detach("amqp:internal-error", "by the test")
      val scope = FaultScope(hub = Some(name), partition = Some("0"))
      localHub.amqp.faults.inject(Fault(detach, Occasion.Receive, scope, count = Some(1)))
      StoredEvent.append(logs.head, 0, 1)
      while (other.poll() ne null) ()
      eventually("the other link ended")(other.ended.nonEmpty)
      other.ended match {
        case Some(PrefetchQueue.Ending.Failed(failed)) => assert(failed.getCause == error)
        case ending => fail(s"it ended with $ending")
      }
      eventually("another link opens") {
        val queue = new PrefetchQueue(100)
        client.subscribe(ReceiveLink("$Default", 1, 0, None), queue)
        queue.request(100)
        eventually("it has events or an end")(!queue.isEmpty || queue.hasEnded)
        !queue.isEmpty
      }
    } finally client.close()
  }
}
