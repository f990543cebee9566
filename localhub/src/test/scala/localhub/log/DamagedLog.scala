package localhub.log

import java.nio.file.Files
import java.time.Clock

import scala.util.Using

object DamagedLog {

  /** Two events, each in its own file. The first file is damaged, which is detected at its first read. */
  def open(clock: Clock): SegmentLog = {
    val directory = TempDirectory.create()
    def log() = new SegmentLog(directory, clock, fsync = false, segmentBytes = 1)
    Using.resource(log())(log => for (_ <- 0 until 2) log.append(1, (_, _) => "event".getBytes))
    val first = directory.resolve(SegmentFormat.fileName(0))
    val bytes = Files.readAllBytes(first)
    bytes(bytes.length - 1) = (bytes.last ^ 0x10).toByte
    Files.write(first, bytes)
    log()
  }
}
