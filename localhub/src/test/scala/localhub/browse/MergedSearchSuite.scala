package localhub.browse

import localhub.amqp.event.EventAppender
import localhub.log.{ManualClock, MemoryLog}
import testkit.TestSuite

class MergedSearchSuite extends TestSuite {

  private val clock = new ManualClock(0)
  // Event n has the enqueued time n, and is in partition n modulo 3. Partition 3 has no events.
  private val logs = IndexedSeq.fill(4)(new MemoryLog(clock))
  (0 until 100).foreach { n =>
    EventAppender.append(logs(n % 3), JsonEvent.parse(ujson.Obj("body" -> s"<$n>")).encoded)
    clock.now += 1
  }

  private def search(limit: Int, contains: Option[String] = None) = new MergedSearch(logs, limit, contains, 1000)

  private def numbers(page: MergedPage): Seq[Int] =
    page.events.map(_.position).map(position => position.enqueuedMillis.toInt)

  private def pages(first: MergedPage)(next: Map[Int, Long] => MergedPage): Seq[Int] =
    Iterator.iterate(Option(first))(_.filter(_.next.nonEmpty).map(page => next(page.next)))
      .takeWhile(_.isDefined).flatten.flatMap(numbers).toSeq

  test("the pages of all partitions list every event once, newest first") {
    assert(numbers(search(7).backward(None)) == (99 to 93 by -1))
    assert(pages(search(7).backward(None))(next => search(7).backward(Some(next))) == (99 to 0 by -1))
  }

  test("a list smaller than the number of partitions leaves out none of them on later pages") {
    assert(pages(search(1).backward(None))(next => search(1).backward(Some(next))) == (99 to 0 by -1))
  }

  test("from a time on, the pages list every event once, oldest first") {
    assert(pages(search(7).forward(40, None))(next => search(7).forward(40, Some(next))) == (40 to 99))
    assert(search(7).forward(1000, None).events.isEmpty)
  }

  test("a filter finds events on all pages") {
    def filtered(next: Option[Map[Int, Long]]) = search(2, Some("5>")).backward(next)
    assert(pages(filtered(None))(next => filtered(Some(next))) == (95 to 5 by -10))
  }

  test("events that come after the first page are not on the later ones") {
    val first = search(7).backward(None)
    EventAppender.append(logs(3), JsonEvent.parse(ujson.Obj("body" -> "late")).encoded)
    assert(numbers(search(7).backward(Some(first.next))) == (92 to 86 by -1))
  }
}
