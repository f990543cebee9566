package localhub.log

import java.util.zip.CRC32C

/** CRC-32C of an event's length and payload. */
private[log] object EventChecksum {

  def apply(payload: Array[Byte]): Int = {
    val checksum = start(payload.length)
    checksum.update(payload, 0, payload.length)
    checksum.getValue.toInt
  }

  /** A checksum that includes the length, for a payload that arrives in pieces. */
  def start(length: Int): CRC32C = {
    val checksum = new CRC32C
    checksum.update(length >>> 24)
    checksum.update(length >>> 16)
    checksum.update(length >>> 8)
    checksum.update(length)
    checksum
  }
}
