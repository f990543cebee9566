package localhub.amqp.engine

import scala.collection.mutable

import org.apache.qpid.proton.amqp.UnsignedInteger

/** The handles that a connection's client has attached, by channel. Asked for each of its transfers. */
private[engine] final class AttachedHandles {
  private val keys = mutable.LongMap.empty[Unit]

  def add(channel: Int, handle: UnsignedInteger): Unit = keys.update(key(channel, handle), ())

  def contains(channel: Int, handle: UnsignedInteger): Boolean = keys.contains(key(channel, handle))

  def remove(channel: Int, handle: UnsignedInteger): Unit = { keys.remove(key(channel, handle)); () }

  def removeAll(channel: Int): Unit = keys.keysIterator.filter(_ >> 32 == channel).toSeq.foreach(keys.remove)

  private def key(channel: Int, handle: UnsignedInteger): Long = channel.toLong << 32 | handle.longValue
}
