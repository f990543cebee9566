package localhub.log

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import java.time.Clock

import scala.jdk.CollectionConverters._
import scala.util.Using

import testkit.TestSuite

class DiskFullSuite extends TestSuite {

  test("an append on a full disk fails completely, and the log continues") {
    val directory = TempDirectory.create()
    val java = Path.of(sys.props("java.home"), "bin", "java")
    // The shell's limit on file sizes acts as a full disk.
    val command =
      s"ulimit -f 300; exec $java -Xmx64m -cp '${sys.props("java.class.path")}' localhub.log.AppendUntilFull $directory"
    val process = new ProcessBuilder("bash", "-c", command).redirectErrorStream(true).start()
    val output = new String(process.getInputStream.readAllBytes(), UTF_8).trim
    assert(process.waitFor() == 0 && output.contains("Cannot append to"), output)
    val last = output.takeWhile(_ != ' ').toLong
    Using.resource(new SegmentLog(directory, Clock.systemUTC(), fsync = false)) { log =>
      assert(log.bounds.lastSequenceNumber == last && log.readBatch(0, 1000, 1 << 30).size == last + 1)
      assert(log.read(last).exists(_.payload.sameElements(Array[Byte](7))))
    }
    assert(Using.resource(Files.list(directory))(_.iterator.asScala.forall(!_.toString.endsWith(".torn"))))
  }
}
