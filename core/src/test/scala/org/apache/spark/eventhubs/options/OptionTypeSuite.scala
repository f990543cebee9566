package org.apache.spark.eventhubs.options

import java.net.URI
import java.time.Duration

import org.apache.spark.eventhubs.EventPosition
import testkit.TestSuite

class OptionTypeSuite extends TestSuite {
  import OptionType._

  private def reads[A](valueType: OptionType[A])(cases: (String, A)*): Unit = cases.foreach { case (text, value) =>
    test(s"$valueType: '$text' is $value")(assert(valueType.parse(text) == Right(value)))
  }

  private def rejects(valueType: OptionType[_])(texts: String*): Unit = texts.foreach { text =>
    test(s"$valueType: '$text' is rejected")(assert(valueType.parse(text) == Left(valueType.expected)))
  }

  reads(Text)("a" -> "a", " a b " -> " a b ")
  rejects(Text)("", "  ")

  reads(IntRange(1, 8000))("1" -> 1, " 8000 " -> 8000)
  rejects(IntRange(1, 8000))("0", "8001", "1.0", "many", "", "99999999999")

  reads(LongRange(1))("1" -> 1L, "9223372036854775807" -> Long.MaxValue)
  rejects(LongRange(1))("0", "-1", "9223372036854775808", "1e3")

  reads(Flag)("true" -> true, "False" -> false, " TRUE " -> true)
  rejects(Flag)("yes", "1", "")

  reads(PositiveDuration)("PT30S" -> Duration.ofSeconds(30), "5 minutes" -> Duration.ofMinutes(5))
  rejects(PositiveDuration)("PT0S", "-PT5S", "30", "999999999d")

  reads(ByteSize(1024))(
    "1024" -> 1024L,
    "16m" -> (16L << 20),
    "16 MB" -> (16L << 20),
    "16MiB" -> (16L << 20),
    "1k" -> 1024L,
    "2g" -> (2L << 30)
  )
  rejects(ByteSize(1024))("1023", "16x", "m", "-1m", "99999999999g", "1.5m")
  rejects(ByteSize(1024, 2048))("3k")

  private val choice = Choice("Hash" -> 1, "BalancedHash" -> 2)
  reads(choice)("Hash" -> 1, "balancedhash" -> 2)
  rejects(choice)("Random", "")

  reads(PartitionIds)("0" -> Set(0), "0, 2" -> Set(0, 2), "0-3" -> Set(0, 1, 2, 3), "[1,5-6]" -> Set(1, 5, 6))
  rejects(PartitionIds)("", "a", "-1", "0,", "3-1", "1;2", "999999999")

  reads(NamespaceHost)(
    "contoso.servicebus.windows.net" -> "contoso.servicebus.windows.net",
    "sb://Contoso.servicebus.windows.net/" -> "contoso.servicebus.windows.net",
    "localhost" -> "localhost"
  )
  rejects(NamespaceHost)("contoso", "contoso.servicebus.windows.net:5671", "not a host.net", "")
  rejects(NamespaceHost)("user:secret@contoso.servicebus.windows.net")

  reads(HostAndPort)(
    "gateway.contoso.com" -> new URI("https://gateway.contoso.com"),
    "gateway.contoso.com:5671" -> new URI("https://gateway.contoso.com:5671"),
    "sb://127.0.0.1:5671/path" -> new URI("https://127.0.0.1:5671")
  )
  rejects(HostAndPort)("", "://", "a b", "user:secret@gateway.contoso.com:5671", "sb://secret@gateway.contoso.com")

  test("an address is shown without a sign-in that it should not have") {
    assert(HostAndPort.shown("user:secret@gateway.contoso.com:5671") == "***@gateway.contoso.com:5671")
    assert(NamespaceHost.shown("user:secret@contoso.servicebus.windows.net") == "***@contoso.servicebus.windows.net")
  }

  test("bytes are rendered with the largest unit that gives a whole number") {
    assert(ByteSize(0).render(16L << 20) == "16m")
    assert(ByteSize(0).render(1536) == "1536")
    assert(ByteSize(0).render(2L << 30) == "2g")
  }

  test("positions are rendered as a word if there is one, else as the legacy connector's JSON") {
    assert(Position.render(EventPosition.StartOfStream) == "earliest")
    assert(Position.render(EventPosition.EndOfStream) == "latest")
    assert(Position.render(EventPosition.fromSequenceNumber(7)).contains("\"seqNo\":7"))
  }
}
