package org.apache.spark.sql.eventhubs.memory

import org.scalatest.Suite

import org.apache.spark.sql.eventhubs.source.{ReadHubFixture, StoredEvent}

/** Counts the bytes that a hub has sent and that no reader has taken yet. No other test may read the hub meanwhile. */
trait WaitingBytesFixture extends ReadHubFixture { this: Suite =>

  /** The smallest window: `receiverBufferBytes` of 1 MiB and as much again in frames. */
  protected val bufferBytes: Long = 1L << 20
  protected val windowBytes: Long = 2 * bufferBytes

  protected def buffer: (String, String) = "eventhubs.receiverBufferBytes" -> bufferBytes.toString

  /** Headers of events and frames, and answers to management calls. */
  protected val framingBytes: Long = 300000

  protected def sentBytes: Long = localHub.amqp.counters.bytesOut

  /** Waits until the hub has nothing more to send, or may send nothing more. */
  protected def awaitQuiet(): Unit = {
    var (before, unchanged) = (-1L, 0)
    eventually("the hub sends nothing more") {
      val now = sentBytes
      unchanged = if (now == before) unchanged + 1 else 0
      before = now
      unchanged > 60
    }
  }

  protected def sendSmall(name: String, count: Int): Unit =
    StoredEvent.append(hub(name).partitions.head, 0, count, bodyBytes = SmallBytes)

  /** One by one, because the log keeps a batch in one array. */
  protected def sendLarge(name: String, count: Int, bytes: Int): Unit =
    (0 until count).foreach(_ => StoredEvent.append(hub(name).partitions.head, 0, 1, bytes))

  protected val SmallBytes = 100
}
