package localhub.log

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.{Random, Using}

import testkit.TestSuite

/** Opening a stored log: complete, interrupted, damaged. */
class SegmentRecoverySuite extends TestSuite {

  private val clock = new ManualClock(1000)

  private def open(directory: Path, segmentBytes: Int = SegmentLog.SegmentBytes): SegmentLog =
    new SegmentLog(directory, clock, fsync = false, segmentBytes)

  private def append(log: PartitionLog, payloads: String*): LogPosition =
    log.append(payloads.size, (index, _) => payloads(index).getBytes(UTF_8))

  private def texts(log: PartitionLog): Seq[String] =
    log.readBatch(log.bounds.beginSequenceNumber, 10000, 1 << 30).map(entry => new String(entry.payload, UTF_8))

  private def files(directory: Path, suffix: String): Seq[Path] =
    Using.resource(Files.list(directory))(_.iterator.asScala.filter(_.toString.endsWith(suffix)).toSeq.sorted)

  private def onlyFile(directory: Path): Path = files(directory, ".log").head

  /** A log with these appends, closed. */
  private def written(appends: Seq[String]*): Path = {
    val directory = TempDirectory.create()
    Using.resource(open(directory))(log => appends.foreach(append(log, _: _*)))
    directory
  }

  private def flip(file: Path, position: Int): Unit = {
    val bytes = Files.readAllBytes(file)
    bytes(position) = (bytes(position) ^ 0x10).toByte
    Files.write(file, bytes)
  }

  test("a reopened log has its events, positions and times, and continues") {
    val directory = TempDirectory.create()
    val before = Using.resource(open(directory)) { log =>
      append(log, "a", "bb")
      clock.now += 5
      append(log, "ccc")
      log.bounds
    }
    Using.resource(open(directory)) { log =>
      assert(log.bounds == before && texts(log) == Seq("a", "bb", "ccc") && log.retainedBytes == 6)
      assert(log.read(1).map(_.position).contains(LogPosition(1, 1, clock.now - 5)))
      assert(append(log, "d") == LogPosition(3, 6, clock.now))
      assert(texts(log) == Seq("a", "bb", "ccc", "d"))
    }
  }

  test("a log of many files is reopened") {
    val directory = TempDirectory.create()
    val expected = (0 until 100).map(i => s"event-$i")
    Using.resource(open(directory, 200))(log => expected.grouped(3).foreach(append(log, _: _*)))
    assert(files(directory, ".log").size > 10)
    Using.resource(open(directory, 200)) { log =>
      assert(texts(log) == expected)
      expected.indices.foreach(i => assert(log.read(i.toLong).map(e => new String(e.payload)).contains(expected(i))))
    }
  }

  test("trimming survives a restart and deletes files that have only removed events") {
    val directory = TempDirectory.create()
    Using.resource(open(directory, 1)) { log =>
      append(log, "a", "b")
      append(log, "c", "d")
      append(log, "e")
      log.trimBefore(3)
      assert(files(directory, ".log").size == 2)
    }
    Using.resource(open(directory)) { log =>
      assert(log.bounds.beginSequenceNumber == 3 && texts(log) == Seq("d", "e") && log.retainedBytes == 2)
    }
  }

  test("an emptied log continues its sequence numbers") {
    val directory = TempDirectory.create()
    val before = Using.resource(open(directory)) { log =>
      append(log, "a", "b")
      log.trimBefore(2)
      log.bounds
    }
    assert(Files.size(onlyFile(directory)) == SegmentFormat.FileHeaderBytes)
    Using.resource(open(directory)) { log =>
      assert(log.bounds == before && append(log, "c").sequenceNumber == 2)
    }
  }

  test("an append that was cut at any byte is removed completely, and earlier appends stay") {
    val directory = written(Seq("first", "second"))
    val whole = Files.size(onlyFile(directory)).toInt
    Using.resource(open(directory))(append(_, "third", "fourth", "x" * 200))
    val bytes = Files.readAllBytes(onlyFile(directory))
    (whole until bytes.length).foreach { length =>
      Files.write(onlyFile(directory), bytes.take(length))
      Using.resource(open(directory)) { log =>
        assert(texts(log) == Seq("first", "second"), s"cut at $length")
        assert(append(log, "next").sequenceNumber == 2 && texts(log) == Seq("first", "second", "next"))
      }
    }
    assert(files(directory, ".torn").size == 1)
  }

  test("blocks that were allocated but never written are cut off") {
    val directory = written(Seq("first"))
    val bytes = Files.readAllBytes(onlyFile(directory))
    Files.write(onlyFile(directory), bytes ++ new Array[Byte](4096))
    Using.resource(open(directory))(log => assert(texts(log) == Seq("first")))
  }

  test("a flipped bit anywhere in an acknowledged event or its header is reported with its file, never skipped") {
    val directory = written(Seq("first", "second"), Seq("third"))
    val file = onlyFile(directory)
    val bytes = Files.readAllBytes(file)
    bytes.indices.foreach { position =>
      flip(file, position)
      val error = intercept[CorruptLogException](open(directory).close())
      assert(error.getMessage.contains(file.toString), s"flipped at $position")
      Files.write(file, bytes)
    }
    assert(files(directory, ".torn").isEmpty)
  }

  test("random damage is never read as events") {
    val directory = written((0 until 50).map(i => s"event $i"), Seq("y" * 3000), (0 until 50).map(i => s"more $i"))
    val file = onlyFile(directory)
    val bytes = Files.readAllBytes(file)
    val good = Using.resource(open(directory))(texts)
    val random = new Random(42)
    (0 until 300).foreach { _ =>
      val damaged = bytes.clone()
      val from = random.nextInt(bytes.length)
      (from until math.min(bytes.length, from + 1 + random.nextInt(64))).foreach(damaged(_) = random.nextInt().toByte)
      Files.write(file, damaged)
      try Using.resource(open(directory))(log =>
          assert(texts(log) == good.take(texts(log).size) && damaged.sameElements(bytes))
        )
      catch { case _: CorruptLogException => }
    }
  }

  test("damage in an older file is reported when it is read, and the newer events can be read") {
    val directory = TempDirectory.create()
    Using.resource(open(directory, 1)) { log =>
      append(log, "old")
      append(log, "new")
    }
    flip(files(directory, ".log").head, SegmentFormat.FileHeaderBytes + SegmentFormat.BatchHeaderBytes + 9)
    Using.resource(open(directory)) { log =>
      assert(intercept[CorruptLogException](log.readBatch(0, 10, 1000)).getMessage.contains("wrong checksum"))
      assert(log.read(1).map(e => new String(e.payload)).contains("new"))
    }
  }

  test("a missing file in the middle is reported with its events") {
    val directory = TempDirectory.create()
    Using.resource(open(directory, 1))(log => Seq("a", "b", "c").foreach(append(log, _)))
    Files.delete(files(directory, ".log")(1))
    Using.resource(open(directory)) { log =>
      assert(intercept[CorruptLogException](log.readBatch(
        0,
        10,
        1000
      )).getMessage.contains("events 1 to 1 are missing"))
    }
  }

  test("a file of a later format is refused with both versions") {
    val directory = written(Seq("a"))
    val bytes = Files.readAllBytes(onlyFile(directory))
    bytes(11) = 9
    Files.write(onlyFile(directory), bytes)
    assert(intercept[CorruptLogException](open(directory)).getMessage.contains("version 9"))
  }

  test("an interrupt during an append and a read does not damage the log") {
    Using.resource(open(TempDirectory.create())) { log =>
      Thread.currentThread.interrupt()
      try {
        append(log, "a")
        assert(log.readBatch(0, 1, 10).size == 1)
      } finally Thread.interrupted()
      append(log, "b")
      assert(texts(log) == Seq("a", "b"))
    }
  }
}
