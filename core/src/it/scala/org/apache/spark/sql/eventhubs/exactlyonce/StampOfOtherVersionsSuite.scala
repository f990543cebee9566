package org.apache.spark.sql.eventhubs.exactlyonce

import java.nio.ByteBuffer
import java.nio.file.{Files, Path}

import org.apache.spark.sql.eventhubs.sink.WriteIdentity
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, SQLContext}
import testkit.TestSuite

/** A batch that one version of the connector started and another version finds unfinished. */
class StampOfOtherVersionsSuite extends TestSuite with ExactlyOnceFixture {

  private implicit def sqlContext: SQLContext = spark.sqlContext

  private val rows = 0 until 300

  test("a batch that a later version started is refused, and nothing is sent") {
    val (hub, source, checkpoint) = (newHub(), input(), newFolder())
    val name = beginBatch(source, hub, checkpoint)
    val later = ByteBuffer.allocate(20).put(77.toByte).putLong(name.tag).array
    val others = ByteBuffer.allocate(20).put(77.toByte).putLong(name.tag + 1).array
    send(hub, Seq(("of another query", None, others)))
    send(hub, Seq(("0", None, later)))
    val failed = failure(frame(source), hub, checkpoint)
    assert(condition(failed) == "EVENTHUBS_EXACTLY_ONCE.OUTCOME_UNKNOWN")
    assert(failed.getMessage.contains("form 77"))
    assertSame(arrived(hub), Seq("of another query", "0"))
  }

  test("stamps of another query in an unknown form are ignored") {
    val (hub, source, checkpoint) = (newHub(), input(), newFolder())
    val name = beginBatch(source, hub, checkpoint)
    val others = Seq(Array.emptyByteArray, Array[Byte](77), ByteBuffer.allocate(20).putLong(1, name.tag + 1).array)
    send(hub, others.map(("other", None, _)))
    run(frame(source), hub, checkpoint)
    assertSame(arrived(hub), rows.map(_.toString) ++ others.map(_ => "other"))
  }

  private def input(): MemoryStream[Int] = {
    import spark.implicits._
    val source = MemoryStream[Int]
    source.addData(rows)
    source
  }

  private def frame(source: MemoryStream[Int]): DataFrame =
    fragile(source.toDF()).withColumn("partitionKey", when(col("body") % 2 === 0, "k"))

  /** Records a batch and sends none of its rows. */
  private def beginBatch(source: MemoryStream[Int], hub: String, checkpoint: Path): WriteIdentity = {
    Breaking.when(_ => true)
    failure(frame(source), hub, checkpoint)
    Breaking.stop()
    assert(arrived(hub).isEmpty)
    val id = ujson.read(Files.readString(checkpoint.resolve("metadata")))("id").str
    WriteIdentity.ofQuery(id, 0)
  }

  /** Bodies, keys and stamps. */
  private def send(hub: String, events: Seq[(String, Option[String], Array[Byte])]): Unit = {
    import spark.implicits._
    events.toDF("body", "partitionKey", "stamp")
      .select(col("body"), col("partitionKey"), map(lit(EventStamp.Property.text), col("stamp")).as("properties"))
      .write.format("eventhubs").options(options(hub)).mode("append").save()
  }
}
