package localhub.amqp.link

import scala.collection.mutable

/** Deliveries of one link that a fault holds, and those behind them: they are published in the order of arrival. */
private[link] final class HeldDeliveries(context: LinkContext) {
  import HeldDeliveries._

  private val held = mutable.Queue.empty[Held]

  /** Publishes now, or behind the deliveries that are held. */
  def publishInOrder(bytes: Int, publish: Runnable): Unit =
    if (held.isEmpty) publish.run() else add(new Held(bytes, () => false, publish))

  def hold(bytes: Int, isHolding: () => Boolean, publish: Runnable): Unit = {
    add(new Held(bytes, isHolding, publish))
    if (held.length == 1) poll()
  }

  def clear(): Unit = {
    held.foreach(delivery => context.waiting.remove(delivery.bytes))
    held.clear()
  }

  private def add(delivery: Held): Unit = {
    held += delivery
    context.waiting.add(delivery.bytes)
  }

  private def poll(): Unit = context.executeWhen(() => !held.headOption.exists(_.isHolding()), () => release())

  private def release(): Unit = {
    while (held.headOption.exists(!_.isHolding())) {
      val next = held.dequeue()
      context.waiting.remove(next.bytes)
      next.publish.run()
    }
    if (held.nonEmpty) poll()
  }
}

private object HeldDeliveries {
  final class Held(val bytes: Int, val isHolding: () => Boolean, val publish: Runnable)
}
