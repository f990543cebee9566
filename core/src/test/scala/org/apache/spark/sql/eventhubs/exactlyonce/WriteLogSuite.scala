package org.apache.spark.sql.eventhubs.exactlyonce

import java.nio.file.{Files, Path}
import java.time.Instant
import java.util.concurrent.{Callable, CyclicBarrier, Executors}

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

  test("a run owns a batch that it has begun or taken over, until another run takes it over") {
    withLog { (log, _) =>
      val record = one(positions).copy(run = Some("first"))
      assert(log.record(3, record) && log.record(33, one(later)))
      assert(log.owned(3, "first").contains(record) && log.owned(3, "second").isEmpty && log.owned(4, "first").isEmpty)
      Seq("second", "third").foreach { run =>
        assert(log.takeOver(3, run))
        assert(log.owned(3, run).contains(record) && log.get(3).contains(record))
      }
      assert(log.owned(3, "first").isEmpty && log.owned(3, "second").isEmpty)
    }
  }

  test(
    "an incomplete file of a run that took a batch over ends the ownership of earlier runs, and blocks no later one"
  ) {
    withLog { (log, folder) =>
      log.record(3, one(positions).copy(run = Some("first")))
      Files.writeString(folder.resolve("3.1"), "{\"vers")
      assert(log.owned(3, "first").isEmpty)
      assert(log.takeOver(3, "third") && log.owned(3, "third").nonEmpty)
    }
  }

  /** What each of several threads returns when all of them start at the same moment. */
  private def together[A](threads: Int)(work: Int => A): Seq[A] = {
    val (barrier, pool) = (new CyclicBarrier(threads), Executors.newFixedThreadPool(threads))
    def call(index: Int): Callable[A] = { () =>
      barrier.await()
      work(index)
    }
    try {
      val calls = (0 until threads).map(index => pool.submit(call(index)))
      calls.map(_.get)
    } finally pool.shutdown()
  }

  test("of several runs that begin a batch at the same moment, one records it") {
    withLog { (log, _) =>
      val recorded = (0L until 300L).map { batch =>
        together(4)(run => log.get(batch).isEmpty && log.record(batch, one(positions).copy(run = Some(s"$run"))))
      }
      assert(recorded.forall(_.count(identity) == 1))
    }
  }

  test("of several runs that take a batch over at the same moment, one owns it at the end") {
    withLog { (log, _) =>
      (0L until 50L).foreach { batch =>
        log.record(batch, one(positions))
        val taken = together(4)(run => log.takeOver(batch, s"$run")).zipWithIndex.collect { case (true, run) =>
          s"$run"
        }
        assert(taken.count(log.owned(batch, _).nonEmpty) == 1)
      }
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
      log.takeOver(days.head, "a run")
      assert(log.startRemoval(last = days.last).isEmpty)
      retaining(2) {
        assert(log.startRemoval(last = days.head).isEmpty)
        assert(log.startRemoval(last = days.last) == days.take(1))
      }
      log.remove(days.take(1))
      val left = days.drop(1).map(_.toString) ++ Seq("notes.txt", s"removed.${days.head}")
      assert(folder.toFile.list().toSet == left.toSet)
    }
  }

  test("a batch that is not after a removed one may have had an entry, also when an earlier one is added later") {
    withLog { (log, folder) =>
      (3L to 8L).foreach(log.record(_, one(positions)))
      def reopened = new WriteLog(spark, folder.toUri.toString)
      assert(reopened.removedSince(1).isEmpty)
      retaining(4)(log.remove(log.startRemoval(last = 8)))
      assert(reopened.removedSince(3).contains(3L) && reopened.removedSince(4).isEmpty)
      retaining(2)(log.remove(log.startRemoval(last = 8)))
      assert(log.get(5).isEmpty && log.get(6).nonEmpty)
      log.record(1, one(positions))
      assert(reopened.removedSince(5).contains(5L) && reopened.removedSince(6).isEmpty)
      assert(folder.toFile.list().toSet == Set("1", "6", "7", "8", "removed.5"))
    }
  }
}
