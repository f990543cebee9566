package localhub.log

import java.nio.file.{Files, Path}
import java.time.Clock

import scala.util.Random

/** The common tests with a log that can be compacted. */
class CompactableMemoryLogSuite extends PartitionLogBehaviour {
  override protected def newLog(clock: Clock): PartitionLog = new CompactableLog(new MemoryLog(clock), None)

  private def opened(directory: Path): PartitionLog = new CompactableLog(
    new SegmentLog(directory, Clock.systemUTC(), fsync = false, segmentBytes = 2000),
    Some(new RemovedEventsFile(directory.resolve(RemovedEventsFile.Name)))
  )

  private def numbers(entries: Seq[LogEntry]): Seq[Long] = entries.map(_.position.sequenceNumber)

  private def all(log: PartitionLog): Seq[Long] = Iterator.unfold(log.bounds.beginSequenceNumber) { from =>
    val batch = log.readBatch(from, 7, 500)
    batch.lastOption.map(last => (batch, last.position.sequenceNumber + 1))
  }.flatten.map(_.position.sequenceNumber).toSeq

  private val logs = Seq[(String, () => PartitionLog)](
    "memory" -> (() => newLog(Clock.systemUTC())),
    "files" -> (() => opened(TempDirectory.create()))
  )

  for ((where, open) <- logs) {
    test(s"in $where, removed events leave gaps; bounds, offsets and all other events stay") {
      val log = open()
      log.append(10, (index, _) => Array.fill(10)(index.toByte))
      val before = log.bounds
      log.remove(Seq(0L, 3L, 4L, 9L))
      assert(log.bounds == before && log.retainedEvents == 6)
      assert(numbers(log.readBatch(0, 100, 1000)) == Seq(1, 2, 5, 6, 7, 8))
      assert(numbers(log.readBatch(3, 2, 1000)) == Seq(5, 6))
      assert(log.readBatch(9, 100, 1000).isEmpty && log.read(4).isEmpty)
      assert(log.read(5).exists(entry => entry.position.offset == 50 && entry.payload.forall(_ == 5)))
      log.append(1, (_, _) => Array[Byte](1))
      assert(log.bounds.lastSequenceNumber == 10 && numbers(log.readBatch(9, 100, 1000)) == Seq(10))
    }

    test(s"in $where, random removals and trims keep exactly the other events") {
      val random = new Random(11)
      val log = open()
      var kept = Set.empty[Long]
      (0 until 60).foreach { _ =>
        val count = random.nextInt(20)
        val first = log.bounds.lastSequenceNumber + 1
        if (count > 0) log.append(count, (_, _) => new Array[Byte](1 + random.nextInt(90)))
        kept ++= first until first + count
        val gone = random.shuffle(kept.toSeq).take(random.nextInt(8))
        log.remove(gone)
        kept --= gone
        if (random.nextInt(6) == 0) {
          val begin = log.bounds.beginSequenceNumber + random.nextInt(30)
          log.trimBefore(begin)
          kept = kept.filter(_ >= log.bounds.beginSequenceNumber)
        }
        assert(all(log) == kept.toSeq.sorted && log.retainedEvents == kept.size)
      }
    }
  }

  test("removed events stay removed over a restart, and a damaged list of them is refused") {
    val directory = TempDirectory.create()
    val log = opened(directory)
    log.append(50, (_, _) => new Array[Byte](100))
    log.remove(10L until 30L)
    log.trimBefore(5)
    log.remove(Seq(40L))
    log.close()
    val again = opened(directory)
    assert(all(again) == (5L until 10L) ++ (30L until 40L) ++ (41L until 50L))
    again.close()
    val file = directory.resolve(RemovedEventsFile.Name)
    val bytes = Files.readAllBytes(file)
    bytes(bytes.length - 1) = 1
    Files.write(file, bytes)
    assert(intercept[CorruptLogException](opened(directory)).getMessage.contains(file.toString))
  }
}

/** The common tests with files. */
class CompactableSegmentLogSuite extends PartitionLogBehaviour {
  override protected def newLog(clock: Clock): PartitionLog =
    new CompactableLog(new SegmentLog(TempDirectory.create(), clock, fsync = false), None)
}
