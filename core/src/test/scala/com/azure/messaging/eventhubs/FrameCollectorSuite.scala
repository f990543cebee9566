package com.azure.messaging.eventhubs

import org.apache.qpid.proton.codec.{CompositeReadableBuffer, ReadableBuffer}

import testkit.TestSuite

class FrameCollectorSuite extends TestSuite {

  private def frames(arrays: Array[Byte]*): ReadableBuffer = {
    val buffer = new CompositeReadableBuffer
    arrays.foreach(array => buffer.append(array))
    buffer
  }

  test("a message of one frame is the frame's own array") {
    val array = Array[Byte](1, 2, 3)
    assert(new FrameCollector().complete(frames(array)) eq array)
  }

  test("a message of many frames, which come together or one by one, is all of them in order") {
    val collector = new FrameCollector
    collector.add(frames(Array[Byte](1, 2), Array[Byte](3)))
    collector.add(frames())
    collector.add(frames(Array[Byte](4)))
    assert(collector.bytes == 4)
    assert(collector.complete(frames(Array[Byte](5), Array[Byte](6))).toSeq == (1 to 6).map(_.toByte))
    assert(collector.bytes == 0)
    assert(collector.complete(frames(Array[Byte](7))).toSeq == Seq(7.toByte))
  }

  test("nothing of an abandoned message stays") {
    val collector = new FrameCollector
    collector.add(frames(Array[Byte](1, 2)))
    collector.clear()
    assert(collector.bytes == 0 && collector.complete(frames(Array[Byte](3))).toSeq == Seq(3.toByte))
  }
}
