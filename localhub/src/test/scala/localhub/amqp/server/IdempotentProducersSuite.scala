package localhub.amqp.server

import java.time.Clock

import scala.collection.mutable
import scala.util.{Failure, Success, Try}

import org.scalatest.BeforeAndAfterEach

import localhub.log.{LogFullException, LogPosition, MemoryLog, PartitionLog}
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
      epoch: Short,
      last: Option[Int] = None,
      id: Long = 7,
      log: PartitionLog = log
  ): ProducerLink =
    producers.open(log, ProducerClaim(Some(id), Some(epoch), last), fenced).fold(refused => fail(s"$refused"), identity)

  /** Opens a link, and the number that its attach is answered with. */
  private def started(
      name: String,
      epoch: Short = 0,
      last: Option[Int] = None,
      id: Long = 7,
      log: PartitionLog = log
  ): (ProducerLink, Int) = {
    val opened = open(link(name), epoch, last, id, log)
    (opened, producers.start(opened).map(_.lastSequenceNumber).getOrElse(fail("an append runs")))
  }

  private def link(name: String): AmqpFailure => Unit = _ => { ended += name; () }

  private def isAdmitted(link: ProducerLink, first: Int, count: Int): Boolean =
    producers.admit(link, first, count) == Admission.Store

  private val done: Try[LogPosition] = Success(LogPosition(0, 0, 0))
  private val failed: Try[LogPosition] = Failure(new LogFullException(new OutOfMemoryError))

  private def store(link: ProducerLink, first: Int, count: Int): Unit = {
    assert(isAdmitted(link, first, count))
    assert(producers.append(link, first, count)(done) == Right(done))
    ()
  }

  private def isRefused(result: Either[Admission, Try[LogPosition]]): Boolean = result match {
    case Left(Admission.Refused(_)) => true
    case _ => false
  }

  test("a link that has closed is not held, and its producer continues with the next one") {
    val (first, _) = started("first")
    store(first, first = 0, count = 3)
    producers.linkClosed(first)
    assert(started("second")._2 == 2)
    assert(ended.isEmpty)
  }

  test("a link that closes late does not free the one that has taken over") {
    val (first, _) = started("first")
    started("second")
    producers.linkClosed(first)
    started("third")
    assert(ended == Seq("first", "second"))
  }

  test("producers without a link are kept up to a number, then the one that closed its link first is forgotten") {
    producers = new IdempotentProducers(kept = 2)
    def run(id: Long): Unit = {
      val (opened, last) = started(s"$id", id = id)
      store(opened, last + 1, count = 1)
      producers.linkClosed(opened)
    }
    val (open9, _) = started("open", id = 9)
    Seq(1L, 2L, 1L, 3L).foreach(run)
    assert(isAdmitted(open9, first = 0, count = 1), "a producer with a link is kept")
    assert(Seq(1L, 2L, 3L).map(id => started("asks", id = id)._2) == Seq(1, -1, 0))
  }

  test("a claim is answered with its number, and in one epoch makes no stored event count as missing") {
    val (first, _) = started("first")
    store(first, first = 0, count = 10)
    val (second, claimed) = started("second", last = Some(4))
    assert(claimed == 4)
    assert(producers.admit(second, first = 5, count = 5) == Admission.Repeated)
    assert(started("third")._2 == 9)
    assert(started("fourth", last = Some(20))._2 == 20)
    val (fifth, restarted) = started("fifth", epoch = 1, last = Some(-1))
    assert(restarted == -1)
    assert(isAdmitted(fifth, first = 0, count = 1))
  }

  test("what a link has admitted and not stored is neither repeated nor counted for the next link, in any epoch") {
    Seq[Short](0, 1).foreach { epoch =>
      val (old, last) = started("old", epoch)
      assert(isAdmitted(old, last + 1, count = 3))
      assert(isAdmitted(old, last + 1, count = 3), "a repeat waits for its turn, it is not accepted yet")
      val (next, answered) = started("next", epoch)
      assert(answered == last)
      store(next, last + 1, count = 3)
      assert(isRefused(producers.append(old, last + 1, 3)(fail("the old link stores nothing"))))
      assert(started("last", epoch)._2 == last + 3)
    }
  }

  test("a link starts after the append that an earlier one has begun, with what that has stored") {
    Seq[Short](0, 1).foreach { epoch =>
      val (old, last) = started("old")
      assert(isAdmitted(old, last + 1, count = 1))
      var next = Option.empty[ProducerLink]
      producers.append(old, last + 1, 1) {
        val opened = open(link("next"), epoch)
        assert(producers.start(opened).isEmpty && !isAdmitted(opened, last + 1, count = 1))
        next = Some(opened)
        done
      }
      assert(next.flatMap(producers.start).map(_.lastSequenceNumber).contains(last + 1))
    }
  }

  test("after a failed append the batches behind it are not stored either, and all may be sent again") {
    val (opened, _) = started("link")
    Seq(0, 3, 6).foreach(first => assert(isAdmitted(opened, first, count = 3)))
    assert(producers.append(opened, 0, 3)(done) == Right(done))
    assert(producers.append(opened, 3, 3)(failed) == Right(failed))
    assert(isAdmitted(opened, first = 3, count = 3), "the failed one is sent again, before the turn of the last one")
    assert(isRefused(producers.append(opened, 6, 3)(fail("it would be stored before the failed one"))))
    assert(producers.append(opened, 3, 3)(done) == Right(done))
    store(opened, first = 6, count = 3)
    assert(producers.append(opened, 6, 3)(fail("it is stored already")) == Left(Admission.Repeated))
  }

  test("a promoted region does not count events as stored that it may lack") {
    val replicated = new MemoryLog(Clock.systemUTC(), isReplicated = true)
    store(started("link", log = replicated)._1, first = 0, count = 3)
    replicated.promote(0)
    val (opened, last) = started("link", log = replicated)
    assert(last == -1)
    assert(isAdmitted(opened, first = 0, count = 3), "and not as repeated")
  }
}
