package localhub.log

import java.time.Clock
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{CountDownLatch, Executors, TimeUnit}

import org.scalatest.time.{Minutes, Span}

import localhub.log.StartingPoint._
import testkit.TestSuite

/** Tests for every implementation of [[PartitionLog]]. */
abstract class PartitionLogBehaviour extends TestSuite {

  // One of the logs waits for the disk with each append.
  override def timeLimit: Span = Span(10, Minutes)

  protected def newLog(clock: Clock): PartitionLog

  private def withLog[A](use: (PartitionLog, ManualClock) => A): A = {
    val clock = new ManualClock(1000)
    val log = newLog(clock)
    try use(log, clock)
    finally log.close()
  }

  private def append(log: PartitionLog, payloads: String*): LogPosition =
    log.append(payloads.size, (index, _) => payloads(index).getBytes)

  private def texts(entries: Seq[LogEntry]): Seq[String] = entries.map(entry => new String(entry.payload))

  test("a log that never had an event has begin 0 and last -1") {
    withLog { (log, _) =>
      assert(log.bounds == LogBounds(0, -1, -1, Long.MinValue) && log.bounds.isEmpty && log.retainedBytes == 0)
      assert(log.read(0).isEmpty && log.readBatch(0, 10, 1000).isEmpty)
    }
  }

  test("sequence numbers count from 0, offsets increase by the stored bytes") {
    withLog { (log, _) =>
      assert(append(log, "one", "seven77") == LogPosition(1, 3, 1000))
      assert(append(log, "x") == LogPosition(2, 10, 1000))
      assert(log.bounds == LogBounds(0, 2, 10, 1000))
    }
  }

  test("the encoder receives the position of each event, in order") {
    withLog { (log, _) =>
      append(log, "12345")
      val seen = Seq.newBuilder[(Int, LogPosition)]
      log.append(2, (index, position) => { seen += index -> position; Array[Byte](0, 1) })
      assert(seen.result() == Seq(0 -> LogPosition(1, 5, 1000), 1 -> LogPosition(2, 7, 1000)))
    }
  }

  test("an append whose encoder fails stores nothing") {
    withLog { (log, _) =>
      append(log, "a")
      intercept[IllegalStateException](log.append(
        3,
        (i, _) => if (i < 2) Array[Byte](1) else throw new IllegalStateException
      ))
      assert(log.bounds.lastSequenceNumber == 0)
      assert(append(log, "b") == LogPosition(1, 1, 1000))
      assert(texts(log.readBatch(0, 10, 100)) == Seq("a", "b"))
    }
  }

  test("an append without events changes nothing") {
    withLog { (log, _) =>
      val before = append(log, "a")
      assert(append(log) == before && log.bounds.lastSequenceNumber == 0)
    }
  }

  test("an event is read as it was written, also an empty or a large one") {
    withLog { (log, _) =>
      val large = Array.tabulate[Byte](1200000)(_.toByte)
      val payloads = IndexedSeq(Array.emptyByteArray, large, "x".getBytes)
      log.append(3, (index, _) => payloads(index))
      payloads.indices.foreach(index => assert(log.read(index.toLong).exists(_.payload.sameElements(payloads(index)))))
      assert(log.read(3).isEmpty && log.read(-1).isEmpty)
    }
  }

  test("the enqueued time never decreases, even when the clock does") {
    withLog { (log, clock) =>
      append(log, "a")
      clock.now = 500
      assert(append(log, "b").enqueuedMillis == 1000)
    }
  }

  test("a batch is read in order, up to the requested number of events and bytes") {
    withLog { (log, _) =>
      append(log, "aa", "bb", "cc")
      append(log, "dd", "ee")
      assert(texts(log.readBatch(0, 100, 1000)) == Seq("aa", "bb", "cc", "dd", "ee"))
      assert(texts(log.readBatch(1, 3, 1000)) == Seq("bb", "cc", "dd"))
      assert(texts(log.readBatch(2, 100, 5)) == Seq("cc", "dd"))
      assert(texts(log.readBatch(3, 100, 1)) == Seq("dd"))
      assert(log.readBatch(0, 0, 1000).isEmpty && log.readBatch(5, 10, 1000).isEmpty)
    }
  }

  test("a long log is read to its end in batches without loss or duplicates") {
    withLog { (log, _) =>
      val sizes = (0 until 500).map(i => 1 + i * 37 % 11)
      sizes.foreach(size =>
        log.append(size, (_, position) => position.sequenceNumber.toString.padTo(300, ' ').getBytes)
      )
      var next = 0L
      Iterator.continually(log.readBatch(next, 64, 10000)).takeWhile(_.nonEmpty).foreach { batch =>
        batch.foreach { entry =>
          assert(entry.position.sequenceNumber == next && new String(entry.payload).trim == next.toString)
          next += 1
        }
      }
      assert(next == sizes.sum)
    }
  }

  test("a reader starts at the earliest event, the latest event or a sequence number") {
    withLog { (log, _) =>
      append(log, "a", "b", "c")
      assert(log.sequenceNumberAt(Earliest) == 0 && log.sequenceNumberAt(Latest) == 3)
      assert(log.sequenceNumberAt(SequenceNumber(1, inclusive = true)) == 1)
      assert(log.sequenceNumberAt(SequenceNumber(1, inclusive = false)) == 2)
      assert(log.sequenceNumberAt(SequenceNumber(-5, inclusive = true)) == 0)
      assert(log.sequenceNumberAt(SequenceNumber(9, inclusive = true)) == 9)
    }
  }

  test("a reader starts at an offset, also between two events") {
    withLog { (log, _) =>
      append(log, "aaaa", "bbbb")
      append(log, "cccc")
      assert(log.sequenceNumberAt(Offset(4, inclusive = true)) == 1)
      assert(log.sequenceNumberAt(Offset(4, inclusive = false)) == 2)
      assert(log.sequenceNumberAt(Offset(5, inclusive = true)) == 2)
      assert(log.sequenceNumberAt(Offset(-1, inclusive = false)) == 0)
      assert(log.sequenceNumberAt(Offset(8, inclusive = false)) == 3)
      assert(log.sequenceNumberAt(Offset(1000, inclusive = true)) == 3)
    }
  }

  test("a reader starts at a time") {
    withLog { (log, clock) =>
      append(log, "a", "b")
      clock.now = 2000
      append(log, "c")
      clock.now = 3000
      append(log, "d")
      assert(log.sequenceNumberAt(EnqueuedTime(0, inclusive = true)) == 0)
      assert(log.sequenceNumberAt(EnqueuedTime(1000, inclusive = true)) == 0)
      assert(log.sequenceNumberAt(EnqueuedTime(1000, inclusive = false)) == 2)
      assert(log.sequenceNumberAt(EnqueuedTime(1500, inclusive = true)) == 2)
      assert(log.sequenceNumberAt(EnqueuedTime(3000, inclusive = true)) == 3)
      assert(log.sequenceNumberAt(EnqueuedTime(3000, inclusive = false)) == 4)
    }
  }

  test("trimming removes the oldest events and nothing else") {
    withLog { (log, _) =>
      append(log, "aaa", "bbb", "ccc")
      log.trimBefore(2)
      assert(log.bounds == LogBounds(2, 2, 6, 1000) && log.retainedBytes == 3)
      assert(log.read(1).isEmpty && log.readBatch(1, 10, 100).isEmpty && texts(log.read(2).toSeq) == Seq("ccc"))
      assert(log.sequenceNumberAt(Earliest) == 2 && log.sequenceNumberAt(SequenceNumber(0, inclusive = true)) == 2)
      assert(log.sequenceNumberAt(Offset(0, inclusive = true)) == 2)
    }
  }

  test("trimming backwards does nothing, trimming after the end empties the log") {
    withLog { (log, _) =>
      append(log, "a", "b")
      log.trimBefore(1)
      log.trimBefore(0)
      assert(log.bounds.beginSequenceNumber == 1)
      log.trimBefore(100)
      assert(log.bounds == LogBounds(2, 1, 1, 1000) && log.bounds.isEmpty && log.retainedBytes == 0)
      assert(append(log, "c").sequenceNumber == 2 && texts(log.readBatch(2, 1, 10)) == Seq("c"))
    }
  }

  test("listeners are called after every append until they are closed") {
    withLog { (log, _) =>
      val calls = new AtomicInteger
      val registration = log.onAppend(() => { calls.incrementAndGet(); () })
      append(log, "a")
      append(log, "b", "c")
      registration.close()
      append(log, "d")
      assert(calls.get == 2)
    }
  }

  test("a closed log refuses appends and is empty") {
    withLog { (log, _) =>
      append(log, "a")
      log.close()
      log.close()
      intercept[LogClosedException](append(log, "b"))
      assert(log.read(0).isEmpty && log.readBatch(0, 1, 1).isEmpty && log.bounds.isEmpty)
    }
  }

  test("concurrent appends get unique sequence numbers, and readers see only complete appends") {
    withLog { (log, _) =>
      val threads = 4
      val appends = 200
      val batch = 5
      val pool = Executors.newFixedThreadPool(threads + 1)
      val done = new CountDownLatch(threads)
      val torn = new AtomicInteger
      try {
        (0 until threads).foreach { writer =>
          pool.execute { () =>
            (0 until appends).foreach(n => log.append(batch, (i, _) => s"$writer/$n/$i".getBytes))
            done.countDown()
          }
        }
        pool.execute { () =>
          while (done.getCount > 0) if ((log.bounds.lastSequenceNumber + 1) % batch != 0) torn.incrementAndGet()
        }
        // One of the logs waits for the disk with each of the 800 appends.
        assert(done.await(5, TimeUnit.MINUTES))
      } finally pool.shutdownNow()
      val all = texts(Iterator.iterate(0L)(_ + 1).takeWhile(_ < threads * appends * batch).flatMap(log.read).toSeq)
      assert(all.distinct.size == threads * appends * batch && torn.get == 0)
      all.grouped(batch).foreach(group => assert(group.map(_.split("/").take(2).mkString("/")).distinct.size == 1))
    }
  }
}
