package org.apache.spark.eventhubs.connection

import com.azure.messaging.eventhubs.ProducerClaim

import org.apache.spark.eventhubs.options.WriteDestination.ToPartition
import org.apache.spark.eventhubs.send.SendFixture.event
import testkit.{NotOnStrict, TestSuite}

/** Links of idempotent producers, as the hub grants them. */
class IdempotentLinkSuite extends TestSuite with WriteHubFixture {

  private val partition = ToPartition("0")
  private val granted = NotOnStrict("there are no idempotent producers")

  private def connected[A](hub: String)(use: EventHubsProducer => A): A = {
    val producer = EventHubsProducerClient.open(settings(hub, "eventhubs.operationTimeout" -> "20s").connection)
    try use(producer)
    finally producer.close()
  }

  private def open(producer: EventHubsProducer, claim: ProducerClaim = ProducerClaim(None, -1)): IdempotentLink =
    producer.openIdempotent(partition, claim).get().getOrElse(fail("not granted"))

  private def batch(link: IdempotentLink, first: Int, bodies: String*): EventBatch = {
    val batch = link.newBatch(None)
    bodies.foreach(body => assert(batch.tryAdd(event(body)) == EventBatch.Added))
    batch.number(link.grant.id, link.grant.epoch, first)
    batch
  }

  private def refusal(sending: => Any): Throwable = {
    val failed = SdkErrors.cause(intercept[Exception](sending))
    assert(ProducerFailure.of(failed) == ProducerFailure.Permanent)
    failed
  }

  test("a link with a higher epoch says what is stored, and shuts out the link before it", granted) {
    val hub = newHub(1)
    connected(hub) { producer =>
      val first = open(producer)
      assert(first.grant.lastNumber == -1)
      first.send(batch(first, 0, "a", "b", "c")).get()
      connected(hub) { other =>
        val second = open(other, ProducerClaim(Some(first.grant.id), 1))
        assert(second.grant.id == first.grant.id && second.grant.epoch == 1 && second.grant.lastNumber == 2)
        intercept[Exception](first.send(batch(first, 3, "late")).get())
        second.send(batch(second, 3, "d", "e")).get()
        assert(refusal(open(producer, ProducerClaim(Some(first.grant.id), 0)))
          .getMessage.contains("com.microsoft:producer-epoch-stolen"))
      }
    }
    assert(bodies(hub)(0) == Seq("a", "b", "c", "d", "e"))
  }

  test("a batch that was stored is accepted again and stored once; one after a gap is refused", granted) {
    val hub = newHub(1)
    connected(hub) { producer =>
      val link = open(producer)
      val repeated = batch(link, 0, "a", "b")
      link.send(repeated).get()
      link.send(repeated).get()
      assert(refusal(link.send(batch(link, 3, "d")).get()).getMessage.contains("com.microsoft:out-of-order-sequence"))
      link.send(batch(link, 2, "c")).get()
    }
    assert(bodies(hub)(0) == Seq("a", "b", "c"))
  }

  test("two producers on one connection have links of their own, next to the link that others share", granted) {
    val hub = newHub(1)
    connected(hub) { producer =>
      val (one, two) = (open(producer), open(producer))
      assert(one.grant.id != two.grant.id)
      one.send(batch(one, 0, "a")).get()
      two.send(batch(two, 0, "b")).get()
      val plain = producer.newBatch(partition, None).get()
      plain.tryAdd(event("c"))
      producer.send(plain).get()
      one.close()
      two.send(batch(two, 1, "d")).get()
    }
    assert(bodies(hub)(0) == Seq("a", "b", "c", "d"))
  }
}
