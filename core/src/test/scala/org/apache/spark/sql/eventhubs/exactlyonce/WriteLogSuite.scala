package org.apache.spark.sql.eventhubs.exactlyonce

import java.nio.file.{Files, Path}
import java.time.Instant
import java.util.concurrent.{Callable, CyclicBarrier, Executors}

import scala.jdk.CollectionConverters._

import jdk.jfr.Recording
import jdk.jfr.consumer.RecordingFile
import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.{EventHubName, EventHubsException}
import org.apache.spark.sql.eventhubs.TestSpark

class WriteLogSuite extends AnyFunSuite with TestSpark {

  private val positions =
    HubPositions(
      EventHubName("ns.example.net", "alerts"),
      HubGeneration.CreatedAt(Instant.parse("2026-11-01T10:20:30.400Z")),
      Map(0 -> 17L, 1 -> 0L)
    )

  private val later = positions.copy(next = Map(0 -> 20L, 1 -> 5L))

  private def withLog(test: (WriteLog, Path) => Unit): Unit = {
    val folder = Files.createTempDirectory("write-log").resolve("not/yet/there")
    test(new WriteLog(spark, folder.toUri.toString), folder)
  }

  test("what is recorded is found again, by another log of the folder too; what is not is not") {
    withLog { (log, folder) =>
      assert(log.get(3).isEmpty && log.latest.isEmpty)
      assert(log.record(3, positions))
      assert(log.get(3).contains(positions) && log.get(4).isEmpty)
      assert(new WriteLog(spark, folder.toString).get(3).contains(positions))
      assert(log.latest.contains(3L))
    }
  }

  test("the folder may be a link to one") {
    val place = Files.createTempDirectory("write-log")
    val link = Files.createSymbolicLink(place.resolve("link"), Files.createDirectory(place.resolve("folder")))
    val log = new WriteLog(spark, link.toString)
    assert(log.record(3, positions) && log.get(3).contains(positions))
    assert(Files.exists(place.resolve("folder/3")))
  }

  test("a record is never written over") {
    withLog { (log, _) =>
      assert(log.record(3, positions))
      assert(!log.record(3, later))
      assert(log.get(3).contains(positions))
    }
  }

  test("of those that record a batch at the same moment, one does") {
    withLog { (log, _) =>
      val threads = 4
      val together = new CyclicBarrier(threads)
      val pool = Executors.newFixedThreadPool(threads)
      try 1.to(50).foreach { batch =>
          val record: Callable[Boolean] = { () =>
            together.await()
            log.record(batch.toLong, positions)
          }
          val done = pool.invokeAll(Seq.fill(threads)(record).asJava).asScala.map(_.get)
          assert(done.count(identity) == 1, s"batch $batch")
        }
      finally pool.shutdown()
    }
  }

  test("a file that was not finished, wherever it was left, is no record, and makes room for one") {
    val whole = positions.toJson.toString
    withLog { (log, folder) =>
      Files.createDirectories(folder)
      (0 until whole.length).foreach { length =>
        Files.writeString(folder.resolve("3"), whole.take(length))
        assert(log.get(3).isEmpty, s"the first $length characters of $whole")
        assert(log.record(3, later))
        assert(log.get(3).contains(later))
      }
    }
  }

  Seq(
    "a later version" -> positions.toJson.put("version", 9).toString,
    "no positions" -> "{\"version\":1,\"hub\":\"alerts\"}",
    "no JSON" -> "v1 of something else"
  ).foreach { case (what, text) =>
    test(s"a file that cannot be understood is an error with what it holds: $what") {
      withLog { (log, folder) =>
        Files.createDirectories(folder)
        Files.writeString(folder.resolve("3"), text)
        val error = intercept[EventHubsException](log.get(3))
        assert(error.getCondition == "EVENTHUBS_MALFORMED_WRITE_LOG")
        assert(error.getMessage.contains(text.take(10)))
        assert(Files.exists(folder.resolve("3")), "it is kept")
      }
    }
  }

  test("records that no restart can ask for are removed, and nothing else") {
    withLog { (log, folder) =>
      (0L to 120L).foreach(log.record(_, positions))
      Files.writeString(folder.resolve("notes.txt"), "not a record")
      log.record(130, positions)
      assert(log.get(29).isEmpty && log.get(30).nonEmpty && log.latest.contains(130L))
      assert(Files.exists(folder.resolve("notes.txt")))
    }
  }

  test("on a local disk a record is one file, and no process is started for it") {
    withLog { (log, folder) =>
      log.record(1, positions)
      val recording = new Recording
      recording.enable("jdk.ProcessStart")
      recording.start()
      log.get(2)
      log.record(2, positions)
      recording.stop()
      val dump = Files.createTempFile("processes", ".jfr")
      recording.dump(dump)
      recording.close()
      assert(RecordingFile.readAllEvents(dump).isEmpty)
      val there = Files.list(folder)
      try assert(there.iterator.asScala.map(_.getFileName.toString).toSet == Set("1", "2"))
      finally there.close()
    }
  }
}
