package org.apache.spark.eventhubs.connection

import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.concurrent.ExecutionContext.Implicits.global
import scala.concurrent.duration._
import scala.concurrent.{Await, Future}

import org.apache.spark.eventhubs.TestSettings
import org.apache.spark.eventhubs.options.ConnectionSettings
import org.apache.spark.util.ManualClock
import testkit.TestSuite

class ClientConnectionPoolSuite extends TestSuite {

  private val settings = TestSettings.stream().connection

  private class Fixture {
    val hub = new FakeHub(1)
    val clock = new ManualClock(0L)
    val pool = new ClientConnectionPool(hub.connect, clock)
  }

  test("every borrower gets its own connection up to the limit") {
    val f = new Fixture
    val leases = Seq.fill(3)(f.pool.borrow(settings, maxConnections = 3))
    assert(leases.map(_.client).toSet.size == 3)
    assert(f.pool.size == 3)
  }

  test("above the limit borrowers share the least loaded connection") {
    val f = new Fixture
    val first = Seq.fill(2)(f.pool.borrow(settings, maxConnections = 2).client)
    val next = Seq.fill(4)(f.pool.borrow(settings, maxConnections = 2).client)
    assert(f.pool.size == 2)
    assert(next.groupBy(identity).values.map(_.size).toSeq == Seq(2, 2))
    assert(next.toSet == first.toSet)
  }

  test("a returned connection is lent again before another one is opened") {
    val f = new Fixture
    val lease = f.pool.borrow(settings, maxConnections = 4)
    lease.close()
    assert(f.pool.borrow(settings, maxConnections = 4).client eq lease.client)
    assert(f.hub.clients.size == 1)
  }

  test("closing a lease twice counts once, so that a borrowed connection never looks free") {
    val f = new Fixture
    val lease = f.pool.borrow(settings, maxConnections = 1)
    lease.close()
    lease.close()
    f.pool.borrow(settings, maxConnections = 1)
    assert(f.pool.borrow(settings, maxConnections = 2).client ne lease.client)
  }

  test("another credential gets another connection, even for the same hub and policy") {
    val f = new Fixture
    f.pool.borrow(settings, maxConnections = 1).close()
    val other = TestSettings.withKey("b3RoZXI=").connection
    f.pool.borrow(other, maxConnections = 1)
    assert(f.hub.clients.map(_.settings) == Seq(settings, other))
  }

  test("keys that differ only in case get different connections") {
    val f = new Fixture
    Seq("a2V5", "A2V5").foreach(key => f.pool.borrow(TestSettings.withKey(key).connection, maxConnections = 1))
    assert(f.pool.size == 2)
  }

  test("another hub gets its own connection") {
    val f = new Fixture
    f.pool.borrow(settings, maxConnections = 1)
    f.pool.borrow(TestSettings.ofHub("alerts").connection, maxConnections = 1)
    assert(f.pool.size == 2)
  }

  test("a connection is closed when it has been idle for the idle time, and not before") {
    val f = new Fixture
    val lease = f.pool.borrow(settings, maxConnections = 1)
    f.clock.advance(100000)
    f.pool.evictIdle(60000)
    assert(f.pool.size == 1, "it is in use")
    lease.close()
    f.clock.advance(59999)
    f.pool.evictIdle(60000)
    assert(f.pool.size == 1)
    f.clock.advance(1)
    f.pool.evictIdle(60000)
    assert(f.pool.size == 0)
    assert(f.hub.clients.map(_.isClosed) == Seq(true))
  }

  test("closing the pool closes every connection, and later borrowing fails") {
    val f = new Fixture
    val lease = f.pool.borrow(settings, maxConnections = 2)
    f.pool.borrow(settings, maxConnections = 2).close()
    f.pool.close()
    assert(f.hub.clients.forall(_.isClosed))
    assertThrows[IllegalStateException](f.pool.borrow(settings, maxConnections = 1))
    lease.close()
    assert(f.pool.size == 0)
  }

  /** A pool whose clients with this number of retries are created when the test says so. */
  private class SlowFixture extends Fixture {
    val slowSettings: ConnectionSettings = settings.copy(maxRetries = 7)
    val (begun, finish) = (new CountDownLatch(1), new CountDownLatch(1))
    val slowPool = new ClientConnectionPool(
      settings => {
        if (settings == slowSettings) {
          begun.countDown()
          finish.await()
        }
        hub.connect(settings)
      },
      clock
    )
  }

  test("a connection whose credential is slow to create keeps no other borrower waiting") {
    val f = new SlowFixture
    val slow = Future(scala.concurrent.blocking(f.slowPool.borrow(f.slowSettings, maxConnections = 1)))
    try {
      assert(f.begun.await(60, TimeUnit.SECONDS))
      Await.result(Future(f.slowPool.borrow(settings, maxConnections = 1)), 60.seconds).close()
      f.slowPool.evictIdle(0)
      assert(!slow.isCompleted)
    } finally f.finish.countDown()
    Await.result(slow, 60.seconds).close()
    assert(f.slowPool.size == 1)
  }

  test("a connection that is created while the pool closes is closed too") {
    val f = new SlowFixture
    val slow = Future(scala.concurrent.blocking(f.slowPool.borrow(f.slowSettings, maxConnections = 1)))
    assert(f.begun.await(60, TimeUnit.SECONDS))
    Await.result(Future(f.slowPool.close()), 60.seconds)
    f.finish.countDown()
    assertThrows[IllegalStateException](Await.result(slow, 60.seconds))
    assert(f.hub.clients.map(_.isClosed) == Seq(true))
  }

  test("a connection that cannot be created is not lent to the next borrower") {
    val f = new Fixture
    var failures = 1
    val pool = new ClientConnectionPool(
      settings =>
        if (failures > 0) {
          failures -= 1
          throw new IllegalStateException("no credential")
        } else f.hub.connect(settings),
      f.clock
    )
    assertThrows[IllegalStateException](pool.borrow(settings, maxConnections = 1))
    assert(pool.size == 0)
    assert(pool.borrow(settings, maxConnections = 1).client eq f.hub.clients.head)
  }
}
