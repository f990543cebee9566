package org.apache.spark.sql.eventhubs.checkpointstore

import java.net.{InetAddress, ServerSocket}

import org.apache.spark.sql.eventhubs.source.StreamFixture
import testkit.TestSuite

/** What a stream publishes in its checkpoint store, and that the store cannot harm it. */
class PublishSuite extends TestSuite with StreamFixture with CheckpointStoreFixture {

  override protected lazy val namespace: String = localHub.connectionString("x").split("[/:;]")(3)

  /** The offset that the hub gave the event. */
  private def offsetOf(hub: String, partition: Int, seqNo: Long): String =
    batch(hub).where(s"partition = '$partition' and sequenceNumber = $seqNo").select("offset").head().getString(0)

  test("each committed batch is published: the last event's number and offset; an empty partition has no blob") {
    val name = newHub(3)
    val container = newContainer()
    running(stream(name, storeOptions(container) :+ earliest: _*)) { started =>
      send(name, 5, 3)
      started.catchUp()
      eventually("the last events are published")(published(container, name) == Map(0 -> 4L, 1 -> 2L))
      send(name, 2)
      started.catchUp()
      eventually("the newest event is published")(published(container, name) == Map(0 -> 6L, 1 -> 2L))
      assert(metadata(container, name)(0)("offset") == offsetOf(name, 0, 6))
      // As KEDA computes the lag: the last enqueued number minus that of the checkpoint.
      val lag = published(container, name).map { case (partition, seqNo) =>
        hub(name).partitions(partition).bounds.lastSequenceNumber - seqNo
      }.sum
      assert(started.metrics("eventsBehind") == lag.toString)
      assert(started.metrics("checkpointStoreSecondsBehind").toDouble >= 0)
      assert(started.metrics("checkpointStoreFailures") == "0")
    }
  }

  test("AvailableNow publishes its last batch before it ends") {
    val name = newHub(2)
    val container = newContainer()
    send(name, 7, 4)
    readAvailable(stream(name, storeOptions(container) ++ Seq(earliest, "maxEventsPerTrigger" -> "4"): _*))
    assert(published(container, name) == Map(0 -> 6L, 1 -> 3L))
  }

  test("ranges that are split over tasks have the offset of the last one") {
    val name = newHub(1)
    val container = newContainer()
    send(name, 50)
    readAvailable(stream(name, storeOptions(container) ++ Seq(earliest, "minPartitions" -> "4"): _*))
    assert(metadata(container, name)(0) == Map("sequencenumber" -> "49", "offset" -> offsetOf(name, 0, 49)))
  }

  test("after a restart nothing wrong is published, and the partition's last event is known at once") {
    val name = newHub(1)
    val container = newContainer()
    val checkpoint = newFolder()
    send(name, 10)
    readAvailable(stream(name, earliest), checkpoint)
    readAvailable(stream(name, storeOptions(container) :+ earliest: _*), checkpoint)
    assert(metadata(container, name)(0) == Map("sequencenumber" -> "9", "offset" -> offsetOf(name, 0, 9)))
  }

  test("a store that does not exist or does not answer neither stops nor fails the query") {
    val silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress)
    val away = s"http://127.0.0.1:${silent.getLocalPort}/account/box?sig=x"
    val stores = Seq(storeOptions("no-such-container"), Seq("eventhubs.checkpointStore.container" -> away))
    try
      stores.foreach { store =>
        val name = newHub(1)
        send(name, 3)
        running(stream(name, store :+ earliest: _*)) { started =>
          assertSame(started.catchUp(), firstEvents(3))
          if (store.size > 1) eventually("the failure is counted") {
            // Each event brings a report with the present count.
            send(name, 1)
            started.query.processAllAvailable()
            started.metrics("checkpointStoreFailures").toLong > 0
          }
        }
      }
    finally silent.close()
  }

  test("with publish off nothing is written") {
    val name = newHub(1)
    val container = newContainer()
    send(name, 3)
    val off = "eventhubs.checkpointStore.publish" -> "false"
    val ended = readAvailable(stream(name, storeOptions(container) ++ Seq(earliest, off): _*))
    assert(published(container, name).isEmpty && !ended.metrics.contains("checkpointStoreFailures"))
  }
}
