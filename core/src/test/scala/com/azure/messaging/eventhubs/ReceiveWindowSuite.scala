package com.azure.messaging.eventhubs

import java.util.concurrent.atomic.AtomicInteger

import scala.collection.mutable
import scala.util.Random

import testkit.TestSuite

class ReceiveWindowSuite extends TestSuite {

  private val frame = 65536
  private val limit = 64 * frame

  /** How often the window asked to be announced again. */
  private def reopenings(window: ReceiveWindow): AtomicInteger = {
    val asked = new AtomicInteger
    window.onReopen(() => { val _ = asked.incrementAndGet() })
    asked
  }

  test("room is the limit without waiting messages and the message that is arriving") {
    val window = new ReceiveWindow(limit)
    assert(window.room(0) == limit)
    window.arrived(5 * frame)
    assert(window.room(0) == limit - 5 * frame)
    assert(window.room(2 * frame) == limit - 7 * frame)
    window.taken(5 * frame)
    // The connection's thread looks at what was taken when more than half of the limit waits.
    window.arrived(40 * frame)
    assert(window.room(0) == limit - 40 * frame)
  }

  test("a flow announces all the room that the reader has made, however little waits") {
    val window = new ReceiveWindow(limit)
    window.arrived(20 * frame)
    window.taken(20 * frame)
    assert(window.room(0) == limit - 20 * frame)
    window.refresh()
    assert(window.room(0) == limit)
  }

  test("a message of any size finds room for its next frame when nothing else waits") {
    val window = new ReceiveWindow(limit)
    for (arrived <- 0 to 4 * limit by frame) assert(window.room(arrived) >= limit / 8)
    window.arrived(4 * limit)
    assert(window.room(0) == limit / 8)
    window.taken(4 * limit)
    assert(window.room(0) == limit)
  }

  test("a closed window asks to be opened once, when half of what waited is taken") {
    val window = new ReceiveWindow(limit)
    val asked = reopenings(window)
    for (_ <- 0 until 64) window.arrived(frame)
    assert(window.room(0) == 0)
    for (_ <- 0 until 31) window.taken(frame)
    window.readerWaits()
    assert(asked.get == 0)
    window.taken(frame)
    assert(asked.get == 1)
    for (_ <- 0 until 32) window.taken(frame)
    window.readerWaits()
    assert(asked.get == 1 && window.room(0) == limit)
  }

  test("a window without room for two frames is refused") {
    assertThrows[IllegalArgumentException](new ReceiveWindow(frame))
  }

  /**
   * A peer as AMQP describes it: it sends a frame while it may, and learns what it may from the frames that announce
   * the window, which arrive late. What it computes from them must not be negative.
   */
  private final class Peer(random: Random, window: ReceiveWindow, sizes: Iterator[Int]) {
    private val announcements = mutable.Queue.empty[Long]
    private val waiting = mutable.Queue.empty[Int]
    private var sentFrames = 0L
    private var mayUntil = 0L
    private var message = sizes.next()
    private var ofMessage = 0
    var delivered = 0
    var most = 0L

    def announce(): Unit = announcements.enqueue(sentFrames + window.room(ofMessage) / frame)

    def hear(): Unit = if (announcements.nonEmpty) {
      val next = announcements.dequeue()
      assert(next >= mayUntil, "the window became smaller")
      mayUntil = next
    }

    def send(): Unit = if (sentFrames < mayUntil) {
      sentFrames += 1
      ofMessage += math.min(frame, message - ofMessage)
      most = math.max(most, waiting.map(_.toLong).sum + ofMessage)
      if (ofMessage == message) {
        window.arrived(message)
        waiting.enqueue(message)
        ofMessage = 0
        message = sizes.next()
        delivered += 1
      }
      // Proton-j answers the last frame of a window.
      if (sentFrames == mayUntil || random.nextInt(20) == 0) announce()
    }

    def take(): Unit = if (waiting.nonEmpty) window.taken(waiting.dequeue()) else window.readerWaits()
  }

  test("with any sizes and any pace the window never becomes smaller, never stays closed, and the limit holds") {
    for (seed <- 0 until 200) {
      val random = new Random(seed)
      val kinds = Seq(100, 70000, 1 << 20, 3 * limit)
      val sizes = Iterator.continually {
        val kind = kinds(random.nextInt(kinds.size))
        Iterator.fill(1 + random.nextInt(if (kind > limit) 2 else 300))(kind - random.nextInt(90))
      }.flatten
      val window = new ReceiveWindow(limit)
      val peer = new Peer(random, window, sizes)
      window.onReopen(() => peer.announce())
      peer.announce()
      val pace = 1 + random.nextInt(8)
      for (_ <- 0 until 40000) {
        peer.hear()
        peer.send()
        if (random.nextInt(pace) == 0) peer.take()
      }
      assert(peer.most <= limit + 3 * limit, s"seed $seed")
      val before = peer.delivered
      for (_ <- 0 until 2000) {
        peer.hear()
        peer.send()
        peer.take()
      }
      assert(peer.delivered > before, s"seed $seed: nothing came any more")
    }
  }

  test("messages smaller than the limit never wait with more than the limit") {
    for (seed <- 0 until 100) {
      val random = new Random(seed)
      val sizes = Iterator.continually(if (random.nextBoolean()) 100 else 1 + random.nextInt(30 * frame))
      val window = new ReceiveWindow(limit)
      val peer = new Peer(random, window, sizes)
      window.onReopen(() => peer.announce())
      peer.announce()
      for (_ <- 0 until 20000) {
        peer.hear()
        peer.send()
        if (random.nextInt(20) == 0) peer.take()
      }
      assert(peer.most <= limit, s"seed $seed")
    }
  }
}
