package org.apache.spark.eventhubs.checkpoints

import java.time.{Duration, Instant}
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger, AtomicLong}
import java.util.concurrent.{ConcurrentHashMap, CountDownLatch}

import org.apache.spark.eventhubs.ErrorCondition.CheckpointStore
import org.apache.spark.eventhubs.blob.{
  BlobContent,
  BlobStore,
  CheckpointStoreErrors,
  StoredBlob,
  WriteCondition,
  WriteOutcome
}
import testkit.TestSuite

/** The publisher with a store that the test holds up or breaks. AzureBlobStoreSuite has the real one. */
class CheckpointPublisherSuite extends TestSuite {

  private val soon = Duration.ofMillis(1)

  private class Store extends BlobStore {
    val blobs = new ConcurrentHashMap[String, Map[String, String]]
    val attempts = new AtomicInteger
    @volatile var isBroken = false
    @volatile var leased = Set.empty[String]
    @volatile var gate = new CountDownLatch(0)
    override def name: String = "https://acc.blob.core.windows.net/box"
    override def list(prefix: String): Seq[StoredBlob] = Nil
    override def read(blob: String): Option[BlobContent] = None
    override def setMetadata(blob: String, metadata: Map[String, String], condition: WriteCondition): WriteOutcome =
      if (blobs.containsKey(blob)) put(blob, metadata) else WriteOutcome.NoSuchBlob
    override def upload(
        blob: String,
        body: Array[Byte],
        metadata: Map[String, String],
        condition: WriteCondition
    ): WriteOutcome = put(blob, metadata)
    private def put(blob: String, metadata: Map[String, String]): WriteOutcome = {
      attempts.incrementAndGet()
      gate.await()
      if (isBroken || leased(blob))
        throw CheckpointStoreErrors.failed(CheckpointStore.Unreachable, name, "writing", "no answer", None)
      blobs.put(blob, metadata)
      WriteOutcome.Written("1", Instant.EPOCH)
    }
    def numbers: Map[String, String] = {
      import scala.jdk.CollectionConverters._
      blobs.asScala.map { case (blob, metadata) => blob -> metadata("sequencenumber") }.toMap
    }
  }

  private def withPublisher(
      store: Store,
      interval: Duration,
      mayWrite: (String, Checkpoint) => Boolean = (_, _) => true
  )(test: CheckpointPublisher => Unit): Unit = {
    val publisher = new CheckpointPublisher(store, interval, mayWrite)
    try test(publisher)
    finally publisher.close()
  }

  test("checkpoints arrive with number and offset") {
    val store = new Store
    withPublisher(store, soon) { publisher =>
      publisher.offer(Map("a" -> Checkpoint(41, "o41")))
      eventually("the first is there")(store.numbers == Map("a" -> "41"))
      publisher.offer(Map("a" -> Checkpoint(42, "o42"), "b" -> Checkpoint(7, "o7")))
      eventually("both are there")(store.numbers == Map("a" -> "42", "b" -> "7"))
      assert(store.blobs.get("a") == Map("sequencenumber" -> "42", "offset" -> "o42"))
    }
  }

  test("a store that does not answer blocks no batch, and gets only the newest checkpoint afterwards") {
    val store = new Store
    store.gate = new CountDownLatch(1)
    withPublisher(store, soon) { publisher =>
      (1 to 1000).foreach(number => publisher.offer(Map("a" -> Checkpoint(number.toLong, s"o$number"))))
      eventually("a write hangs")(store.attempts.get == 1)
      publisher.offer(Map("a" -> Checkpoint(1001, "o1001")))
      store.gate.countDown()
      eventually("the newest is there")(store.numbers == Map("a" -> "1001"))
      assert(store.attempts.get <= 3)
    }
  }

  test("a failure is counted and the write repeated; the age grows until then") {
    val store = new Store
    store.isBroken = true
    withPublisher(store, soon) { publisher =>
      publisher.offer(Map("a" -> Checkpoint(1, "o1")))
      eventually("two failures")(publisher.failures >= 2)
      assert(publisher.ageMillis > 0)
      store.isBroken = false
      eventually("it is there at last")(store.numbers == Map("a" -> "1"))
      eventually("nothing waits")(publisher.ageMillis == 0)
    }
  }

  test("blobs that cannot be written do not hold up the others") {
    val store = new Store
    store.leased = Set("a", "z")
    withPublisher(store, soon) { publisher =>
      publisher.offer(Map("a" -> Checkpoint(1, "o1"), "z" -> Checkpoint(1, "o1")))
      eventually("a failure")(publisher.failures >= 1)
      publisher.offer(Map("b" -> Checkpoint(2, "o2"), "c" -> Checkpoint(3, "o3")))
      eventually("the others are there")(store.numbers == Map("b" -> "2", "c" -> "3"))
    }
  }

  test("the end of the query writes what the interval held back") {
    val store = new Store
    withPublisher(store, Duration.ofHours(1)) { publisher =>
      publisher.offer(Map("a" -> Checkpoint(1, "o1")))
      eventually("the first is there")(store.numbers == Map("a" -> "1"))
      publisher.offer(Map("a" -> Checkpoint(2, "o2")))
      assert(store.numbers == Map("a" -> "1"))
    }
    assert(store.numbers == Map("a" -> "2"))
  }

  test("the end of the query writes the blobs that have not failed, also after a failure of others") {
    val store = new Store
    withPublisher(store, Duration.ofHours(1)) { publisher =>
      val first = Map("a" -> Checkpoint(1, "o1"), "b" -> Checkpoint(1, "o1"), "c" -> Checkpoint(1, "o1"))
      publisher.offer(first)
      eventually("the first are there")(store.numbers.size == 3)
      store.leased = Set("b", "d")
      publisher.offer(Map("d" -> Checkpoint(2, "o2")))
      eventually("a failure")(publisher.failures == 1)
      publisher.offer(Map("a" -> Checkpoint(2, "o2"), "b" -> Checkpoint(2, "o2"), "c" -> Checkpoint(2, "o2")))
    }
    assert(store.numbers == Map("a" -> "2", "b" -> "1", "c" -> "2"))
  }

  test("a checkpoint that may no longer be written when it is due is dropped, and does not count as waiting") {
    val store = new Store
    withPublisher(store, soon, (blob, checkpoint) => blob == "a" && checkpoint.seqNo > 5) { publisher =>
      publisher.offer(Map("a" -> Checkpoint(5, "o5"), "b" -> Checkpoint(6, "o6")))
      eventually("nothing waits")(publisher.ageMillis == 0)
      publisher.offer(Map("a" -> Checkpoint(6, "o6"), "b" -> Checkpoint(7, "o7")))
      eventually("the one is there")(store.numbers == Map("a" -> "6"))
    }
    assert(store.numbers == Map("a" -> "6") && store.attempts.get == 1)
  }

  test("a failure that nobody expects ends no publisher") {
    val store = new Store
    val fails = new AtomicBoolean(true)
    def mayWrite: Boolean = if (fails.get) throw new IllegalStateException("unexpected") else true
    withPublisher(store, soon, (_, _) => mayWrite) { publisher =>
      publisher.offer(Map("a" -> Checkpoint(1, "o1")))
      eventually("a failure")(publisher.failures >= 1)
      fails.set(false)
      eventually("it is there at last")(store.numbers == Map("a" -> "1"))
    }
  }

  test("several checkpoints wait for a slow store at a time, and all arrive") {
    val store = new Store
    store.gate = new CountDownLatch(1)
    withPublisher(store, soon) { publisher =>
      publisher.offer((1 to 40).map(number => s"$number" -> Checkpoint(number.toLong, "")).toMap)
      eventually("several wait")(store.attempts.get == 8)
      store.gate.countDown()
      eventually("all are there")(store.numbers == (1 to 40).map(number => s"$number" -> s"$number").toMap)
    }
  }

  test("a store that fails several writes at a time pauses as after one") {
    val store = new Store
    store.isBroken = true
    val nanos = new AtomicLong
    val publisher = new CheckpointPublisher(store, soon, nanos = () => nanos.get)
    try {
      publisher.offer((1 to 8).map(number => s"$number" -> Checkpoint(number.toLong, "")).toMap)
      eventually("all have failed")(publisher.failures == 8)
      // The first pause is a second, and that after eight failures in a row would be a minute.
      nanos.addAndGet(Duration.ofMillis(1100).toNanos)
      store.isBroken = false
      publisher.offer(Map("9" -> Checkpoint(9, "")))
      eventually("all are there")(store.numbers.size == 9)
    } finally publisher.close()
  }

  test("a query that could not start leaves no thread, although nobody closes what it has opened") {
    val store = new Store { override def name: String = "box of a query that could not start" }
    def threads = Thread.getAllStackTraces.keySet.toArray.map(_.toString).count(_.contains(store.name))
    @volatile var isNeeded = true
    val publisher = new CheckpointPublisher(store, soon, isNeeded = () => isNeeded)
    publisher.offer(Map("a" -> Checkpoint(41, "o41")))
    eventually("it is written")(store.numbers == Map("a" -> "41"))
    assert(threads == 1)
    isNeeded = false
    eventually("the thread has ended")(threads == 0)
    publisher.close()
  }

  test("the end of the query does not wait for a store that fails") {
    val store = new Store
    store.isBroken = true
    withPublisher(store, soon) { publisher =>
      publisher.offer(Map("a" -> Checkpoint(1, "o1")))
      eventually("a failure")(publisher.failures == 1)
      val attempts = store.attempts.get
      publisher.close()
      assert(store.attempts.get == attempts)
    }
  }
}
