package localhub.log

import java.nio.file.{Files, Path}
import java.time.Clock

import scala.collection.mutable
import scala.util.Using

import testkit.TestSuite

/** A process is killed with SIGKILL while its threads append; the next one continues in the same folder. */
class SegmentCrashSuite extends TestSuite {

  import SegmentCrashSuite.Acknowledged

  test("after 15 kills every acknowledged append is stored once, completely and in order") {
    killRepeatedly(rounds = 15, fsync = false)
  }

  test("after 4 kills the same is true when appends wait for the disk") {
    killRepeatedly(rounds = 4, fsync = true)
  }

  private def killRepeatedly(rounds: Int, fsync: Boolean): Unit = {
    val directory = TempDirectory.create()
    val acknowledged = mutable.ArrayBuffer.empty[Acknowledged]
    (1 to rounds).foreach { round =>
      val printed = appendAndKill(directory, acknowledgedBytes = 4000L * round, fsync)
      assert(printed.nonEmpty)
      acknowledged ++= printed
      check(directory, acknowledged.toSeq)
    }
  }

  private def appendAndKill(directory: Path, acknowledgedBytes: Long, fsync: Boolean): Seq[Acknowledged] = {
    val output = Files.createTempFile("acknowledged", ".txt")
    val java = Path.of(sys.props("java.home"), "bin", "java").toString
    val main =
      Seq(java, "-XX:TieredStopAtLevel=1", "-cp", sys.props("java.class.path"), "localhub.log.AppendUntilKilled")
    val process = new ProcessBuilder((main ++ Seq(directory.toString, "3", fsync.toString)): _*)
      .redirectOutput(output.toFile).redirectError(ProcessBuilder.Redirect.INHERIT).start()
    try {
      eventually(assert(Files.size(output) >= acknowledgedBytes))
      process.destroyForcibly().waitFor()
      parse(Files.readString(output))
    } finally {
      process.destroyForcibly()
      Files.deleteIfExists(output)
    }
  }

  /** The last line may be incomplete. */
  private def parse(text: String): Seq[Acknowledged] =
    text.take(text.lastIndexOf('\n') + 1).linesIterator.map(_.split(' ')).map { words =>
      Acknowledged(words(0), words(1).toInt, words(2).toLong)
    }.toSeq

  private def check(directory: Path, acknowledged: Seq[Acknowledged]): Unit =
    Using.resource(new SegmentLog(directory, Clock.systemUTC(), fsync = false)) { log =>
      val events = readAll(log)
      assert(events.zipWithIndex.forall { case (event, i) => event(3).toLong == i })
      val batches = events.grouped(AppendUntilKilled.BatchSize).toSeq
      batches.foreach(batch => assert(batch.map(_(2).toInt) == (0 until AppendUntilKilled.BatchSize)))
      val stored = batches.map(batch => Acknowledged(batch.head(0), batch.head(1).toInt, batch.last(3).toLong))
      assert(stored.distinct.size == stored.size)
      assert(acknowledged.toSet.subsetOf(stored.toSet))
    }

  private def readAll(log: SegmentLog): Seq[Array[String]] =
    Iterator.unfold(0L) { next =>
      val batch = log.readBatch(next, 1000, 1 << 20)
      Option.when(batch.nonEmpty)((batch, next + batch.size))
    }.flatten.map(entry => new String(entry.payload).split(' ')).toSeq
}

object SegmentCrashSuite {
  private final case class Acknowledged(writer: String, batch: Int, lastSequenceNumber: Long)
}
