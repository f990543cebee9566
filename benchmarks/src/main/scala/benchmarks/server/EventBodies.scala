package benchmarks.server

import java.nio.ByteBuffer
import java.util.Random

/** Bodies that are all different and cannot be compressed. They are the same in each run. */
final class EventBodies(bytes: Int, partition: Int) {

  private val random = new Random(partition.toLong)
  private val pool = Array.fill(256) {
    val body = new Array[Byte](bytes)
    random.nextBytes(body)
    body
  }

  /** The body of one event: random bytes, with its number in the first 8 bytes if the body is large enough. */
  def apply(number: Long): Array[Byte] = {
    val body = pool((number % pool.length).toInt).clone()
    if (bytes >= 8) ByteBuffer.wrap(body).putLong(0, number)
    body
  }
}
