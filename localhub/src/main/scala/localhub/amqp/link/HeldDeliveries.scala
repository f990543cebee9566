package localhub.amqp.link

import scala.collection.mutable

/** Deliveries of one link that a fault holds, and those behind them: they are published in the order of arrival. */
private[link] final class HeldDeliveries(context: LinkContext) {
  import HeldDeliveries._

  private val held = mutable.Queue.empty[Held]

  /** Publishes now, or behind the deliveries that are held. */
  def publishInOrder(publish: Runnable): Unit =
    if (held.isEmpty) publish.run() else { held += new Held(() => false, publish); () }

  def hold(isHolding: () => Boolean, publish: Runnable): Unit = {
    held += new Held(isHolding, publish)
    if (held.length == 1) poll()
  }

  def clear(): Unit = held.clear()

  private def poll(): Unit = context.executeWhen(() => !held.headOption.exists(_.isHolding()), () => release())

  private def release(): Unit = {
    while (held.headOption.exists(!_.isHolding())) held.dequeue().publish.run()
    if (held.nonEmpty) poll()
  }
}

private object HeldDeliveries {
  final class Held(val isHolding: () => Boolean, val publish: Runnable)
}
