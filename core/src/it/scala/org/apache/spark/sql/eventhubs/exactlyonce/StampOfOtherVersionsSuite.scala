package org.apache.spark.sql.eventhubs.exactlyonce

import org.apache.spark.eventhubs.amqp.OutgoingBody
import org.apache.spark.eventhubs.amqp.OutgoingEvent
import org.apache.spark.sql.eventhubs.sink.Fingerprint
import org.apache.spark.sql.eventhubs.sink.WriteName

import java.nio.ByteBuffer
import java.nio.file.{Files, Path}
import java.util.Collections

import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, SQLContext}

/** A batch that one version of the connector began and another finds unfinished. */
class StampOfOtherVersionsSuite extends AnyFunSuite with ExactlyOnceFixture {

  private implicit def sqlContext: SQLContext = spark.sqlContext

  private val rows = 0 until 300

  /** As an earlier version wrote it: tag, attempt, task, number of the event, and what is beside the body if there is something. */
  private def stampOfEach(tag: Long, beside: Option[Fingerprint]): Array[Byte] = {
    val bytes = ByteBuffer.allocate(15 + beside.size * 16)
      .put((1 + beside.size).toByte).putLong(tag).putInt(-7).put(1.toByte).put(9.toByte)
    beside.foreach(known => bytes.putLong(known.high).putLong(known.low))
    bytes.array
  }

  test("the stamp of an earlier version, in which each event has a number, is read") {
    for (beside <- Seq(None, Some(Fingerprint(Long.MinValue, 3)))) {
      val bytes = stampOfEach(-1, beside)
      assert(EventStamp.parse(bytes).contains(EventStamp(-1, 1, Some(BatchNumber(-7, 9)), beside)))
      bytes.indices.foreach(length => assert(EventStamp.parse(bytes.take(length)).isEmpty))
      assert(EventStamp.parse(bytes :+ 0.toByte).isEmpty)
    }
    val long =
      ByteBuffer.allocate(17).put(1.toByte).putLong(5).putInt(6).putShort(0x8001.toShort).putShort(0xac02.toShort)
    assert(EventStamp.parse(long.array).contains(EventStamp(5, 128, Some(BatchNumber(6, 300)), None)))
  }

  test("a batch that an earlier version began is finished, each event once") {
    val (hub, source, checkpoint) = (newHub(), input(), newFolder())
    val name = beginBatch(source, hub, checkpoint)
    // A hundred rows of either form.
    def keyed(body: String) = Fingerprint.beside(
      OutgoingEvent(OutgoingBody(body.getBytes), Some("k"), Collections.emptyMap[String, AnyRef], None, None, None),
      None
    )
    val sent = (0 until 200).map { value =>
      val key = keyOf(value)
      (value.toString, key, stampOfEach(name.tag, key.flatMap(_ => keyed(value.toString))))
    }
    send(hub, sent)
    val metrics = run(frame(source), hub, checkpoint)
    assertSame(arrived(hub), rows.map(_.toString))
    assert(metrics("foundEvents") == "200" && metrics("eventsSent") == "100")
  }

  test("a batch that a later version began is not guessed about: it is refused, and nothing is sent") {
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

  test("what another query's stamp looks like does not matter") {
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

  private def keyOf(value: Int): Option[String] = Option.when(value % 2 == 0)("k")

  private def frame(source: MemoryStream[Int]): DataFrame =
    fragile(source.toDF()).withColumn("partitionKey", when(col("body") % 2 === 0, "k"))

  /** Its record is made, and none of its rows sent. */
  private def beginBatch(source: MemoryStream[Int], hub: String, checkpoint: Path): WriteName = {
    Breaking.when(_ => true)
    failure(frame(source), hub, checkpoint)
    Breaking.stop()
    assert(arrived(hub).isEmpty)
    val id = ujson.read(Files.readString(checkpoint.resolve("metadata")))("id").str
    WriteName.ofQuery(id, 0)
  }

  /** Bodies, keys and stamps. */
  private def send(hub: String, events: Seq[(String, Option[String], Array[Byte])]): Unit = {
    import spark.implicits._
    events.toDF("body", "partitionKey", "stamp")
      .select(col("body"), col("partitionKey"), map(lit(EventStamp.Property.text), col("stamp")).as("properties"))
      .write.format("eventhubs").options(options(hub)).mode("append").save()
  }
}
