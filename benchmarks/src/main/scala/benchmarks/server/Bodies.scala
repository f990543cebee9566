package benchmarks.server

import java.nio.ByteBuffer
import java.util.Random

/** Bodies that differ from each other and cannot be compressed, the same in each run. */
final class Bodies(bytes: Int, partition: Int) {

  private val random = new Random(partition.toLong)
  private val pool = Array.fill(256) {
    val body = new Array[Byte](bytes)
    random.nextBytes(body)
    body
  }

  /** The body of one event: random bytes with its number in front, as far as there is room. */
  def apply(number: Long): Array[Byte] = {
    val body = pool((number % pool.length).toInt).clone()
    if (bytes >= 8) ByteBuffer.wrap(body).putLong(0, number)
    body
  }
}
