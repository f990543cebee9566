package org.apache.spark.eventhubs.send

import java.time.Duration
import java.util.concurrent.{CompletableFuture, TimeoutException}

import scala.collection.mutable

import com.azure.messaging.eventhubs.{ProducerClaim, ProducerGrant}

import org.apache.spark.eventhubs.amqp.{OutgoingEvent, StampName, StampProperty}
import org.apache.spark.eventhubs.options.WriteDestination
import org.apache.spark.eventhubs.send.SendFixture.{accumulator, event, limits, poolOf}
import testkit.TestSuite

/** Batches whose result was lost, sent by idempotent producers. */
class IdempotentDeliverySuite extends TestSuite {

  private val idempotent = limits.copy(idempotent = true)
  private val noAnswer = new TimeoutException("no answer")

  /** Grants links of one partition, and stores events as the service does. */
  private final class Service {
    val claims = mutable.Buffer.empty[ProducerClaim]
    val stored = mutable.Buffer.empty[String]
    private val last = mutable.Map.empty[Long, Int].withDefaultValue(-1)
    private var epoch: Short = 0

    def grant(claim: ProducerClaim): Option[ProducerGrant] = {
      claims += claim
      val id = claim.id.getOrElse(claims.length.toLong)
      epoch = if (claim.id.isEmpty) 0 else claim.epoch
      Some(ProducerGrant(id, epoch, last(id)))
    }

    def store(batch: FakeBatch): Unit = {
      val (id, of, first) = batch.numbers.last
      assert(of == epoch && first == last(id) + 1)
      stored ++= batch.bodies
      last(id) += batch.count
    }

    /** Forgets the producers, as a restart does. */
    def forget(): Unit = last.clear()
  }

  private final class Lookup(stored: Boolean) extends InDoubtBatchLookup {
    var lookups = 0
    override val settleTime: Duration = Duration.ofSeconds(5)
    override val settleTimeAfterStall: Duration = Duration.ofSeconds(60)
    override def areStored(batches: Seq[InDoubtBatch]): Seq[Boolean] = {
      lookups += 1
      batches.map(_ => stored)
    }
  }

  private def stamped(body: String): OutgoingEvent =
    event(body).copy(stamp = Some(new StampProperty(StampName("stamp"), body.getBytes)))

  private val bodies = Seq("a-00000001", "b-00000002", "c-00000003")

  /** Sends to partition 0. The second batch has no answer on the first connection. */
  private def sent(service: Service, lookup: Lookup, isStored: Boolean, partition: Option[String] = Some("0"))(
      beforeAnswer: => Unit
  ): Duration = {
    val first = new FakeProducer(
      1,
      send =>
        if (send.batch.bodies.head.startsWith("b")) {
          if (isStored) service.store(send.batch)
          beforeAnswer
          send.fail(noAnswer)
        } else {
          service.store(send.batch)
          send.confirm()
        },
      grants = service.grant
    )
    val second = new FakeProducer(1, send => { service.store(send.batch); send.confirm() }, grants = service.grant)
    val results = new ManualSendResults
    val events = accumulator(poolOf(first, second), idempotent, results, lookup = Some(lookup))
    bodies.foreach(body => events.add(stamped(body), partition))
    events.flush()
    assert(events.totals.events == 3)
    results.elapsed
  }

  Seq(true, false).foreach { isStored =>
    test(
      s"a batch without an answer that is ${if (isStored) "" else "not "}stored: a new link says so, without a wait"
    ) {
      val (service, lookup) = (new Service, new Lookup(stored = false))
      val waited = sent(service, lookup, isStored)(())
      assert(service.stored == bodies)
      assert(lookup.lookups == 0 && waited.compareTo(Duration.ofSeconds(5)) < 0)
      assert(service.claims == Seq(ProducerClaim(None, -1), ProducerClaim(Some(1), 1)), "the epoch is higher")
    }
  }

  test("where the service has forgotten the producer, the hub is looked into, and another id is used") {
    Seq(true, false).foreach { isStored =>
      val (service, lookup) = (new Service, new Lookup(isStored))
      sent(service, lookup, isStored)(service.forget())
      assert(service.stored == bodies && lookup.lookups == 1)
      assert(service.claims.map(_.id) == Seq(None, Some(1), None))
    }
  }

  test("a producer that the service has forgotten between two batches continues with another id") {
    val service = new Service
    lazy val pool = poolOf(first, second)
    lazy val first: FakeProducer = new FakeProducer(
      1,
      send => {
        service.store(send.batch)
        // Another task has replaced the connection.
        if (send.batch.bodies.head.startsWith("b")) {
          service.forget()
          pool.borrow(SendFixture.connection).replace(first)
        }
        send.confirm()
      },
      grants = service.grant
    )
    lazy val second =
      new FakeProducer(1, send => { service.store(send.batch); send.confirm() }, grants = service.grant)
    val events = accumulator(pool, idempotent, lookup = Some(new Lookup(stored = false)))
    bodies.foreach(body => events.add(stamped(body), Some("0")))
    events.flush()
    assert(service.stored == bodies && service.claims.map(_.id).last.isEmpty)
  }

  test("a first batch without an answer proves nothing: the hub is looked into") {
    val (service, lookup) = (new Service, new Lookup(stored = false))
    val first = new FakeProducer(1, _.fail(noAnswer), grants = service.grant)
    val second = new FakeProducer(1, send => { service.store(send.batch); send.confirm() }, grants = service.grant)
    val events = accumulator(poolOf(first, second), idempotent, lookup = Some(lookup))
    bodies.foreach(body => events.add(stamped(body), Some("0")))
    events.flush()
    assert(service.stored == bodies && lookup.lookups == 1)
  }

  test("events without a partition or key go to the partitions in turn, batch by batch") {
    val destinations = mutable.Buffer.empty[WriteDestination]
    val grant = (_: ProducerClaim) => Some(ProducerGrant(1, 0, -1))
    val producer =
      new FakeProducer(3, send => { destinations += send.batch.destination; send.confirm() }, grants = grant)
    val events = accumulator(poolOf(producer), idempotent, lookup = Some(new Lookup(stored = false)))
    (1 to 6).foreach(i => events.add(stamped(s"a-0000000$i"), None))
    events.flush()
    assert(destinations.toSet.size == 3 && destinations.groupBy(identity).values.forall(_.length == 2))
  }

  test("where the service grants no producers, the service chooses partitions, and the hub is looked into") {
    val lookup = new Lookup(stored = true)
    val first =
      new FakeProducer(2, send => if (send.batch.bodies.head.startsWith("c")) send.fail(noAnswer) else send.confirm())
    val events = accumulator(poolOf(first, new FakeProducer(2, _.confirm())), idempotent, lookup = Some(lookup))
    bodies.foreach(body => events.add(stamped(body), None))
    events.flush()
    assert(first.sends.map(_.batch.destination).last == WriteDestination.AnyPartition)
    assert(first.sends.forall(!_.batch.isNumbered) && lookup.lookups == 1)
  }

  test("a link that opens after its task was killed is closed") {
    final class Killed extends RuntimeException
    val opening = new CompletableFuture[Unit]
    var isKilled = false
    def open(): CompletableFuture[Unit] = {
      isKilled = true
      opening
    }
    val producer = new FakeProducer(1, _ => (), grants = (new Service).grant, onLink = _ => open())
    def checkCancelled(): Unit = if (isKilled) throw new Killed
    val events = accumulator(
      poolOf(producer),
      idempotent,
      checkCancelled = () => checkCancelled(),
      lookup = Some(new Lookup(stored = false))
    )
    intercept[Killed](events.add(event("a"), Some("0")))
    opening.complete(())
    assert(producer.links.map(_.isClosed) == Seq(true))
  }

  test("a task that gives up while a connection stalls shuts out what may arrive, and does not wait for it") {
    val service = new Service
    val producer = new FakeProducer(1, _ => (), grants = service.grant)
    val results = new ManualSendResults
    val next = new FakeProducer(1, _ => (), grants = service.grant)
    val events = accumulator(poolOf(producer, next), idempotent, results, lookup = Some(new Lookup(stored = false)))
    bodies.foreach(body => events.add(stamped(body), Some("0")))
    events.abandon()
    assert(producer.isAborted && results.elapsed == limits.silence)
    assert(service.claims.last == ProducerClaim(Some(1), 1))
  }
}
