package org.apache.spark.sql.eventhubs.sink

import java.util.{Collections, Date, LinkedHashMap => JavaLinkedHashMap, Map => JavaMap}

import org.apache.spark.eventhubs.amqp.{OutgoingBody, OutgoingEvent}
import org.apache.spark.sql.eventhubs.exactlyonce.{BatchNumber, EventStamp, StampEncoder}
import testkit.TestSuite

class FingerprintSuite extends TestSuite {

  private val plain =
    OutgoingEvent(OutgoingBody("body".getBytes), None, Collections.emptyMap[String, AnyRef], None, None, None)

  private val nothing: AnyRef = Option.empty[AnyRef].orNull

  private def properties(entries: (String, AnyRef)*): JavaMap[String, AnyRef] = {
    val map = new JavaLinkedHashMap[String, AnyRef]
    entries.foreach { case (name, value) => map.put(name, value) }
    map
  }

  private def withProperties(entries: (String, AnyRef)*): OutgoingEvent =
    plain.copy(properties = properties(entries: _*))

  test("every difference in what is sent changes the fingerprint") {
    val different = Seq(
      plain -> None,
      plain -> Some("0"),
      plain -> Some(""),
      plain.copy(body = OutgoingBody("bodY".getBytes)) -> None,
      plain.copy(body = OutgoingBody(Array.emptyByteArray)) -> None,
      plain.copy(body = OutgoingBody.Null) -> None,
      plain.copy(partitionKey = Some("0")) -> None,
      plain.copy(partitionKey = Some("0"), body = OutgoingBody(Array.emptyByteArray)) -> None,
      plain.copy(partitionKey = Some("0"), body = OutgoingBody.Null) -> None,
      plain.copy(messageId = Some("0")) -> None,
      plain.copy(correlationId = Some("0")) -> None,
      plain.copy(contentType = Some("0")) -> None,
      withProperties("a" -> "1") -> None,
      withProperties("a" -> "2") -> None,
      withProperties("b" -> "1") -> None,
      withProperties("a" -> "1", "b" -> "2") -> None,
      withProperties("a" -> "2", "b" -> "1") -> None,
      withProperties("a" -> Long.box(1)) -> None,
      withProperties("a" -> Int.box(1)) -> None,
      withProperties("a" -> Short.box(1)) -> None,
      withProperties("a" -> Byte.box(1)) -> None,
      withProperties("a" -> Double.box(1)) -> None,
      withProperties("a" -> Float.box(1)) -> None,
      withProperties("a" -> new Date(1)) -> None,
      withProperties("a" -> Boolean.box(true)) -> None,
      withProperties("a" -> "1".getBytes) -> None,
      withProperties("a" -> nothing) -> None,
      withProperties("a" -> "") -> None,
      withProperties("a" -> "null") -> None
    )
    val fingerprints = different.map { case (event, partition) => Fingerprint.of(event, partition) }
    assert(fingerprints.distinct == fingerprints)
    assert(fingerprints.map(_.high).distinct.length == fingerprints.length)
    assert(fingerprints.map(_.low).distinct.length == fingerprints.length)
  }

  test("the order of properties, the object identity and the stamp do not change the fingerprint") {
    val one = withProperties("a" -> "1", "b" -> "bytes".getBytes)
    val other = withProperties("b" -> "bytes".getBytes, "a" -> "1").copy(body = OutgoingBody("body".getBytes))
    assert(Fingerprint.of(one, Some("3")) == Fingerprint.of(other, Some("3")))
    val stamped = new StampEncoder(1, 2, 3)(Some(Fingerprint(5, 6)))
    assert(Fingerprint.of(one.copy(stamp = stamped), None) == Fingerprint.of(one, None))
  }

  test("the fingerprint is the same in every version, because stored events carry it") {
    val event = withProperties("a" -> "1", "n" -> Long.box(7)).copy(partitionKey = Some("k"), messageId = Some("m"))
    assert(Fingerprint.of(event, None) == Fingerprint(-3100972203939344904L, -2599252158023503044L))
  }

  test("a stamp is parsed as it was encoded, and other bytes are no stamp") {
    val attributes = Some(Fingerprint(Long.MinValue, 3))
    val stamps = new StampEncoder(-1, 7, -2)
    for (known <- Seq(None, attributes)) {
      val stamp = stamps(known).value
      assert(EventStamp.parse(stamp.bytes).contains(EventStamp(-1, 7, None, known)))
      val batches = Seq.fill(2)(EventStamp.parse(stamp.ofBatch().bytes).get)
      assert(batches.map(_.copy(batch = None)).distinct == EventStamp.parse(stamp.bytes).toSeq)
      assert(batches.flatMap(_.batch).map(_.attempt) == Seq(-2, -2))
      for (bytes <- Seq(stamp.bytes, stamp.ofBatch().bytes)) {
        (0 until bytes.length).foreach(length => assert(EventStamp.parse(bytes.take(length)).isEmpty))
        assert(EventStamp.parse(bytes :+ 0.toByte).isEmpty)
        assert(EventStamp.parse(bytes.updated(0, 9.toByte)).isEmpty)
      }
    }
  }

  test("each batch of an attempt has its own number, whatever its first event is") {
    val stamps = new StampEncoder(1, 2, 3)
    val firsts = (1 to 300).map(i => stamps(Option.when(i % 2 == 0)(Fingerprint(5, 6))).value.ofBatch())
    assert(firsts.flatMap(first => EventStamp.parse(first.bytes).get.batch) == (1 to 300).map(BatchNumber(3, _)))
  }

  test("a stamp's numbers may have any size, and small ones use few bytes") {
    for (task <- Seq(0, 127, 128, 16383, 16384, Int.MaxValue)) {
      val stamp = new StampEncoder(5, task, 6)(None).value
      assert(EventStamp.parse(stamp.bytes).contains(EventStamp(5, task, None, None)))
      assert(EventStamp.parse(stamp.ofBatch().bytes).contains(EventStamp(5, task, Some(BatchNumber(6, 1)), None)))
    }
    assert(new StampEncoder(5, 127, 6)(None).value.bytes.length == 10)
  }

  test("the stamp of an event that has only a body has no fingerprint") {
    assert(Fingerprint.attributes(plain, None).isEmpty)
    assert(Fingerprint.attributes(plain, Some("0")).isDefined)
    val keyed = plain.copy(partitionKey = Some("k"))
    assert(Fingerprint.combine(keyed.body, Fingerprint.attributes(keyed, None)) == Fingerprint.of(keyed, None))
    assert(Fingerprint.combine(plain.body, None) == Fingerprint.of(plain, None))
  }

  test("each batch has its own tag") {
    val tags =
      for (writer <- Seq("a", "b"); version <- 0L until 100L) yield WriteIdentity.ofBatchWrite(writer, version).tag
    assert(tags.distinct.length == 200)
    assert(WriteIdentity.ofQuery("a", 1).tag != WriteIdentity.ofBatchWrite("a", 1).tag)
  }
}
