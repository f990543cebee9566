package org.apache.spark.sql.eventhubs.lostanswer

import com.azure.messaging.eventhubs.EventHubClientBuilder
import com.azure.messaging.eventhubs.models.{EventPosition, ReceiveOptions}

import localhub.HubConfig
import localhub.amqp.fault.{Fault, FaultAction, FaultScope, Occasion}
import org.apache.spark.sql.SQLContext
import org.apache.spark.sql.eventhubs.exactlyonce.ExactlyOnceFixture
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import testkit.{Logged, TestSuite}

/** A reader with an owner level has a partition in the consumer group of an exactly-once write. */
class OwnedGroupSuite extends TestSuite with ExactlyOnceFixture {

  private implicit def sqlContext: SQLContext = spark.sqlContext

  /** Reads a partition as event processors do, while `use` runs. */
  private def owning[A](hub: String, partition: String)(use: => A): A = {
    val client = new EventHubClientBuilder()
      .connectionString(localHub.connectionString(hub)).consumerGroup("$Default").buildAsyncConsumerClient()
    val options = new ReceiveOptions().setOwnerLevel(1L)
    val reading = client.receiveFromPartition(partition, EventPosition.latest(), options).subscribe()
    try {
      eventually("the reader has the partition")(localHub.amqp.readers.exists(_.hub == hub))
      use
    } finally {
      reading.dispose()
      client.close()
    }
  }

  test("the write stops at a lost answer, and a restart with a group of its own finishes the batch") {
    import spark.implicits._
    val name = "owned-hub"
    localHub.createHub(HubConfig(name, 2, Set("own")))
    val (source, checkpoint) = (MemoryStream[Int], newFolder())
    source.addData(0 until 2000)
    val frame = source.toDF().selectExpr("cast(value as string) as body")
    owning(name, "1") {
      val scope = FaultScope(hub = Some(name))
      localHub.faults.inject(Fault(FaultAction.DropConnection, Occasion.Stored, scope, skip = 5, count = Some(1)))
      val error = failure(frame, name, checkpoint)
      assert(condition(error) == "EVENTHUBS_RECEIVER_DISCONNECTED")
      run(frame, name, checkpoint, exactlyOnce :+ ("eventhubs.consumerGroup" -> "own"))
    }
    assertSame(arrived(name), (0 until 2000).map(_.toString))
  }

  test("a reader with an owner level is named when the write starts, and the write works") {
    import spark.implicits._
    val name = "owned-at-start"
    localHub.createHub(HubConfig(name, 1, Set("own")))
    val source = MemoryStream[Int]
    source.addData(0 until 20)
    val frame = source.toDF().selectExpr("cast(value as string) as body")
    owning(name, "0") {
      val said = Logged.by { run(frame, name, newFolder()); () }
      assert(said.contains("WARN") && said.contains("consumer group '$Default'") && said.contains("owner level"))
      source.addData(20 until 40)
      val own = Logged.by { run(frame, name, newFolder(), exactlyOnce :+ ("eventhubs.consumerGroup" -> "own")); () }
      assert(!own.contains("owner level"))
    }
  }
}
