package localhub.amqp.server

import java.time.Clock

import scala.collection.mutable

import org.scalatest.BeforeAndAfterEach

import localhub.log.MemoryLog
import testkit.TestSuite

class IdempotentProducersSuite extends TestSuite with BeforeAndAfterEach {

  private val log = new MemoryLog(Clock.systemUTC())
  private val ended = mutable.Buffer.empty[String]
  private var producers = new IdempotentProducers

  override protected def beforeEach(): Unit = {
    super.beforeEach()
    producers = new IdempotentProducers
    ended.clear()
  }

  private def open(
      fenced: AmqpFailure => Unit,
      epoch: Short = 0,
      last: Option[Int] = None,
      id: Long = 7
  ): ProducerState =
    producers.open(log, ProducerClaim(Some(id), Some(epoch), last), fenced).fold(refused => fail(s"$refused"), identity)

  private def link(name: String): AmqpFailure => Unit = _ => { ended += name; () }

  test("a link that has closed is not held, and its producer continues with the next one") {
    val first = link("first")
    val state = open(first)
    assert(producers.admit(log, state, first = 0, count = 3) == Admission.Store)
    producers.linkClosed(log, state, first)
    assert(open(link("second")).lastSequenceNumber == 2)
    assert(ended.isEmpty)
  }

  test("a link that closes late does not free the one that has taken over") {
    val first = link("first")
    val state = open(first)
    open(link("second"))
    producers.linkClosed(log, state, first)
    open(link("third"))
    assert(ended == Seq("first", "second"))
  }

  test("producers without a link are kept up to a number, then the one that closed its link first is forgotten") {
    producers = new IdempotentProducers(kept = 2)
    def run(id: Long): Unit = {
      val fenced = link(s"$id")
      val state = open(fenced, id = id)
      assert(producers.admit(log, state, state.lastSequenceNumber + 1, count = 1) == Admission.Store)
      producers.linkClosed(log, state, fenced)
    }
    val open9 = open(link("open"), id = 9)
    Seq(1L, 2L, 1L, 3L).foreach(run)
    assert(producers.admit(log, open9, first = 0, count = 1) == Admission.Store, "a producer with a link is kept")
    assert(Seq(1L, 2L, 3L).map(id => open(link("asks"), id = id).lastSequenceNumber) == Seq(1, -1, 0))
  }

  test("a claim is answered with its number, and in one epoch makes no stored event count as missing") {
    val state = open(link("first"))
    assert(producers.admit(log, state, first = 0, count = 10) == Admission.Store)
    val second = open(link("second"), last = Some(4))
    assert(second.lastSequenceNumber == 4)
    assert(producers.admit(log, second, first = 5, count = 5) == Admission.Repeated)
    assert(open(link("third")).lastSequenceNumber == 9)
    assert(open(link("fourth"), last = Some(20)).lastSequenceNumber == 20)
    val fifth = open(link("fifth"), epoch = 1, last = Some(-1))
    assert(fifth.lastSequenceNumber == -1)
    assert(producers.admit(log, fifth, first = 0, count = 1) == Admission.Store)
  }

  test("events that were not stored may be sent again, and no later failure makes them count as stored") {
    val state = open(link("first"))
    Seq(0, 3, 6).foreach(first => assert(producers.admit(log, state, first, count = 3) == Admission.Store))
    Seq(3, 6).foreach(producers.rollBack(log, state, _))
    assert(open(link("second")).lastSequenceNumber == 2)
    assert(producers.admit(log, state, first = 3, count = 3) == Admission.Store)
  }

  test("a promoted region does not count events as stored that it may lack") {
    val replicated = new MemoryLog(Clock.systemUTC(), isReplicated = true)
    def open(): ProducerState = producers.open(replicated, ProducerClaim(Some(7L), Some(0), None), link("link"))
      .fold(refused => fail(s"$refused"), identity)
    assert(producers.admit(replicated, open(), first = 0, count = 3) == Admission.Store)
    replicated.promote(0)
    val state = open()
    assert(state.lastSequenceNumber == -1)
    assert(producers.admit(replicated, state, first = 0, count = 3) == Admission.Store, "and not as repeated")
  }
}
