package localhub.log

import java.nio.file.{Files, Path}
import java.time.Clock

/** The common behaviour, in files of the usual size. */
class SegmentLogSuite extends PartitionLogBehaviour {
  override protected def newLog(clock: Clock): PartitionLog = new SegmentLog(Scratch.directory(), clock, fsync = false)
}

/** The same across many small files: every append begins a new one. */
class ManySegmentsLogSuite extends PartitionLogBehaviour {
  override protected def newLog(clock: Clock): PartitionLog =
    new SegmentLog(Scratch.directory(), clock, fsync = false, segmentBytes = 1)

  test("a start is found while retention removes files") {
    val log = newLog(Clock.systemUTC())
    val events = 500L
    (0L until events).foreach(_ => log.append(1, (_, _) => Array[Byte](1)))
    val trimming = new Thread(() => (1L to events).foreach(log.trimBefore))
    trimming.start()
    while (trimming.isAlive) {
      // An event of one byte has its sequence number for its offset; its file is the one that goes next.
      val begin = log.bounds.beginSequenceNumber
      assert(log.sequenceNumberAt(StartingPoint.Offset(begin, inclusive = true)) >= begin)
    }
    log.close()
  }
}

/** The same when appends wait for the disk. */
class SyncedSegmentLogSuite extends PartitionLogBehaviour {
  override protected def newLog(clock: Clock): PartitionLog = new SegmentLog(Scratch.directory(), clock, fsync = true)
}

object Scratch {

  /** A new, empty folder under the system's temporary one, removed when the tests' process ends. */
  def directory(): Path = {
    val created = Files.createTempDirectory("localhub-log")
    Runtime.getRuntime.addShutdownHook(new Thread(() => delete(created)))
    created
  }

  private def delete(directory: Path): Unit = {
    val files = Files.walk(directory)
    try files.sorted(java.util.Comparator.reverseOrder()).forEach(file => { Files.deleteIfExists(file); () })
    finally files.close()
  }
}
