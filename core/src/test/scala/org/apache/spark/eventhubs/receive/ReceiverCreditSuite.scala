package org.apache.spark.eventhubs.receive

import java.util.{Map => JavaMap}

import org.apache.qpid.proton.amqp.messaging.{AmqpValue, ApplicationProperties}
import org.apache.qpid.proton.message.Message

import org.apache.spark.eventhubs.amqp.FakeMessage
import testkit.TestSuite

/** How many events a receiver asks for. */
class ReceiverCreditSuite extends TestSuite {

  test("requested events that are not read yet never exceed the credit") {
    val f = new ReceiverFixture(creditPolicy = LinkCreditPolicy.fixed(16))
    f.receiver.startRange(1000)
    assert(f.hub.links.head.asked == 16)
    for (taken <- 1 to 100) {
      f.advance()
      assert(f.hub.links.head.asked - taken <= 16)
    }
  }

  test("credit is renewed in steps that are worth a round trip") {
    val f = new ReceiverFixture(creditPolicy = LinkCreditPolicy.fixed(16))
    var asks = Seq.empty[Long]
    f.hub.upcoming.enqueue { link =>
      asks :+= link.asked
      link.serve()
    }
    f.read(64)
    assert(asks.last >= 64)
    assert(asks.init.zip(asks.tail).forall { case (before, after) => after - before >= 4 })
  }

  test("a range without a following one requests its own events only") {
    val f = new ReceiverFixture(creditPolicy = LinkCreditPolicy.fixed(16))
    assert(f.read(250, isFollowed = false) == (0L until 250L))
    assert(f.hub.links.map(_.asked) == Seq(250))
  }

  test("one of many links prefetches its share of the next range, and reads that range with its whole credit") {
    val creditPolicy = new LinkCreditPolicy(1L << 20, fullLinks = 2)
    creditPolicy.learn(1000, 100000)
    (1 to 7).foreach(_ => creditPolicy.linkOpened())
    val f = new ReceiverFixture(creditPolicy = creditPolicy)
    val credit = creditPolicy.prefetchCount
    f.read(10000)
    val link = f.hub.links.head
    assert(link.credit == credit)
    assert(link.asked - 10000 == credit / 7)
    f.receiver.startRange(20000)
    assert(link.asked - 10000 == credit)
  }

  test("one of many links gets its whole credit when its task starts soon, until that task has begun") {
    val creditPolicy = new LinkCreditPolicy(1L << 20, fullLinks = 2)
    creditPolicy.learn(1000, 100000)
    (1 to 6).foreach(_ => creditPolicy.linkOpened())
    val f = new ReceiverFixture(creditPolicy = creditPolicy)
    val other = new ReceiverFixture(creditPolicy = creditPolicy)
    val credit = creditPolicy.prefetchCount
    val share = credit / 7
    Seq(f, other).foreach(_.receiver)
    Seq(f, other).foreach(_.read(10000))
    def ahead(of: ReceiverFixture, count: Long): Long = {
      of.receiver.requestAhead(count)
      of.hub.links.head.asked - 10000
    }
    assert(ahead(f, share.toLong) == share && creditPolicy.reserveWhole(), "a small range needs no reservation")
    creditPolicy.endReservation()
    assert(ahead(f, share + 100L) == share + 100)
    assert(ahead(f, 100000) == credit)
    assert(ahead(other, 100000) == share, "the others keep their share")
    f.receiver.startRange(20000)
    assert(ahead(other, 100000) == credit)
    other.receiver.close()
    assert(creditPolicy.reserveWhole(), "a closed link leaves its reservation to the others")
  }

  test("a closed link leaves its share to the others, once") {
    val creditPolicy = new LinkCreditPolicy(1L << 20, fullLinks = 2)
    (1 to 3).foreach(_ => creditPolicy.linkOpened())
    val f = new ReceiverFixture(creditPolicy = creditPolicy)
    f.read(5)
    assert(creditPolicy.waitingCount(1000) == 333)
    f.receiver.close()
    f.receiver.close()
    assert(creditPolicy.waitingCount(1000) == 500)
  }

  test("a last range is complete even when events before it used up the requested number") {
    val f = new ReceiverFixture(from = 10)
    f.deliverFirst(7, 8, 9)
    assert(f.read(20, isFollowed = false) == (10L until 20L))
    assert(f.hub.links.map(_.asked) == Seq(13))
  }

  test("the first link has credit for the largest events, and later for the size that came, without a new link") {
    val f = new ReceiverFixture(creditPolicy = new LinkCreditPolicy(16L << 20, fullLinks = 4))
    assert(f.read(20000) == (0L until 20000L))
    assert(f.hub.links.map(_.credit) == Seq(16))
    assert(f.hub.links.head.asked > 20000 + 3072 && f.hub.links.head.asked <= 20000 + 4096)
  }

  test("a link whose credit grew has no more than that on its way") {
    val f = new ReceiverFixture(creditPolicy = new LinkCreditPolicy(16L << 20, fullLinks = 4))
    f.receiver.startRange(20000)
    for (taken <- 1 to 10000) {
      f.advance()
      assert(f.hub.links.head.asked - taken <= 4096)
    }
    assert(f.hub.links.head.asked > 10000 + 2048 && f.hub.links.size == 1)
  }

  test("credit shrinks after one buffer of larger events") {
    val f = new ReceiverFixture(creditPolicy = new LinkCreditPolicy(1L << 20, fullLinks = 4))
    f.read(5000)
    // What was sent ahead of the change is small.
    val sent = f.hub.links.last.link.fromSeqNo + f.hub.links.last.asked
    f.partition.bodyBytes = 100000
    f.read(sent + 100)
    assert(f.hub.links.last.credit <= 16)
  }

  private val elsewhere = Seq[(String, Message => Unit)](
    "in an AMQP value" -> (message => message.setBody(new AmqpValue("x" * 100000))),
    "in application properties" -> (message =>
      message.setApplicationProperties(new ApplicationProperties(JavaMap.of("note", "x" * 100000)))
    )
  )

  elsewhere.foreach { case (where, set) =>
    test(s"events that are large $where have the credit of their size") {
      val f = new ReceiverFixture(creditPolicy = new LinkCreditPolicy(1L << 20, fullLinks = 4))
      f.partition.message = (seqNo, body) => {
        val message = FakeMessage.decoded(seqNo, body)
        set(message)
        FakeMessage.encoded(message)
      }
      f.read(100)
      assert(f.hub.links.map(_.credit).forall(_ <= 8))
    }
  }
}
