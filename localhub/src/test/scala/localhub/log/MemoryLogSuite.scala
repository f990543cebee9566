package localhub.log

import java.time.Clock
import java.util.concurrent.atomic.AtomicReference

import scala.util.Random

class MemoryLogSuite extends PartitionLogBehaviour {
  override protected def newLog(clock: Clock): PartitionLog = new MemoryLog(clock)

  test("an append beyond the budget fails completely; removing events or closing a log makes room again") {
    val budget = new MemoryBudget(2 * MemoryBudget.cost(10, 1000))
    val logs = Seq.fill(2)(new MemoryLog(Clock.systemUTC(), budget))
    def append(log: PartitionLog): Long = log.append(10, (_, _) => new Array[Byte](100)).sequenceNumber
    append(logs(0))
    append(logs(1))
    assert(intercept[LogFullException](append(logs(1))).getMessage.contains("data directory"))
    assert(logs(1).bounds.lastSequenceNumber == 9)
    logs(0).trimBefore(10)
    assert(append(logs(1)) == 19)
    logs(1).close()
    assert(append(logs(0)) == 19)
  }

  test("a promotion removes the newest events, and the next ones get their numbers in the next epoch") {
    val budget = new MemoryBudget(MemoryBudget.cost(30, 30 * 5000))
    val log = new MemoryLog(Clock.systemUTC(), budget, isReplicated = true)
    def append(count: Int, fill: Byte): Unit = {
      log.append(count, (_, _) => Array.fill(5000)(fill))
      ()
    }
    append(12, 1)
    append(8, 1)
    val (offset, retained) = (log.read(13).get.position.offset, log.retainedBytes)
    log.promote(7)
    assert(log.bounds.lastSequenceNumber == 12 && log.retainedBytes == retained - 7 * 5000)
    assert(log.readBatch(13, 10, 1 << 20).isEmpty)
    append(17, 2)
    assert(log.read(13).get.position.offset == offset && log.bounds.lastSequenceNumber == 29)
    assert((0L to 29L).map(n => log.read(n).get.payload.head) == Seq.fill(13)(1) ++ Seq.fill(17)(2))
    assert((0L to 30L).map(log.epochAt(_).get) == Seq.fill(13)(1) ++ Seq.fill(18)(2))
    assertThrows[LogFullException](append(1, 3))
    log.promote(17)
    assert(log.bounds.lastSequenceNumber == 12 && log.epochAt(13).contains(3))
    log.trimBefore(20)
    log.promote(100)
    assert(log.bounds.isEmpty && log.bounds.beginSequenceNumber == 13 && log.epochAt(13).contains(4))
    append(30, 4)
    assert(log.read(13).get.payload.head == 4)
  }

  test("a promotion keeps the events that are appended at that time: no number is given twice") {
    val log = new MemoryLog(Clock.systemUTC(), isReplicated = true)
    val appended = new AtomicReference(Vector.empty[Long])
    val appender = new Thread(() =>
      appended.set((0 until 20000).map(_ => log.append(1, (_, _) => Array[Byte](1)).sequenceNumber).toVector)
    )
    appender.start()
    while (appender.isAlive) log.promote(0)
    assert(appended.get == (0L until 20000L) && log.bounds.lastSequenceNumber == 19999)
  }

  test("a log that is not geo-replicated has no epochs and no promotion") {
    val log = new MemoryLog(Clock.systemUTC())
    assert(log.epochAt(0).isEmpty)
    assertThrows[UnsupportedOperationException](log.promote(0))
  }

  test("events of all sizes are read unchanged across chunks and after removals") {
    val random = new Random(7)
    val log = new MemoryLog(Clock.systemUTC())
    val sizes = Seq(0, 1, 100, 5000, 40000)
    def event(): Array[Byte] =
      random.nextBytes(if (random.nextInt(200) == 0) 3000000 else sizes(random.nextInt(sizes.length)))
    val events = (0 until 300).foldLeft(Vector.empty[Array[Byte]]) { (stored, _) =>
      val added = Vector.fill(random.nextInt(40))(event())
      log.append(added.length, (index, _) => added(index))
      if (random.nextInt(10) == 0) log.trimBefore(log.bounds.beginSequenceNumber + random.nextInt(100))
      stored ++ added
    }
    val begin = log.bounds.beginSequenceNumber.toInt
    val offsets = events.scanLeft(0L)(_ + _.length)
    assert(begin > 100 && log.bounds.lastSequenceNumber == events.length - 1)
    assert(log.retainedBytes == offsets.last - offsets(begin))
    for (number <- begin until events.length) {
      val entry = log.read(number.toLong).get
      assert(entry.position.sequenceNumber == number && entry.position.offset == offsets(number))
      assert(entry.payload.sameElements(events(number)))
      val (maxEvents, maxBytes) = (1 + random.nextInt(60), random.nextInt(100000))
      val batch = log.readBatch(number.toLong, maxEvents, maxBytes)
      val expected = (1 to math.min(maxEvents, events.length - number)).takeWhile { count =>
        count == 1 || offsets(number + count) - offsets(number) <= maxBytes
      }
      assert(batch.map(_.position.sequenceNumber) == expected.map(number + _ - 1L))
      assert(batch.zipWithIndex.forall { case (read, i) => read.payload.sameElements(events(number + i)) })
    }
    assert(log.read(begin - 1L).isEmpty && log.readBatch(begin - 1L, 10, 10).isEmpty)
  }

  test("an append that runs out of heap leaves the log unchanged") {
    val small = Array.fill[Byte](10)(1)
    // The first event of the append would fit into the last chunk; the others need more than an array can hold.
    val large = new Array[Byte](1 << 24)
    val payloads = small +: Seq.fill(127)(large) :+ new Array[Byte]((1 << 24) - 1)
    val budget = new MemoryBudget(2L * Int.MaxValue)
    val log = new MemoryLog(Clock.systemUTC(), budget)
    log.append(3, (_, _) => small)
    for (_ <- 0 until 2) intercept[OutOfMemoryError](log.append(payloads.length, (index, _) => payloads(index)))
    assert(log.bounds.lastSequenceNumber == 2 && log.retainedBytes == 30)
    val after = log.append(2, (index, _) => Array.fill[Byte](20 + index)(2))
    assert(after.sequenceNumber == 4 && after.offset == 50)
    assert(log.readBatch(0, 10, 1000).map(_.payload.length) == Seq(10, 10, 10, 20, 21))
    assert(log.read(5).isEmpty)
  }
}
