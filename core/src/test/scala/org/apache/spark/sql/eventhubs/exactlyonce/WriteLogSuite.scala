package org.apache.spark.sql.eventhubs.exactlyonce

import java.nio.file.{Files, Path}
import java.time.Instant

import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.{EventHubName, EventHubsException}
import org.apache.spark.sql.eventhubs.TestSpark
import testkit.TestSuite

class WriteLogSuite extends TestSuite with TestSpark {

  private val positions =
    HubPositions(
      EventHubName("ns.example.net", "alerts"),
      HubGeneration.CreatedAt(Instant.parse("2026-11-01T10:20:30.400Z")),
      Map(0 -> 17L, 1 -> 0L)
    )

  private def one(hub: HubPositions) = WriteRecord(Seq(hub))

  private val later = positions.copy(next = Map(0 -> 20L, 1 -> 5L))

  private def withLog(test: (WriteLog, Path) => Unit): Unit = {
    val folder = Files.createTempDirectory("write-log").resolve("not/yet/there")
    test(new WriteLog(spark, folder.toUri.toString), folder)
  }

  test("a recorded batch is found, also by another log of the same folder; other batches are not") {
    withLog { (log, folder) =>
      assert(log.get(3).isEmpty)
      assert(log.record(3, one(positions)))
      assert(log.get(3).contains(one(positions)) && log.get(4).isEmpty)
      assert(new WriteLog(spark, folder.toString).get(3).contains(one(positions)))
    }
  }

  test("a record keeps the epochs of a geo-replicated hub; one without them is read too") {
    withLog { (log, _) =>
      val replicated = positions.copy(epochs = Map(0 -> 2, 1 -> 1))
      assert(log.record(3, one(replicated)) && log.get(3).contains(one(replicated)))
      assert(replicated.promotionUntil(replicated).isEmpty && positions.promotionUntil(replicated).isEmpty)
      assert(replicated.promotionUntil(replicated.copy(epochs = Map(0 -> 2, 1 -> 3))).exists(_.contains("partition 1")))
    }
  }

  test("a record of several hubs, or of none, is read again, with its query and run") {
    withLog { (log, _) =>
      val hubs =
        WriteRecord(Seq(positions, later.copy(hub = positions.hub.copy(name = "orders"))), Some("q"), Some("r"))
      assert(log.record(3, hubs) && log.get(3).contains(hubs))
      assert(hubs.of(positions.hub.copy(name = "ORDERS")).exists(_.next == later.next))
      assert(hubs.of(positions.hub.copy(name = "absent")).isEmpty)
      assert(log.record(4, WriteRecord(Nil)) && log.get(4).contains(WriteRecord(Nil)))
    }
  }

  test("a run that continues a batch replaces its record; a replacement that stopped halfway is finished") {
    withLog { (log, folder) =>
      assert(log.record(3, one(positions).copy(run = Some("first"))))
      log.replace(3, one(positions).copy(run = Some("second")))
      assert(log.get(3).contains(one(positions).copy(run = Some("second"))))
      Files.move(folder.resolve("3"), folder.resolve(".3.tmp"))
      assert(log.get(3).flatMap(_.run).contains("second"))
    }
  }

  test("a record is never overwritten") {
    withLog { (log, _) =>
      assert(log.record(3, one(positions)))
      assert(!log.record(3, one(later)))
      assert(log.get(3).contains(one(positions)))
    }
  }

  test("an incomplete file does not count as a record, and the batch can be recorded again") {
    val whole = one(positions).toJson.toString
    withLog { (log, folder) =>
      Files.createDirectories(folder)
      (0 until whole.length).foreach { length =>
        Files.writeString(folder.resolve("3"), whole.take(length))
        assert(log.get(3).isEmpty, s"the first $length characters of $whole")
        assert(log.record(3, one(later)))
        assert(log.get(3).contains(one(later)))
      }
    }
  }

  Seq(
    "a later version" -> one(positions).toJson.put("version", 9).toString,
    "no hubs" -> "{\"version\":1,\"hub\":\"alerts\"}",
    "a sequence number that is text" -> one(positions).toJson.toString.replace(":17", ":\"x\""),
    "several hubs, one of them without positions" ->
      s"""{"version":1,"hubs":[${positions.toJson},{"version":1,"hub":"a"}]}""",
    "no JSON" -> "v1 of something else",
    "NUL bytes, which some file systems leave after a power failure" -> "\u0000" * 40
  ).foreach { case (what, text) =>
    test(s"a file that cannot be parsed is an error with its text: $what") {
      withLog { (log, folder) =>
        Files.createDirectories(folder)
        Files.writeString(folder.resolve("3"), text)
        val error = intercept[EventHubsException](log.get(3))
        assert(error.getCondition == "EVENTHUBS_MALFORMED_WRITE_LOG")
        assert(error.getMessage.contains(text.take(10)))
        assert(Files.exists(folder.resolve("3")), "the file is kept")
      }
    }
  }

  private def retaining[A](batches: Int)(body: => A): A = {
    spark.conf.set("spark.sql.streaming.minBatchesToRetain", batches.toLong)
    try body
    finally spark.conf.unset("spark.sql.streaming.minBatchesToRetain")
  }

  test("as many records stay as Spark keeps, counted and not by their numbers; no other file is removed") {
    withLog { (log, folder) =>
      val days = Seq(20260810L, 20261031L, 20261101L, 20261120L)
      days.foreach(log.record(_, one(positions)))
      Files.writeString(folder.resolve("notes.txt"), "not a record")
      assert(log.startRemoval().isEmpty)
      retaining(2)(assert(log.startRemoval() == days.take(1)))
      assert(Files.exists(folder.resolve("notes.txt")))
    }
  }

  test("once records are removed, a batch before the oldest kept one may have had one; before that, none had") {
    withLog { (log, folder) =>
      (3L to 6L).foreach(log.record(_, one(positions)))
      def reopened = new WriteLog(spark, folder.toUri.toString)
      assert(reopened.removedBefore(1).isEmpty)
      retaining(2)(log.startRemoval().foreach(log.delete))
      assert(log.get(3).isEmpty && log.get(4).nonEmpty)
      assert(reopened.removedBefore(3).contains(4L) && reopened.removedBefore(4).isEmpty)
    }
  }
}
