package org.apache.spark.sql.eventhubs.source

import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._

import com.azure.messaging.eventhubs.EventHubClientBuilder
import com.azure.messaging.eventhubs.models.{EventPosition => SdkPosition}

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.sql.eventhubs.OwnSession
import org.apache.spark.sql.streaming.{StreamingQuery, StreamingQueryException, Trigger}
import org.apache.spark.sql.{DataFrame, SparkSession}
import testkit.{Patience, TestSuite}

/** More tasks want to read a partition than the service's limit of five receivers for a consumer group. */
class ReceiverLimitSuite extends TestSuite with ReadSparkFixture with OwnSession {

  // Enough for ten tasks on one partition at a time.
  override protected lazy val spark: SparkSession = {
    stopActiveContext()
    SparkSession
      .builder()
      .master("local[10, 2]")
      .config("spark.ui.enabled", "false")
      .config("spark.driver.host", "localhost")
      .config("spark.driver.bindAddress", "127.0.0.1")
      .getOrCreate()
  }

  private final class Reading(frame: DataFrame) {
    val read = new ConcurrentLinkedQueue[String]
    val query: StreamingQuery = frame.writeStream
      .foreachBatch((rows: DataFrame, _: Long) => bodiesOf(rows.select("body").collect().toSeq).foreach(read.add))
      .option("checkpointLocation", newFolder().toString)
      .trigger(Trigger.AvailableNow())
      .start()

    def assertReadOnce(expected: Set[String]): Unit = {
      assert(query.awaitTermination(Patience.queryMillis), "the query did not end")
      assert(read.asScala.toSeq.sorted == expected.toSeq.sorted)
    }
  }

  /** All five receivers of a partition, held by another application until they are closed. */
  private final class Occupied(hub: String) {
    private val client = new EventHubClientBuilder()
      .connectionString(localHub.connectionString(hub))
      .consumerGroup("$Default")
      .buildAsyncConsumerClient()
    private val receivers = (1 to 5).map(_ => client.receiveFromPartition("0", SdkPosition.latest()).subscribe())
    eventually("the receivers did not open")(localHub.amqp.readers.count(_.hub == hub) == 5)

    def closeOne(): Unit = receivers.head.dispose()
    def close(): Unit = {
      receivers.foreach(_.dispose())
      client.close()
    }
  }

  test("two queries with five tasks each on one partition wait for each other, and both read all events") {
    val hub = newHub(1)
    fill(hub, 0, 0, 4000)
    val divided =
      Seq(fromStart, "eventhubs.maxEventsPerTask" -> "100", "eventhubs.maxEventsPerTrigger" -> "1000")
    val readings = Seq.fill(2)(new Reading(stream(hub, divided: _*)))
    readings.foreach(_.assertReadOnce(names(0, 0, 4000)))
  }

  test("a query waits for a free receiver, and starts and reads when there is one") {
    val hub = newHub(1)
    fill(hub, 0, 0, 50)
    val occupied = new Occupied(hub)
    try {
      val reading = new Reading(stream(hub, fromStart))
      eventually("the query has not started its first batch")(reading.query.status.isTriggerActive)
      eventually("no task waits")(spark.sparkContext.statusTracker.getActiveStageIds().nonEmpty)
      assert(reading.read.isEmpty)
      occupied.closeOne()
      reading.assertReadOnce(names(0, 0, 50))
    } finally occupied.close()
  }

  test("when no receiver becomes free in time, the error has the limit and says what to do") {
    val hub = newHub(1)
    fill(hub, 0, 0, 5)
    val occupied = new Occupied(hub)
    try {
      val reading = new Reading(stream(hub, fromStart, "eventhubs.operationTimeout" -> "8s"))
      val failed = intercept[StreamingQueryException](reading.query.awaitTermination(Patience.queryMillis))
      val own = Iterator.iterate[Throwable](failed)(_.getCause).takeWhile(_ != null).collectFirst {
        case error: EventHubsException => error
      }
      assert(own.map(_.getCondition).contains("EVENTHUBS_QUOTA_EXCEEDED"))
      assert(own.exists(_.getMessage.contains("At most 5 receivers")))
      assert(own.exists(_.getMessage.contains("consumer group $Default")))
    } finally occupied.close()
  }
}
