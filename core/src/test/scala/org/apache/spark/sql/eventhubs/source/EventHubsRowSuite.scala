package org.apache.spark.sql.eventhubs.source

import scala.collection.mutable

import org.apache.qpid.proton.amqp.Symbol
import org.apache.qpid.proton.amqp.messaging.ApplicationProperties

import org.apache.spark.eventhubs.NameAndPartition
import org.apache.spark.eventhubs.amqp.{FakeMessage, ReceivedEvent}
import org.apache.spark.eventhubs.rdd.OffsetRange
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, UnsafeProjection}
import org.apache.spark.sql.catalyst.util.MapData
import org.apache.spark.sql.eventhubs.EventHubsSchema
import org.apache.spark.unsafe.types.UTF8String
import testkit.TestSuite

class EventHubsRowSuite extends TestSuite {

  private val schema = EventHubsSchema.of(includeEventHub = true)
  private val fields = schema.fieldNames.toSeq
  private val range = OffsetRange(NameAndPartition("orders", 3), 0, 100)

  private def converter(columns: Seq[String] = fields): ReceivedEvent => InternalRow =
    EventHubsRowConverter(columns).open(range)

  private def view(message: Array[Byte]): ReceivedEvent = {
    val view = new ReceivedEvent
    FakeMessage.show(message, view)
    view
  }

  /** An event with a key and one property, both of which contain its number. */
  private def event(number: Int): Array[Byte] = {
    val message = FakeMessage.decoded(number.toLong, s"body $number".getBytes("UTF-8"))
    message.getMessageAnnotations.getValue.put(Symbol.valueOf("x-opt-partition-key"), s"key $number")
    message.setApplicationProperties(new ApplicationProperties(java.util.Map.of("number", s"$number")))
    FakeMessage.encoded(message)
  }

  private def entries(map: MapData): Seq[(String, String)] = (0 until map.numElements()).map { i =>
    map.keyArray().getUTF8String(i).toString -> map.valueArray().getUTF8String(i).toString
  }

  private def assertIs(row: InternalRow, number: Int): Unit = {
    def at(column: String): Int = fields.indexOf(column)
    assert(new String(row.getBinary(at("body")), "UTF-8") == s"body $number")
    assert(row.getLong(at("sequenceNumber")) == number && row.getLong(at("enqueuedTime")) == number * 1000L)
    assert(row.getUTF8String(at("offset")).toString == s"$number")
    assert(row.getUTF8String(at("partition")).toString == "3" && row.getUTF8String(at("eventHub")).toString == "orders")
    assert(row.getUTF8String(at("partitionKey")).toString == s"key $number" && row.isNullAt(at("publisher")))
    assert(entries(row.getMap(at("properties"))) == Seq("number" -> s"$number"))
    assert(entries(row.getMap(at("systemProperties"))) == Seq("x-opt-partition-key" -> s"key $number"))
  }

  test("a column is decoded when it is read, once for each event, and no other is") {
    val decoded = mutable.ArrayBuffer.empty[Int]
    val cells = Array.tabulate[ReceivedEvent => Any](10)(i => event => { decoded += i; event.sequenceNumber })
    val row = new EventHubsRow(cells)
    row.of(view(event(7)))
    assert(decoded.isEmpty)
    assert(!row.isNullAt(9) && row.getLong(9) == 7 && row.getLong(9) == 7 && row.getLong(0) == 7)
    assert(decoded == Seq(9, 0))
    row.of(view(event(8)))
    assert(row.getLong(9) == 8 && decoded == Seq(9, 0, 9))
  }

  test("null is decoded once too, and is null for each getter") {
    var asked = 0
    val row = new EventHubsRow(Array(_ => { asked += 1; null })).of(view(event(1)))
    assert(row.isNullAt(0) && (row.getUTF8String(0) eq null) && (row.getBinary(0) eq null) && asked == 1)
  }

  test("a row shows the reader's event, and each copy keeps its own") {
    val (current, toRow, toUnsafe) = (new ReceivedEvent, converter(), UnsafeProjection.create(schema))
    val copies = (1 to 3).flatMap { number =>
      FakeMessage.show(event(number), current)
      val row = toRow(current)
      // The copy is complete whether a column was read before or not.
      if (number == 2) assertIs(row, number)
      Seq(row.copy(), toUnsafe(row).copy(), row.copy().copy()).map(_ -> number)
    }
    copies.foreach { case (copy, number) => assertIs(copy, number) }
  }

  test("a copy holds no bytes of the message, which would keep it in memory") {
    val message = event(5)
    val copied = converter(Seq("offset"))(view(message)).copy().getUTF8String(0)
    assert((copied.getBaseObject ne message) && copied == UTF8String.fromString("5"))
  }

  test("a value that is set is there instead of the event's, until the next event") {
    val (toRow, first) = (converter(Seq("offset", "partitionKey")), view(event(5)))
    val row = toRow(first)
    row.update(0, UTF8String.fromString("other"))
    row.setNullAt(1)
    assert(row.getUTF8String(0).toString == "other" && row.isNullAt(1))
    assert(toRow(view(event(6))).getUTF8String(0).toString == "6" && !row.isNullAt(1))
  }

  test("the legacy connector's events make the same rows as when all columns were decoded at once") {
    val toUnsafe = UnsafeProjection.create(schema)
    val (all, single) = (converter(), fields.map(field => converter(Seq(field))))
    LegacyRows.messages.values.flatten.foreach { message =>
      val event = view(message)
      val alone = single.zip(schema).map { case (one, field) => one(event).copy().get(0, field.dataType) }
      val expected = toUnsafe(new GenericInternalRow(alone.toArray[Any])).copy()
      assert(toUnsafe(all(event)) == expected)
      val backwards = all(event)
      fields.indices.reverse.foreach(backwards.isNullAt)
      assert(toUnsafe(backwards) == expected)
    }
  }

  test("a malformed column fails whenever it is read, the others are read, and the next event has nothing of it") {
    val (current, toRow) = (new ReceivedEvent, converter(Seq("body", "enqueuedTime", "properties")))
    val message = FakeMessage.decoded(1, "body 1".getBytes("UTF-8"))
    message.getMessageAnnotations.getValue.remove(Symbol.valueOf("x-opt-enqueued-time"))
    FakeMessage.show(FakeMessage.encoded(message), current)
    val timeless = toRow(current)
    (1 to 2).foreach { _ =>
      assert(intercept[RuntimeException](timeless.getLong(1)).getMessage == "it has no annotation x-opt-enqueued-time")
    }
    assert(new String(timeless.getBinary(0), "UTF-8") == "body 1")
    intercept[RuntimeException](timeless.copy())

    // Properties that count two entries and have one.
    val cut = Array[Byte](0, 0x53, 0x74, 0xc1.toByte, 7, 4, 0xa1.toByte, 1, 'k', 0xa1.toByte, 1, 'v')
    FakeMessage.show(FakeMessage(2, Array[Byte](1)) ++ cut, current)
    (1 to 2).foreach(_ => intercept[RuntimeException](toRow(current).getMap(2)))
    FakeMessage.show(event(3), current)
    assert(entries(toRow(current).getMap(2)) == Seq("number" -> "3"))
  }
}
