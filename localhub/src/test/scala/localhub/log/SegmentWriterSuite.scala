package localhub.log

import java.io.SyncFailedException

import scala.util.Using

import testkit.TestSuite

class SegmentWriterSuite extends TestSuite {

  test("after a failed sync every sync fails, because the operating system reports a lost write only once") {
    var diskFails = true
    def sync(): Unit = if (diskFails) throw new SyncFailedException("no disk")
    val segment = new LogDirectory(TempDirectory.create()).create(LogTail.Start)
    Using.resource(new SegmentWriter(segment, SegmentFormat.FileHeaderBytes.toLong, _ => sync())) { writer =>
      writer.append(LogTail.Start, 0, 1, (_, _) => Array[Byte](1))
      assert(intercept[UnwritableLogException](writer.sync()).getMessage.contains("no disk"))
      diskFails = false
      assert(intercept[UnwritableLogException](writer.sync()).getMessage.contains("restart the local hub"))
    }
  }
}
