package localhub.log

import java.io.IOException
import java.nio.file.Files
import java.time.Clock

import testkit.TestSuite

/** The common tests with files of the default size. */
class SegmentLogSuite extends PartitionLogBehaviour {
  override protected def newLog(clock: Clock): PartitionLog =
    new SegmentLog(TempDirectory.create(), clock, fsync = false)
}

/** The common tests with many small files: every append starts a new one. */
class ManySegmentsLogSuite extends PartitionLogBehaviour {
  override protected def newLog(clock: Clock): PartitionLog =
    new SegmentLog(TempDirectory.create(), clock, fsync = false, segmentBytes = 1)

  test("the start of a reader is found while retention removes files") {
    val log = newLog(Clock.systemUTC())
    val events = 500L
    (0L until events).foreach(_ => log.append(1, (_, _) => Array[Byte](1)))
    val trimming = new Thread(() => (1L to events).foreach(log.trimBefore))
    trimming.start()
    while (trimming.isAlive) {
      // With events of one byte, the offset equals the sequence number. This event's file is removed next.
      val begin = log.bounds.beginSequenceNumber
      assert(log.sequenceNumberAt(StartingPoint.Offset(begin, inclusive = true)) >= begin)
    }
    log.close()
  }
}

/** Retention on a disk that takes no new file. */
class FullDiskSuite extends TestSuite {

  test("retention frees whole files although its mark cannot be written, and a start continues there") {
    val folder = TempDirectory.create()
    def open() = new SegmentLog(folder, new ManualClock(0), fsync = false, segmentBytes = 1)
    val log = open()
    (0 until 5).foreach(_ => log.append(1, (_, _) => Array[Byte](1)))
    def files = folder.toFile.listFiles.count(_.isFile)
    val before = files
    // The name of the file that becomes the mark is taken.
    val taken = Files.createDirectories(folder.resolve(s".begin.${ProcessHandle.current.pid}.tmp/x"))
    intercept[IOException](log.trimBefore(3))
    assert(log.bounds.beginSequenceNumber == 3 && files == before - 3)
    Files.delete(taken)
    Files.delete(taken.getParent)
    log.trimBefore(3)
    assert(Files.readString(folder.resolve("begin")) == "3", "the mark is written as soon as there is room")
    log.close()
    Files.delete(folder.resolve("begin"))
    val restarted = open()
    assert(restarted.bounds.beginSequenceNumber == 3 && restarted.read(3).isDefined)
    restarted.close()
  }
}

/** What a read sees that races with retention. */
class SegmentSnapshotSuite extends TestSuite {

  test("a read of an event whose file retention has removed is empty") {
    val later = new LogDirectory(TempDirectory.create()).create(LogTail(LogPosition(4, 4, 0), 5))
    assert(Segment.read(Vector(later), 4, 5, new ReadBudget(1, 1)).isEmpty)
  }
}

/** The common tests with fsync. */
class SyncedSegmentLogSuite extends PartitionLogBehaviour {
  override protected def newLog(clock: Clock): PartitionLog =
    new SegmentLog(TempDirectory.create(), clock, fsync = true)
}
