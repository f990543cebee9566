package localhub.amqp.event

import java.nio.ByteBuffer

/** The head of an encoded map: constructor, size and number of elements. The short encoding is used if it fits. */
private[amqp] object EncodedMap {
  private val Map8 = 0xc1.toByte
  private val Map32 = 0xd1.toByte
  private val MaxByte = 255

  /** @param content bytes of the map's keys and values */
  def headLength(content: Int): Int = if (isShort(content)) 3 else 9

  /** @param elements keys and values together */
  def putHead(out: ByteBuffer, content: Int, elements: Int): Unit = {
    if (isShort(content)) out.put(Map8).put((content + 1).toByte).put(elements.toByte)
    else out.put(Map32).putInt(content + 4).putInt(elements)
    ()
  }

  // Every element has at least one byte, so their number fits too.
  private def isShort(content: Int): Boolean = content + 1 <= MaxByte
}
