package localhub.log

import java.nio.file.Path
import java.time.Clock

import scala.util.Using

/**
 * A process that appends until a write fails, then appends a small event that still fits. Prints the last acknowledged
 * sequence number and the failure's message. Argument: directory.
 */
object AppendUntilFull {

  def main(args: Array[String]): Unit =
    Using.resource(new SegmentLog(Path.of(args(0)), Clock.systemUTC(), fsync = false)) { log =>
      val large = new Array[Byte](10000)
      val failure =
        try {
          while (true) log.append(3, (_, _) => large)
          ""
        } catch { case full: UnwritableLogException => full.getMessage }
      val small = log.append(1, (_, _) => Array[Byte](7))
      println(s"${small.sequenceNumber} $failure")
    }
}
