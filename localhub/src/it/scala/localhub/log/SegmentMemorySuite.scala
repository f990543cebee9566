package localhub.log

import java.nio.file.Path

import testkit.TestSuite

class SegmentMemorySuite extends TestSuite {

  test("a log of ten times the heap is written and read back") {
    val java = Path.of(sys.props("java.home"), "bin", "java").toString
    val process = new ProcessBuilder(
      java,
      "-Xmx40m",
      "-cp",
      sys.props("java.class.path"),
      "localhub.log.WriteAndReadBack",
      TempDirectory.create().toString,
      "400000"
    )
      .redirectErrorStream(true).start()
    val output = new String(process.getInputStream.readAllBytes())
    assert(process.waitFor() == 0 && output.trim == "read 400000", output)
  }
}
