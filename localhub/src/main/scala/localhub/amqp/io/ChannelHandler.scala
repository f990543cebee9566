package localhub.amqp.io

import java.nio.channels.SelectionKey

/** Handles a channel that is registered with an [[IoLoop]]; attached to its selection key. */
private[amqp] trait ChannelHandler {
  def onReady(key: SelectionKey): Unit

  /** Called about every 100 ms. */
  def onTick(nowNanos: Long): Unit = ()
  def close(): Unit
}
