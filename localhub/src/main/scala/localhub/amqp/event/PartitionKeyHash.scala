package localhub.amqp.event

import java.nio.charset.StandardCharsets.UTF_8

/**
 * Maps a partition key to a partition: Bob Jenkins' lookup3 over the key's UTF-8 bytes, folded to 16 bits. The .NET SDK
 * does the same and calls it a direct port of the service's code. The Java SDK differs for some keys outside ASCII,
 * because it treats the last bytes as signed.
 */
private[amqp] object PartitionKeyHash {

  def partitionOf(key: String, partitions: Int): Int = {
    val (first, second) = lookup3(key.getBytes(UTF_8))
    math.abs((first ^ second).toShort % partitions)
  }

  /** The two 32-bit results of lookup3 with both seeds 0. */
  private def lookup3(key: Array[Byte]): (Int, Int) = {
    var a = 0xdeadbeef + key.length
    var b = a
    var c = a
    def rotate(value: Int, bits: Int): Int = Integer.rotateLeft(value, bits)
    var at = 0
    while (key.length - at > 12) {
      a += word(key, at)
      b += word(key, at + 4)
      c += word(key, at + 8)
      a -= c; a ^= rotate(c, 4); c += b
      b -= a; b ^= rotate(a, 6); a += c
      c -= b; c ^= rotate(b, 8); b += a
      a -= c; a ^= rotate(c, 16); c += b
      b -= a; b ^= rotate(a, 19); a += c
      c -= b; c ^= rotate(b, 4); b += a
      at += 12
    }
    if (at < key.length) {
      a += tail(key, at)
      b += tail(key, at + 4)
      c += tail(key, at + 8)
      c ^= b; c -= rotate(b, 14)
      a ^= c; a -= rotate(c, 11)
      b ^= a; b -= rotate(a, 25)
      c ^= b; c -= rotate(b, 16)
      a ^= c; a -= rotate(c, 4)
      b ^= a; b -= rotate(a, 14)
      c ^= b; c -= rotate(b, 24)
    }
    (c, b)
  }

  private def word(key: Array[Byte], at: Int): Int =
    (key(at) & 0xff) | (key(at + 1) & 0xff) << 8 | (key(at + 2) & 0xff) << 16 | (key(at + 3) & 0xff) << 24

  /** A word of the last block, which may be incomplete. */
  private def tail(key: Array[Byte], at: Int): Int =
    if (at + 4 <= key.length) word(key, at)
    else (0 until 3).filter(i => at + i < key.length).map(i => (key(at + i) & 0xff) << (8 * i)).sum
}
