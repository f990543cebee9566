package localhub.browse

import localhub.amqp.event.EventAppender
import localhub.log.{ManualClock, MemoryLog}
import testkit.TestSuite

class EventSearchSuite extends TestSuite {

  private def log(events: Int): MemoryLog = {
    val log = new MemoryLog(new ManualClock(0))
    (0 until events).foreach(i => EventAppender.append(log, JsonEvent.parse(ujson.Obj("body" -> s"<$i>")).encoded))
    log
  }

  private def numbers(page: EventPage): Seq[Long] = page.events.map(_.position.sequenceNumber)

  private def search(log: MemoryLog, limit: Int, contains: Option[String] = None) =
    new EventSearch("0", log, limit, contains)

  test("pages forward and backward return every event once") {
    val all = log(1000)
    val forward = Iterator.unfold(Option(0L))(_.map { start =>
      val page = search(all, 70).forward(start)
      (numbers(page), page.next)
    }).flatten.toSeq
    val backward = Iterator.unfold(Option(Long.MaxValue))(_.map { end =>
      val page = search(all, 70).backward(end)
      (numbers(page), page.next)
    }).flatten.toSeq
    assert(forward == (0L until 1000L) && backward == (999L to 0L by -1))
  }

  test("a filter skips events that do not match, across many chunks") {
    val all = log(1000)
    assert(numbers(search(all, 10, Some("99>")).forward(0)) == (99L to 999L by 100))
    assert(numbers(search(all, 3, Some("99>")).backward(Long.MaxValue)) == Seq(999L, 899L, 799L))
    assert(search(all, 10, Some("none")).forward(0) == EventPage(Nil, None))
  }

  test("a text with control characters is found by its bytes in hex too, other text is not") {
    val all = new MemoryLog(new ManualClock(0))
    Seq("\u0001\u0002ab", "ab").foreach(body =>
      EventAppender.append(all, JsonEvent.parse(ujson.Obj("body" -> body)).encoded)
    )
    assert(numbers(search(all, 10, Some("01 02 61")).forward(0)) == Seq(0L))
    assert(numbers(search(all, 10, Some("61 62")).forward(0)) == Seq(0L))
    assert(numbers(search(all, 10, Some("ab")).forward(0)) == Seq(0L, 1L))
  }

  test("a search that finds nothing ends early and returns where to continue") {
    val all = log(EventSearch.MaxScanned + 10)
    assert(search(all, 1, Some("none")).forward(0) == EventPage(Nil, Some(EventSearch.MaxScanned.toLong)))
    assert(search(all, 1, Some("none")).backward(Long.MaxValue) == EventPage(Nil, Some(10)))
  }

  test("removed events are skipped, an empty partition has no page") {
    val all = log(10)
    all.trimBefore(8)
    assert(numbers(search(all, 5).forward(0)) == Seq(8, 9) && search(all, 5).backward(8) == EventPage(Nil, None))
    assert(search(log(0), 5).forward(0) == EventPage(Nil, None) && search(log(0), 5).backward(5) == EventPage(
      Nil,
      None
    ))
  }
}
