package org.apache.spark.eventhubs.send

import java.nio.charset.StandardCharsets.US_ASCII
import java.nio.{ByteBuffer, ByteOrder}

/**
 * Computes the partition that the service chooses for a partition key: Bob Jenkins' lookup3 hash with both seeds 0. The
 * SDKs' buffered producers rely on it too. The SDKs disagree on keys outside ASCII, so those are not hashed here.
 */
private[eventhubs] object PartitionKeyHash {

  def isKnownFor(key: String): Boolean = key.forall(_ < 0x80)

  def partitionIndex(key: String, partitions: Int): Int = math.abs(hash(key.getBytes(US_ASCII)) % partitions)

  private def hash(bytes: Array[Byte]): Short = {
    // Padded with zeros, which add nothing, so that the shorter last block needs no special case.
    val blocks = math.max(1, (bytes.length + 11) / 12)
    val words = ByteBuffer.wrap(java.util.Arrays.copyOf(bytes, blocks * 12)).order(ByteOrder.LITTLE_ENDIAN)
    var a = 0xdeadbeef + bytes.length
    var b = a
    var c = a
    var block = 0
    while (block < blocks - 1) {
      a += words.getInt()
      b += words.getInt()
      c += words.getInt()
      a -= c; a ^= Integer.rotateLeft(c, 4); c += b
      b -= a; b ^= Integer.rotateLeft(a, 6); a += c
      c -= b; c ^= Integer.rotateLeft(b, 8); b += a
      a -= c; a ^= Integer.rotateLeft(c, 16); c += b
      b -= a; b ^= Integer.rotateLeft(a, 19); a += c
      c -= b; c ^= Integer.rotateLeft(b, 4); b += a
      block += 1
    }
    if (bytes.nonEmpty) {
      a += words.getInt()
      b += words.getInt()
      c += words.getInt()
      c ^= b; c -= Integer.rotateLeft(b, 14)
      a ^= c; a -= Integer.rotateLeft(c, 11)
      b ^= a; b -= Integer.rotateLeft(a, 25)
      c ^= b; c -= Integer.rotateLeft(b, 16)
      a ^= c; a -= Integer.rotateLeft(c, 4)
      b ^= a; b -= Integer.rotateLeft(a, 14)
      c ^= b; c -= Integer.rotateLeft(b, 24)
    }
    (c ^ b).toShort
  }
}
