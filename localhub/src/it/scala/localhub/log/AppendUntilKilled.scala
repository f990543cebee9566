package localhub.log

import java.nio.file.Path
import java.time.Clock

/**
 * A process that appends until it is killed. Prints every acknowledged append: `writer batch lastSequenceNumber`.
 * Arguments: directory, threads, whether to fsync.
 */
object AppendUntilKilled {
  val BatchSize = 7

  def main(args: Array[String]): Unit = {
    val log = new SegmentLog(Path.of(args(0)), Clock.systemUTC(), args(2).toBoolean, segmentBytes = 300000)
    val threads = (0 until args(1).toInt).map { writer =>
      new Thread(() =>
        Iterator.from(0).foreach(batch => appendBatch(log, s"${ProcessHandle.current.pid}.$writer", batch))
      )
    }
    threads.foreach(_.start())
    threads.foreach(_.join())
  }

  private def appendBatch(log: SegmentLog, writer: String, batch: Int): Unit = {
    val last = log.append(BatchSize, (i, position) => payload(writer, batch, i, position.sequenceNumber))
    // One write per line, so that only the last line can be incomplete for the parent.
    System.out.write(s"$writer $batch ${last.sequenceNumber}\n".getBytes)
    System.out.flush()
  }

  private def payload(writer: String, batch: Int, index: Int, sequenceNumber: Long): Array[Byte] =
    s"$writer $batch $index $sequenceNumber ${"x" * (batch * 31 % 900)}".getBytes
}
