package org.apache.spark.sql.eventhubs.sink

import org.scalatest.Suite

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.streaming.StreamingQueryException
import org.apache.spark.sql.{DataFrame, SQLContext}
import testkit.TestSuite

/** Options without a hub. */
trait HubByRowFixture extends WriteSparkFixture { this: Suite =>

  protected def ofRows(more: (String, String)*): Map[String, String] =
    options("any", more: _*) + ("eventhubs.connectionString" -> localHub.connectionString)

  protected def condition(error: Throwable): EventHubsException =
    Iterator.iterate(error)(_.getCause).takeWhile(_ != null).collectFirst { case ours: EventHubsException => ours }
      .getOrElse(throw new AssertionError("no EventHubsException is behind this", error))

  protected def arrived(hub: String): Seq[String] = bodies(hub).values.flatten.toSeq
}

/** Batch writes whose rows name their hubs. */
class BatchHubByRowSuite extends TestSuite with HubByRowFixture {

  private def rows(count: Int, hub: String, more: String*): DataFrame =
    spark.range(count.toLong).selectExpr("cast(id as string) as body" +: s"$hub as eventHub" +: more: _*)

  private def save(frame: DataFrame, more: (String, String)*): Unit =
    frame.write.format("eventhubs").options(ofRows(more: _*)).save()

  test("each row goes to its hub, with partitions and keys of that hub") {
    val (one, many) = (newHub(1), newHub(8))
    save(rows(
      4000,
      s"if(id % 2 = 0, '$one', upper('$many'))",
      "if(id % 4 = 3, '7', null) as partitionId",
      "if(id % 4 = 3, null, concat('key', id % 50)) as partitionKey"
    ))
    assert(arrived(one).map(_.toInt).sorted == (0 until 4000 by 2))
    assert(arrived(many).map(_.toInt).sorted == (1 until 4000 by 2))
    val last = bodies(many)(7).map(_.toInt)
    assert((3 until 4000 by 4).toSet.subsetOf(last.toSet))
    val byKey = written(many).toSeq.flatMap { case (partition, events) => events.map(_ -> partition) }
      .collect { case (event, partition) if event.getPartitionKey != null => event.getPartitionKey -> partition }
    assert(byKey.toSet.size == byKey.map(_._1).toSet.size, "a key stays in one partition")
  }

  test("an option that names the hub wins, as the option topic does in Spark's Kafka connector") {
    val (named, other) = (newHub(), newHub())
    rows(10, s"'$other'").write.format("eventhubs").options(options(named)).save()
    assert(arrived(named).length == 10 && arrived(other).isEmpty)
  }

  test("many hubs in one task") {
    val hubs = (0 until 50).map(_ => newHub(2))
    val names = hubs.map(name => s"'$name'").mkString(", ")
    save(rows(5000, s"element_at(array($names), cast(id % 50 as int) + 1)").coalesce(1))
    hubs.zipWithIndex.foreach { case (hub, i) => assert(arrived(hub).map(_.toInt).sorted == (i until 5000 by 50)) }
  }

  test("a row without a hub, and a hub that does not exist: errors that name them") {
    val hub = newHub()
    val nameless = condition(intercept[Exception](save(rows(10, s"if(id = 7, null, '$hub')"))))
    assert(nameless.getCondition == "EVENTHUBS_INVALID_EVENT" && nameless.getMessage.contains("eventHub"))
    Seq("null", "'0'", "null").zip(Seq("null", "null", "'k'")).foreach { case (partition, key) =>
      val frame =
        rows(10, s"if(id = 7, 'absent', '$hub')", s"$partition as partitionId", s"$key as partitionKey").coalesce(1)
      val absent = condition(intercept[Exception](save(frame)))
      assert(absent.getCondition == "EVENTHUBS_NOT_FOUND" && absent.getMessage.contains("'absent'"), partition + key)
    }
  }

  test("without a hub in the options and the rows nothing is sent") {
    val refused = condition(intercept[Exception](save(spark.range(1).selectExpr("'x' as body"))))
    assert(refused.getCondition == "EVENTHUBS_MISSING_OPTION")
    assert(refused.getMessage.contains("eventhubs.name") && refused.getMessage.contains("column 'eventHub'"))
  }
}

/** Streams whose rows name their hubs, the same tests for both versions of the sink. */
abstract class HubByRowBehaviour(throughV1: Boolean) extends TestSuite with HubByRowFixture {

  private implicit def sqlContext: SQLContext = spark.sqlContext

  private def start(frame: DataFrame, checkpoint: String) = frame.writeStream.format("eventhubs")
    .options(ofRows("eventhubs.useV1Sink" -> throughV1.toString))
    .option("checkpointLocation", checkpoint)
    .start()

  test("a hub that does not exist stops the query; once it exists, a restart loses nothing") {
    import spark.implicits._
    val (known, missing, checkpoint) = (newHub(), s"later-$throughV1", newFolder().toString)
    val input = MemoryStream[Int]
    val frame =
      input.toDF().selectExpr("cast(value as string) as body", s"if(value % 3 = 1, '$missing', '$known') as eventHub")
    input.addData(0 until 300)
    val query = start(frame, checkpoint)
    val failed = condition(intercept[StreamingQueryException](query.processAllAvailable()))
    assert(failed.getCondition == "EVENTHUBS_NOT_FOUND" && failed.getMessage.contains(s"'$missing'"))
    localHub.createHub(missing, 2)
    val again = start(frame, checkpoint)
    try {
      again.processAllAvailable()
      input.addData(300 until 600)
      again.processAllAvailable()
    } finally again.stop()
    assert(arrived(known).map(_.toInt).toSet == (0 until 600).filter(_ % 3 != 1).toSet)
    assert(arrived(missing).map(_.toInt).toSet == (1 until 600 by 3).toSet)
  }

  test("without a hub in the options and the rows the query fails") {
    import spark.implicits._
    val input = MemoryStream[String]
    input.addData("a")
    val failed = condition(intercept[Exception] {
      val query = start(input.toDF().selectExpr("value as body"), newFolder().toString)
      try query.processAllAvailable()
      finally query.stop()
    })
    assert(failed.getCondition == "EVENTHUBS_MISSING_OPTION")
  }
}

class V1HubByRowSuite extends HubByRowBehaviour(throughV1 = true)
class V2HubByRowSuite extends HubByRowBehaviour(throughV1 = false)
