package localhub.log

import java.io.FileOutputStream
import java.nio.file.{Files, Path}
import java.time.Clock

import scala.jdk.CollectionConverters._
import scala.util.Using

import testkit.TestSuite

/** After a power loss a log without fsync may lack its newest events, but it opens, and hides no new event. */
class PowerLossSuite extends TestSuite {

  private val header = SegmentFormat.FileHeaderBytes.toLong

  /** What a power loss leaves of the last file: its content at the last sync. */
  private final class Disk(directory: Path) {
    private var safeBytes = header

    def open(): PartitionLog = new CompactableLog(
      new SegmentLog(directory, Clock.systemUTC(), fsync = false, syncToDisk = _ => safeBytes = Files.size(lastFile)),
      Some(new RemovedEventsFile(directory.resolve(RemovedEventsFile.Name)))
    )

    def losePower(): Unit =
      Using.resource(new FileOutputStream(lastFile.toFile, true))(_.getChannel.truncate(safeBytes))

    private def lastFile: Path = Using.resource(Files.list(directory))(
      _.iterator.asScala.filter(f => SegmentFormat.firstSequenceNumber(f.getFileName.toString).nonEmpty).max
    )
  }

  private def append(log: PartitionLog, count: Int): Unit = { log.append(count, (i, _) => Array(i.toByte)); () }

  private def numbers(log: PartitionLog): Seq[Long] =
    log.readBatch(log.bounds.beginSequenceNumber, 100, 1000).map(_.position.sequenceNumber)

  test("events that retention or compaction refers to are on disk before it says so") {
    Seq[PartitionLog => Unit](_.trimBefore(6), _.remove(Seq(4L, 5L))).foreach { change =>
      val disk = new Disk(TempDirectory.create())
      val log = disk.open()
      append(log, 10)
      change(log)
      val before = numbers(log)
      append(log, 5)
      disk.losePower()
      val reopened = disk.open()
      assert(numbers(reopened) == before)
      append(reopened, 1)
      assert(numbers(reopened) == before :+ 10L)
    }
  }

  test("a log whose trimmed events are missing continues after them, also after another restart") {
    val directory = TempDirectory.create()
    def open() = new SegmentLog(directory, Clock.systemUTC(), fsync = false)
    append(open(), 3)
    Files.writeString(directory.resolve("begin"), "7")
    Seq(0, 1).foreach { kept =>
      val log = open()
      assert(log.bounds.beginSequenceNumber == 7 && log.bounds.lastSequenceNumber == 6L + kept)
      append(log, 1)
      assert(numbers(log) == (7 to 7 + kept))
      log.close()
    }
    val log = open()
    log.trimBefore(8)
    assert(numbers(log) == Seq(8))
  }

  test("removed numbers after the end of the log hide no new event, also after another restart") {
    val folder = TempDirectory.create()
    val disk = new Disk(folder)
    append(disk.open(), 5)
    new RemovedEventsFile(folder.resolve(RemovedEventsFile.Name))
      .save(RemovedEvents.Empty.and(Seq(1L, 5L, 9L), begin = 0))
    append(disk.open(), 5)
    assert(numbers(disk.open()) == (Seq(0) ++ (2 to 9)))
  }
}
