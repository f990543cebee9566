package localhub.log

import java.time.Clock

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

/** The common tests with fsync. */
class SyncedSegmentLogSuite extends PartitionLogBehaviour {
  override protected def newLog(clock: Clock): PartitionLog =
    new SegmentLog(TempDirectory.create(), clock, fsync = true)
}
