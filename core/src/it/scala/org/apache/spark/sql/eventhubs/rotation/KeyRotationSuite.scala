package org.apache.spark.sql.eventhubs.rotation

import java.nio.file.Files
import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._

import localhub.amqp.fault.{Fault, FaultAction, FaultScope, Occasion}
import localhub.{LocalHub, LocalHubConfig}
import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.connection.{AzureEventHubsClient, ClientConnectionPool}
import org.apache.spark.eventhubs.options.{ReadMode, ReadSettings}
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.eventhubs.source.ReadSparkFixture
import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.util.SystemClock
import testkit.TestSuite

/** A key that changes, and a policy that is deleted, while a stream runs. */
class KeyRotationSuite extends TestSuite with ReadSparkFixture {

  import ChangingPolicies.pipeline

  private val policies = new ChangingPolicies(pipeline("b2xk"))
  private lazy val rotated = LocalHub.start(LocalHubConfig(policies = policies))

  override protected def afterAll(): Unit = {
    rotated.close()
    super.afterAll()
  }

  private def string(hub: String, key: String, server: LocalHub = rotated): String =
    server.connectionString(hub).replaceAll("SharedAccessKey=[^;]+", s"SharedAccessKey=$key")

  private def send(hub: String, key: String, bodies: Seq[String]): Unit = {
    val session = spark
    import session.implicits._
    bodies.toDF("body").write.format("eventhubs").option("eventhubs.connectionString", string(hub, key)).save()
  }

  /** Continues at the checkpoint of the query before it. */
  private def start(hub: String, key: String, folder: String, read: ConcurrentLinkedQueue[String]): StreamingQuery =
    startWith(string(hub, key), folder, read)

  private def startWith(string: String, folder: String, read: ConcurrentLinkedQueue[String]): StreamingQuery =
    spark.readStream.format("eventhubs")
      .options(Map(
        "eventhubs.connectionString" -> string,
        "eventhubs.startingPosition" -> "earliest",
        "eventhubs.operationTimeout" -> "5s"
      ))
      .load()
      .writeStream
      .foreachBatch((rows: DataFrame, _: Long) => bodiesOf(rows.select("body").collect().toSeq).foreach(read.add))
      .option("checkpointLocation", folder)
      .start()

  /** The service closes links of the old key when their token ends; a dropped connection comes to the same sooner. */
  private def drop(hub: String): Unit = {
    val everywhere = FaultScope(hub = Some(hub))
    rotated.faults.inject(Fault(FaultAction.DropConnection, Occasion.Now, everywhere))
    ()
  }

  private def refusalOf(query: StreamingQuery): EventHubsException = {
    eventually("the query runs on")(!query.isActive)
    Iterator.iterate[Throwable](query.exception.getOrElse(fail("no failure")))(_.getCause)
      .takeWhile(Option(_).nonEmpty)
      .collectFirst { case ours: EventHubsException => ours }
      .getOrElse(fail(s"not the connector's: ${query.exception}"))
  }

  private def bodies(from: Int, until: Int) = (from until until).map(n => s"event-$n")

  Seq("the key is changed" -> Seq(pipeline("bmV3")), "the policy is deleted" -> Nil).foreach { case (how, after) =>
    test(s"when $how, a stream stops with the facts, and continues with the new key without a lost event") {
      policies.set(pipeline("b2xk"))
      val hub = s"rotated-${after.size}"
      rotated.createHub(hub, partitions = 2)
      send(hub, "b2xk", bodies(0, 100))
      val folder = newFolder().toString
      val read = new ConcurrentLinkedQueue[String]
      val before = start(hub, "b2xk", folder, read)
      before.processAllAvailable()
      policies.set(after: _*)
      drop(hub)

      val refused = refusalOf(before)
      assert(refused.getCondition == "EVENTHUBS_AUTHENTICATION", refused.getMessage)
      assert(refused.getMessage.contains("pipeline") && !refused.getMessage.contains("b2xk"))

      policies.set(pipeline("bmV3"))
      send(hub, "bmV3", bodies(100, 200))
      val next = start(hub, "bmV3", folder, read)
      try next.processAllAvailable()
      finally next.stop()
      assert(read.asScala.toSeq.sorted == bodies(0, 200).sorted)
    }
  }

  test("a stream whose connection string is in a file continues with another policy and its key") {
    policies.set(pipeline("b2xk"))
    rotated.createHub("in-a-file", partitions = 1)
    send("in-a-file", "b2xk", bodies(0, 10))
    val file = newFolder().resolve("connection-string")
    Files.writeString(file, string("in-a-file", "b2xk"))
    val read = new ConcurrentLinkedQueue[String]
    val query = startWith(s"{file:$file}", newFolder().toString, read)
    try {
      query.processAllAvailable()
      Files.writeString(file, string("in-a-file", "bmV3").replace("pipeline", "successor"))
      // The stream's old policy has another key, with which the test fills the hub.
      policies.set(pipeline("ZmlsbA=="), pipeline("bmV3").copy(name = "successor"))
      drop("in-a-file")
      send("in-a-file", "ZmlsbA==", bodies(10, 20))
      query.processAllAvailable()
      assert(read.asScala.toSeq.sorted == bodies(0, 20).sorted)
    } finally query.stop()
  }

  test("clients of another key are others, and those of the old one close when they are idle") {
    // A server of its own, because connections of the other tests close at any time.
    val ownPolicies = new ChangingPolicies(pipeline("b2xk"))
    val server = LocalHub.start(LocalHubConfig(policies = ownPolicies))
    server.createHub("idle", partitions = 1)
    def settings(key: String) = ReadSettings.parse(
      Map("eventhubs.connectionString" -> string("idle", key, server)),
      ReadMode.Stream
    ).connection
    val pool = new ClientConnectionPool(new AzureEventHubsClient(_), new SystemClock)
    try {
      val ofOld = pool.borrow(settings("b2xk"), 4)
      assert(ofOld.client.hubProperties().name == "idle")
      ofOld.close()
      ownPolicies.set(pipeline("bmV3"))
      val ofNew = pool.borrow(settings("bmV3"), 4)
      assert((ofNew.client ne ofOld.client) && ofNew.client.hubProperties().name == "idle")
      assert(pool.size == 2 && server.amqp.counters.openConnections == 2)
      pool.evictIdle(0)
      eventually("the old key's connection stays open")(server.amqp.counters.openConnections == 1)
      assert(!settings("bmV3").toString.contains("bmV3"))
    } finally {
      pool.close()
      server.close()
    }
  }
}
