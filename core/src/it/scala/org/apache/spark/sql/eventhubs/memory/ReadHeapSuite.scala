package org.apache.spark.sql.eventhubs.memory

import java.lang.management.ManagementFactory
import java.nio.file.{Files, Path}
import java.util.Comparator
import java.util.concurrent.TimeUnit

import scala.jdk.CollectionConverters._

import org.scalatest.time.{Minutes, Span}

import testkit.{LongTest, TestSuite}

/** A query with a small heap reads large events. Hub and query each have their own JVM. */
@LongTest
class ReadHeapSuite extends TestSuite {

  override def timeLimit: Span = Span(10, Minutes)

  private val javaProgram = Path.of(sys.props("java.home"), "bin", "java").toString

  private def program(name: String, heapMb: Int, arguments: Seq[String]): Process = {
    val opens = ManagementFactory.getRuntimeMXBean.getInputArguments.asScala.filter(_.startsWith("--add-opens"))
    val options = s"-Xmx${heapMb}m" +: s"-Djava.io.tmpdir=${sys.props("java.io.tmpdir")}" +: opens.toSeq
    val command = javaProgram +: (options ++ Seq("-cp", sys.props("java.class.path"), name) ++ arguments)
    new ProcessBuilder(command: _*).redirectErrorStream(true).start()
  }

  /** What the query's program prints. */
  private def reading(events: LargeEvents, heapMb: Int): String = {
    val data = Files.createTempDirectory("large-events-hub")
    val hub = program(LargeEventsHub.getClass.getName.stripSuffix("$"), 512, data.toString +: events.words)
    try {
      val address = hub.inputReader().lines().iterator().asScala.find(_.startsWith("Endpoint=")).get
      val query = program(LargeEventsReader.getClass.getName.stripSuffix("$"), heapMb, address +: events.words)
      try {
        val output = new String(query.getInputStream.readAllBytes())
        assert(query.waitFor(1, TimeUnit.MINUTES))
        output
      } finally query.destroyForcibly()
    } finally {
      hub.destroyForcibly().waitFor()
      Files.walk(data).sorted(Comparator.reverseOrder[Path]).forEach(file => Files.delete(file))
    }
  }

  private def survives(events: LargeEvents, heapMb: Int): Unit = {
    val output = reading(events, heapMb)
    val isRead = output.linesIterator.contains(s"read ${events.total}")
    assert(isRead, output.linesIterator.filterNot(_.trim.startsWith("at ")).mkString("\n").takeRight(5000))
  }

  test("20,000 events of 100 B and then 600 of 1 MB in each of 2 partitions, slow tasks, a heap of 640 MB") {
    survives(LargeEvents(2, 20000, 600, 1000000, slowCount = 40, slowMillis = 250), heapMb = 640)
  }

  test("events of 20 MB in 4 partitions, slow tasks, a heap of 640 MB") {
    survives(LargeEvents(4, 100, 12, 20 << 20, slowCount = 8, slowMillis = 1000), heapMb = 640)
  }
}
