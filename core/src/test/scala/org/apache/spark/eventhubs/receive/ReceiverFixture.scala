package org.apache.spark.eventhubs.receive

import java.time.Duration

import org.scalatest.Assertions.assert

import org.apache.spark.eventhubs.TestSettings
import org.apache.spark.eventhubs.connection.{ClientConnectionPool, FakeHub}
import org.apache.spark.util.{Clock, SystemClock}

/** A receiver of the one partition of a hub in memory, which has 100,000 events. */
private[spark] final class ReceiverFixture(
    clock: Clock = new SystemClock,
    from: Long = 0,
    creditPolicy: LinkCreditPolicy = LinkCreditPolicy.fixed(100),
    silence: Duration = Duration.ofMillis(200),
    isOwned: Boolean = false
) {

  private val key =
    ReceiverKey(TestSettings.stream().connection, "dashboards", 0, None, TestSettings.generation, isOwned)
  val hub = new FakeHub(1)
  val partition = hub.partitions(0)
  partition.latest = 100000
  val pool = new ClientConnectionPool(hub.connect, clock)
  var tooMany = 0
  lazy val receiver = new CachedEventHubsReceiver(
    key,
    from,
    pool.borrow(key.connection, 1),
    creditPolicy,
    ReceiverTimeouts(silence, Duration.ofSeconds(2), Duration.ofMinutes(5)),
    clock,
    () => tooMany += 1
  )

  def read(until: Long, isFollowed: Boolean = true): Seq[Long] = {
    receiver.startRange(until, isFollowed)
    val seqNos = Seq.newBuilder[Long]
    while (receiver.nextSeqNo < until) seqNos += advance()
    seqNos.result()
  }

  def advance(): Long = {
    assert(receiver.advance(() => false), "nothing came")
    receiver.event.sequenceNumber
  }

  /** The next link begins with these, whatever the reader requests, and serves from there. */
  def deliverFirst(seqNos: Long*): Unit = hub.upcoming.enqueue { link =>
    link.onAsked = _.serve()
    link.deliver(seqNos: _*)
    link.serve()
  }
}
