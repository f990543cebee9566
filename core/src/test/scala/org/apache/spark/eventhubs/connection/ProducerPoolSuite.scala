package org.apache.spark.eventhubs.connection

import java.time.Duration
import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, TimeUnit}

import scala.collection.mutable
import scala.concurrent.ExecutionContext.Implicits.global
import scala.concurrent.duration._
import scala.concurrent.{Await, Future}

import org.apache.spark.eventhubs.send.FakeProducer
import org.apache.spark.eventhubs.send.SendFixture.connection
import org.apache.spark.eventhubs.{Credential, Secret}
import org.apache.spark.util.ManualTime
import testkit.TestSuite

class ProducerPoolSuite extends TestSuite {

  private final class Fixture {
    val opened = mutable.Buffer.empty[FakeProducer]
    val clock = new ManualTime
    val pool = new ProducerPool(
      { _ =>
        opened += new FakeProducer(4, _.confirm())
        opened.last
      },
      Duration.ofMinutes(10),
      clock
    )
    def pass(minutes: Long): Unit = clock.advance(Duration.ofMinutes(minutes))
  }

  test("tasks with equal settings share a producer, at the same time and one after the other") {
    val fixture = new Fixture
    val first = fixture.pool.borrow(connection)
    val second = fixture.pool.borrow(connection)
    assert(first.producer eq second.producer)
    first.close()
    second.close()
    fixture.pass(minutes = 9)
    assert(fixture.pool.borrow(connection).producer eq fixture.opened.head)
    assert(fixture.opened.length == 1)
  }

  test("another credential gets another producer") {
    val fixture = new Fixture
    val other = connection.copy(credential = Credential.SharedKey("policy", Secret("another key")))
    assert(!(fixture.pool.borrow(connection).producer eq fixture.pool.borrow(other).producer))
  }

  test("an idle producer is closed, a borrowed one is not") {
    val fixture = new Fixture
    val used = fixture.pool.borrow(connection.copy(maxRetries = 1))
    fixture.pool.borrow(connection.copy(maxRetries = 2)).close()
    fixture.pass(minutes = 11)
    fixture.pool.evictIdle()
    assert(fixture.opened.map(_.isClosed) == Seq(false, true))
    used.close()
    fixture.pass(minutes = 11)
    fixture.pool.evictIdle()
    assert(fixture.opened.map(_.isClosed) == Seq(true, true))
  }

  test("a lease that is closed twice counts once") {
    val fixture = new Fixture
    val twice = fixture.pool.borrow(connection)
    fixture.pool.borrow(connection)
    twice.close()
    twice.close()
    fixture.pass(minutes = 11)
    fixture.pool.evictIdle()
    assert(!fixture.opened.head.isClosed)
  }

  test("a dead producer is replaced once for all its borrowers") {
    val fixture = new Fixture
    val leases = Seq.fill(3)(fixture.pool.borrow(connection))
    val dead = leases.head.producer
    leases.foreach(_.replace(dead))
    assert(fixture.opened.map(_.isClosed) == Seq(true, false))
    leases.foreach(lease => assert(lease.producer eq fixture.opened.last))
  }

  test("a dead producer is aborted, also when no other one can be opened") {
    var isGone = false
    val opened = mutable.Buffer.empty[FakeProducer]
    val pool = new ProducerPool(
      { _ =>
        if (isGone) throw new IllegalStateException("the file of the key is being replaced")
        opened += new FakeProducer(4, _.confirm())
        opened.last
      },
      Duration.ofMinutes(10),
      new ManualTime
    )
    val lease = pool.borrow(connection)
    isGone = true
    intercept[IllegalStateException](lease.replace(opened.head))
    assert(opened.head.isAborted)
    isGone = false
    lease.replace(opened.head)
    assert(opened.length == 2 && (lease.producer eq opened.last))
  }

  test("a borrower that finds its producer replaced waits until the other borrower's abort has ended") {
    val fixture = new Fixture
    val leases = Seq.fill(2)(fixture.pool.borrow(connection))
    val dead = fixture.opened.head
    val mayEnd = new CountDownLatch(1)
    val order = new ConcurrentLinkedQueue[String]
    dead.onAbort = () => {
      mayEnd.await()
      order.add("the abort ended")
      ()
    }
    val first = startThread("first")(leases.head.replace(dead))
    eventually("the abort has not begun")(dead.isAborted)
    val second = startThread("second") {
      leases(1).replace(dead)
      order.add("the other borrower continued")
      ()
    }
    eventually("the other borrower neither waits nor continues") {
      second.getState == Thread.State.WAITING || !second.isAlive
    }
    mayEnd.countDown()
    Seq(first, second).foreach(_.join())
    assert(order.toArray.toSeq == Seq("the abort ended", "the other borrower continued"))
    assert(fixture.opened.length == 2 && leases.forall(_.producer eq fixture.opened.last))
  }

  private def startThread(name: String)(body: => Unit): Thread = {
    val thread = new Thread(() => body, name)
    thread.setDaemon(true)
    thread.start()
    thread
  }

  test("partition ids are requested once a minute, and with refresh") {
    val fixture = new Fixture
    val lease = fixture.pool.borrow(connection)
    val first = lease.partitionIds(refresh = false)
    assert(lease.partitionIds(refresh = false) eq first)
    val refreshed = lease.partitionIds(refresh = true)
    assert(!(refreshed eq first))
    fixture.pass(minutes = 1)
    assert(!(lease.partitionIds(refresh = false) eq refreshed))
    assert(first.join() == IndexedSeq("0", "1", "2", "3"))
  }

  test("closing the pool closes idle producers, aborts borrowed ones, and later borrowing fails") {
    val fixture = new Fixture
    fixture.pool.borrow(connection.copy(maxRetries = 1)).close()
    fixture.pool.borrow(connection)
    fixture.pool.close()
    assert(fixture.opened.map(_.isClosed) == Seq(true, true))
    assert(fixture.opened.map(_.isAborted) == Seq(false, true))
    intercept[IllegalStateException](fixture.pool.borrow(connection))
  }

  test("a producer whose credential is slow to create keeps no other borrower waiting") {
    val slow = connection.copy(maxRetries = 7)
    val (begun, finish) = (new CountDownLatch(1), new CountDownLatch(1))
    val pool = new ProducerPool(
      settings => {
        if (settings == slow) {
          begun.countDown()
          finish.await()
        }
        new FakeProducer(4, _.confirm())
      },
      Duration.ofMinutes(10),
      new ManualTime
    )
    val waiting = Future(scala.concurrent.blocking(pool.borrow(slow).producer))
    try {
      assert(begun.await(60, TimeUnit.SECONDS))
      Await.result(Future(pool.borrow(connection)), 60.seconds).close()
      assert(!waiting.isCompleted)
    } finally finish.countDown()
    assert(Await.result(waiting, 60.seconds) eq pool.borrow(slow).producer)
  }
}
