package com.azure.messaging.eventhubs

import scala.collection.mutable.ArrayBuffer

import org.apache.qpid.proton.codec.ReadableBuffer

/** Collects the frames of one message at a time. */
private final class FrameCollector {

  private val frames = ArrayBuffer.empty[ReadableBuffer]
  private var collected = 0

  /** Bytes of the incomplete message. */
  def bytes: Int = collected

  def add(content: ReadableBuffer): Unit = if (content.remaining > 0) {
    frames += content
    collected += content.remaining
  }

  /** The message that ends with `last`. A message that came in one frame already has its own array. */
  def complete(last: ReadableBuffer): Array[Byte] =
    if (frames.isEmpty && isWholeArray(last)) last.array
    else
      try {
        val message = new Array[Byte](collected + last.remaining)
        (frames :+ last).foldLeft(0) { (at, frame) =>
          val count = frame.remaining
          frame.get(message, at, count)
          at + count
        }
        message
      } finally clear()

  def clear(): Unit = {
    frames.clear()
    collected = 0
  }

  private def isWholeArray(content: ReadableBuffer): Boolean =
    content.hasArray && content.arrayOffset == 0 && content.array.length == content.remaining
}
