package org.apache.spark.eventhubs.connection

import java.time.Instant

import org.apache.qpid.proton.amqp.Symbol

import org.apache.spark.eventhubs.EventPosition
import org.apache.spark.eventhubs.amqp.{FakeMessage, ReceivedEvent}
import testkit.TestSuite

class StartOrderSuite extends TestSuite {

  /** An event with this number, at this millisecond. */
  private def event(number: Long, offset: String): ReceivedEvent = {
    val message = FakeMessage.decoded(number, Array.emptyByteArray)
    message.getMessageAnnotations.getValue.put(Symbol.valueOf("x-opt-offset"), offset)
    val received = new ReceivedEvent
    received.set(FakeMessage.encoded(message))
    received
  }

  private def accepted(position: EventPosition, offset: Long => String = n => s"${n * 100}"): Seq[Long] =
    (0L to 6L).filter(number => StartOrder.isAtOrAfter(event(number, offset(number)), position))

  test("of events around a sequence number, time or offset only those at or after it are accepted") {
    for ((inclusive, first) <- Seq(true -> 3L, false -> 4L)) {
      val expected = first to 6L
      assert(accepted(EventPosition.fromSequenceNumber(3, inclusive)) == expected)
      assert(accepted(EventPosition.fromEnqueuedTime(Instant.ofEpochMilli(3), inclusive)) == expected)
      assert(accepted(EventPosition.fromOffset("300", inclusive)) == expected)
      assert(accepted(EventPosition.fromOffset("1:300:3", inclusive), n => s"1:${n * 100}:$n") == expected)
    }
  }

  test("times between two milliseconds") {
    val between = Instant.ofEpochMilli(3).plusNanos(1000)
    Seq(true, false).foreach { inclusive =>
      assert(accepted(EventPosition.fromEnqueuedTime(between, inclusive)) == (4L to 6L))
    }
  }

  test("text offsets of a later epoch come after those of an earlier one, whatever the other numbers") {
    def offset(number: Long) = if (number < 3) s"1:${number + 900}:$number" else s"2:$number:$number"
    assert(accepted(EventPosition.fromOffset("1:950:50"), offset) == (3L to 6L))
    assert(accepted(EventPosition.fromOffset("2:4:4"), offset) == (4L to 6L))
  }

  test("offsets that cannot be compared are left to the service, and so are the ends of a partition") {
    assert(accepted(EventPosition.fromOffset("abc")) == (0L to 6L))
    assert(accepted(EventPosition.fromOffset("300"), n => s"1:$n:$n") == (0L to 6L))
    assert(accepted(EventPosition.StartOfStream) == (0L to 6L))
    assert(accepted(EventPosition.fromOffset("abc", isInclusive = false), _ => "abc").isEmpty)
  }
}
