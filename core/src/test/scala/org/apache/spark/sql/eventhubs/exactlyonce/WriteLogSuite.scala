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
      assert(log.get(3).isEmpty && log.latest.isEmpty)
      assert(log.record(3, one(positions)))
      assert(log.get(3).contains(one(positions)) && log.get(4).isEmpty)
      assert(new WriteLog(spark, folder.toString).get(3).contains(one(positions)))
      assert(log.latest.contains(3L))
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

  test("a record of several hubs, or of none, is read again; one of one hub is what earlier versions wrote") {
    withLog { (log, folder) =>
      val hubs = WriteRecord(Seq(positions, later.copy(hub = positions.hub.copy(name = "orders"))))
      assert(log.record(3, hubs) && log.get(3).contains(hubs))
      assert(hubs.of(positions.hub.copy(name = "ORDERS")).exists(_.next == later.next))
      assert(hubs.of(positions.hub.copy(name = "absent")).isEmpty)
      assert(log.record(4, WriteRecord(Nil)) && log.get(4).contains(WriteRecord(Nil)))
      Files.writeString(folder.resolve("5"), positions.toJson.toString)
      assert(log.get(5).contains(one(positions)) && one(positions).toJson == positions.toJson)
    }
  }

  test("a record keeps the query that finished a write; versions that do not know the field read it too") {
    withLog { (log, _) =>
      val finished = one(positions).copy(query = Some("a-query"))
      assert(log.record(3, finished) && log.get(3).contains(finished))
      assert(HubPositions.fromJson(finished.toJson) == Right(positions))
      val ofHubs = WriteRecord(Seq(positions, later.copy(hub = positions.hub.copy(name = "orders"))), Some("a-query"))
      assert(log.record(4, ofHubs) && log.get(4).contains(ofHubs))
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
    val whole = positions.toJson.toString
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
    "a later version" -> positions.toJson.put("version", 9).toString,
    "no positions" -> "{\"version\":1,\"hub\":\"alerts\"}",
    "a sequence number that is text" -> positions.toJson.toString.replace(":17", ":\"x\""),
    "several hubs, one of them without positions" ->
      s"""{"version":2,"hubs":[${positions.toJson},{"version":1,"hub":"a"}]}""",
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

  test("records that no restart can need are removed, and no other file is") {
    withLog { (log, folder) =>
      (0L to 120L).foreach(log.record(_, one(positions)))
      Files.writeString(folder.resolve("notes.txt"), "not a record")
      log.record(130, one(positions))
      assert(log.get(29).isEmpty && log.get(30).nonEmpty && log.latest.contains(130L))
      assert(Files.exists(folder.resolve("notes.txt")))
    }
  }
}
