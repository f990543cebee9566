package localhub.amqp.link

import org.apache.qpid.proton.amqp.messaging.Accepted
import org.apache.qpid.proton.engine.{Delivery, Receiver}

import localhub.amqp.event.{BatchDecoder, DecodingException, EventEncoding, IncomingEvent, PartitionKeyHash}
import localhub.amqp.{AmqpFailure, AmqpServer}
import localhub.log.PartitionLog
import localhub.node.EventHub

/** Where a producer's link leads. */
private[amqp] sealed trait PublishTarget { def hub: EventHub }
private[amqp] object PublishTarget {

  /** Each delivery goes to the partition of its key, or else to the next one in turn. */
  final case class AnyPartition(hub: EventHub) extends PublishTarget
  final case class OnePartition(hub: EventHub, log: PartitionLog) extends PublishTarget
}

/** Takes a producer's events, stores them, and accepts each delivery once the log has it. */
private[amqp] final class PublisherLink(host: LinkHost, link: Receiver, target: PublishTarget, access: Access)
    extends LinkHandler {
  import PublisherLink._

  private val deletion = target.hub.onDelete { () =>
    host.execute(() => host.detach(link, AmqpFailure.hubDeleted(target.hub.name)))
  }
  private var usedCredit = 0

  link.flow(Credit)

  override def requires: Option[Access] = Some(access)

  override def onDelivery(delivery: Delivery): Unit = IncomingMessage.read(delivery, AmqpServer.MaxMessageSize) match {
    case IncomingMessage.Incomplete | IncomingMessage.Discarded => ()
    case IncomingMessage.TooLarge(size) =>
      host.detach(link, AmqpFailure.messageTooLarge(size, AmqpServer.MaxMessageSize.toLong))
    case IncomingMessage.Complete(bytes, format) =>
      try {
        store(BatchDecoder.decode(bytes, format))
        delivery.disposition(Accepted.getInstance)
        delivery.settle()
        replenish()
      } catch {
        case e: DecodingException => host.detach(link, AmqpFailure.notDecodable(e.getMessage))
      }
  }

  override def onClosed(): Unit = deletion.close()

  private def store(events: IndexedSeq[IncomingEvent]): Unit = if (events.nonEmpty) {
    partitionFor(events.head).append(events.length, new EventEncoding(events))
    host.server.counters.eventsIn.add(events.length.toLong)
  }

  private def partitionFor(event: IncomingEvent): PartitionLog = target match {
    case PublishTarget.OnePartition(_, log) => log
    case PublishTarget.AnyPartition(hub) =>
      val index = event.partitionKey match {
        case Some(key) => PartitionKeyHash.partitionOf(key, hub.partitions.length)
        case None => host.server.nextPartition(hub)
      }
      hub.partitions(index)
  }

  private def replenish(): Unit = {
    usedCredit += 1
    if (usedCredit >= Credit / 2) {
      link.flow(usedCredit)
      usedCredit = 0
    }
  }
}

private object PublisherLink {
  val Credit = 300
}
