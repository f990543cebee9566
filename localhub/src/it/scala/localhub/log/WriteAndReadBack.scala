package localhub.log

import java.nio.file.Path
import java.time.Clock

import scala.util.Using

/** A process that writes and reads back more than its heap. Arguments: directory, number of events of 1 KB. */
object WriteAndReadBack {
  private val Batch = 200

  def main(args: Array[String]): Unit =
    Using.resource(new SegmentLog(Path.of(args(0)), Clock.systemUTC(), fsync = false)) { log =>
      val events = args(1).toLong
      (1L to events / Batch).foreach(_ =>
        log.append(Batch, (_, at) => at.sequenceNumber.toString.padTo(1024, ' ').getBytes)
      )
      var next = 0L
      while (next < events) {
        val batch = log.readBatch(next, 1000, 1 << 20)
        batch.foreach { entry =>
          if (new String(entry.payload).trim.toLong != next) throw new AssertionError(s"$next is ${entry.position}")
          next += 1
        }
        if (batch.isEmpty) throw new AssertionError(s"nothing at $next")
      }
      println(s"read $next")
    }
}
