package org.apache.spark.eventhubs.amqp

import java.nio.charset.StandardCharsets.UTF_8
import java.time.{Instant, ZoneOffset}
import java.util.{Arrays, Collections, Date, UUID}

import org.apache.qpid.proton.amqp._

import testkit.TestSuite

class AmqpTextSuite extends TestSuite {

  private val uuid = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff")
  private val time = Instant.parse("2023-11-14T22:13:20.123Z")

  for (
    (name, value, text) <- Seq[(String, Any, String)](
      ("a string as it is", "a\"b\\c\n", "a\"b\\c\n"),
      ("a symbol as its text", Symbol.valueOf("a-symbol"), "a-symbol"),
      ("a character as itself", Character.valueOf('x'), "x"),
      ("booleans", true, "true"),
      ("a byte", (-5).toByte, "-5"),
      ("a short", 300.toShort, "300"),
      ("an int", -70000, "-70000"),
      ("a long", Long.MinValue, "-9223372036854775808"),
      ("an unsigned byte", UnsignedByte.valueOf(255.toByte), "255"),
      ("an unsigned short", UnsignedShort.valueOf("65535"), "65535"),
      ("an unsigned int", UnsignedInteger.valueOf(4294967295L), "4294967295"),
      ("an unsigned long", UnsignedLong.valueOf("18446744073709551615"), "18446744073709551615"),
      ("a float, widened", 0.1f, "0.10000000149011612"),
      ("a double", 1e300, "1.0E300"),
      ("a double that is not a number", Double.NaN, "null"),
      ("an infinite double in quotes", Double.PositiveInfinity, "\"Infinity\""),
      ("a 32-bit decimal as its bits", new Decimal32(847249409), "847249409"),
      ("a 64-bit decimal as its bits", new Decimal64(3584865303386914817L), "3584865303386914817"),
      ("a 128-bit decimal as its bytes", new Decimal128(0L, 258L), "[0,0,0,0,0,0,0,0,0,0,0,0,0,0,1,2]"),
      ("a UUID as its text, lost in the legacy connector", uuid, uuid.toString),
      ("a timestamp in quotes", Date.from(time), "\"2023-11-14T22:13:20.123Z\""),
      ("an instant likewise", time, "\"2023-11-14T22:13:20.123Z\""),
      ("a time of any offset as UTC", time.atOffset(ZoneOffset.ofHours(5)), "\"2023-11-14T22:13:20.123Z\""),
      ("a whole second with its milliseconds", Instant.ofEpochSecond(1700000000), "\"2023-11-14T22:13:20.000Z\""),
      ("binary as signed bytes", new Binary(Array[Byte](0, 1, 127, -128, -1)), "[0,1,127,-128,-1]"),
      ("a part of a larger array as that part", new Binary(Array[Byte](9, 1, 2, 9), 1, 2), "[1,2]"),
      ("bytes as signed bytes", Array.emptyByteArray, "[]"),
      ("null", null, "null"),
      ("a list with its text quoted", Arrays.asList("a", Int.box(1), null), "[\"a\",1,null]"),
      ("a list in a list", Arrays.asList(Arrays.asList(uuid)), s"""[["$uuid"]]"""),
      (
        "a map, lost in the legacy connector",
        Collections.singletonMap("k\"", new Binary(Array[Byte](1))),
        """{"k\"":[1]}"""
      )
    )
  ) test(s"shown: $name")(assert(AmqpText.of(value) == text))

  test("a described value is shown as what it describes") {
    val described = new DescribedType {
      override def getDescriptor: AnyRef = Symbol.valueOf("x:y")
      override def getDescribed: AnyRef = "inside"
    }
    assert(AmqpText.of(described) == "inside")
  }

  test("a body that is a value becomes its text, a binary value its bytes") {
    assert(AmqpText.ofValue("text").toSeq == "text".getBytes(UTF_8).toSeq)
    assert(AmqpText.ofValue(new Binary(Array[Byte](1, 2))).toSeq == Seq[Byte](1, 2))
  }

  test("a body of sequences becomes their items as one JSON array") {
    val items = Arrays.asList[AnyRef]("x", Int.box(1))
    assert(new String(AmqpText.ofSequences(Seq(items)), UTF_8) == "[\"x\",1]")
    assert(new String(AmqpText.ofSequences(Seq(items, Arrays.asList(null), items)), UTF_8) == "[\"x\",1,null,\"x\",1]")
  }
}
