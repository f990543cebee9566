package localhub.amqp.link

import org.apache.qpid.proton.amqp.messaging.{Source, Target}
import org.apache.qpid.proton.amqp.transport.{SenderSettleMode, Source => AnySource, Target => AnyTarget}
import org.apache.qpid.proton.amqp.{DescribedType, Symbol, UnsignedLong}
import org.apache.qpid.proton.engine.{Link, Receiver, Sender}

import localhub.amqp.event.SelectorFilter
import localhub.amqp.{AmqpFailure, AmqpServer, LinkAddress}
import localhub.auth.{Claim, ResourcePath}
import localhub.log.{PartitionLog, StartingPoint}
import localhub.node.EventHub

/** Decides what a link that a client attaches leads to, or why it is refused. */
private[amqp] final class LinkOpening(host: LinkHost) {

  private val cbs = new RequestNode(host, CbsNode.answer(host))
  private val management = new RequestNode(host, ManagementNode.answer(host))

  /** Answers the attach. A refused link is opened without source and target and closed at once, as AMQP wants it. */
  def open(link: Link): Option[LinkHandler] = decide(link) match {
    case Right(start) =>
      link.setSource(link.getRemoteSource)
      link.setTarget(link.getRemoteTarget)
      link.setReceiverSettleMode(link.getRemoteReceiverSettleMode)
      link.setSenderSettleMode(settleMode(link))
      link.setMaxMessageSize(UnsignedLong.valueOf(AmqpServer.MaxMessageSize.toLong))
      link.open()
      Some(start())
    case Left(failure) =>
      link.setMaxMessageSize(UnsignedLong.valueOf(AmqpServer.MaxMessageSize.toLong))
      link.setSenderSettleMode(settleMode(link))
      link.open()
      host.detach(link, failure)
      None
  }

  // Go refuses an answer that differs from what it asked for. What we send is settled, which "mixed" allows too.
  private def settleMode(link: Link): SenderSettleMode = (link, link.getRemoteSenderSettleMode) match {
    case (_: Sender, SenderSettleMode.UNSETTLED) => SenderSettleMode.SETTLED
    case (_, asked) => asked
  }

  private def decide(link: Link): Either[AmqpFailure, () => LinkHandler] = link match {
    case receiver: Receiver =>
      targetAddress(link.getRemoteTarget).flatMap {
        case LinkAddress.Cbs => Right(() => cbs.openRequests(receiver))
        case LinkAddress.Management => Right(() => management.openRequests(receiver))
        case LinkAddress.Hub(name) =>
          for {
            hub <- hubFor(Claim.Send, "Send", name, name)
          } yield () => new PublisherLink(host, receiver, PublishTarget.AnyPartition(hub))
        case LinkAddress.Partition(name, id) =>
          for {
            hub <- hubFor(Claim.Send, "Send", name, s"$name/Partitions/$id")
            log <- partition(hub, id)
          } yield () => new PublisherLink(host, receiver, PublishTarget.OnePartition(hub, log))
        case other => Left(AmqpFailure.noSuchNode(pathOf(other)))
      }
    case sender: Sender =>
      sourceAddress(link.getRemoteSource).flatMap {
        case LinkAddress.Cbs => Right(() => cbs.openReplies(sender))
        case LinkAddress.Management => Right(() => management.openReplies(sender))
        case LinkAddress.GroupPartition(name, group, id) =>
          for {
            hub <- hubFor(Claim.Listen, "Listen", name, s"$name/ConsumerGroups/$group/Partitions/$id")
            _ <- Either.cond(hub.hasConsumerGroup(group), (), AmqpFailure.noConsumerGroup(hub.name, group))
            log <- partition(hub, id)
            start <- startingPoint(link.getRemoteSource)
          } yield () => new ReaderLink(host, sender, hub, log, start)
        case other => Left(AmqpFailure.noSuchNode(pathOf(other)))
      }
    case _ => Left(AmqpFailure.notAllowed("A link is either a sender or a receiver."))
  }

  private def targetAddress(target: AnyTarget): Either[AmqpFailure, LinkAddress] = target match {
    case t: Target if t.getAddress != null => Right(LinkAddress.parse(t.getAddress))
    case _ => Left(AmqpFailure.notAllowed("A sender needs a target with an address; there are no transactions here."))
  }

  private def sourceAddress(source: AnySource): Either[AmqpFailure, LinkAddress] = source match {
    case s: Source if s.getAddress != null => Right(LinkAddress.parse(s.getAddress))
    case _ => Left(AmqpFailure.notAllowed("A receiver needs a source with an address."))
  }

  private def pathOf(address: LinkAddress): String = address match {
    case LinkAddress.Unknown(path) => path
    case LinkAddress.Hub(hub) => hub
    case LinkAddress.Partition(hub, partition) => s"$hub/Partitions/$partition"
    case LinkAddress.GroupPartition(hub, group, partition) => s"$hub/ConsumerGroups/$group/Partitions/$partition"
    case LinkAddress.Cbs | LinkAddress.Management => address.toString
  }

  private def hubFor(claim: Claim, claimName: String, name: String, path: String): Either[AmqpFailure, EventHub] =
    for {
      hub <- host.server.namespace.find(name).toRight(AmqpFailure.noHub(name))
      allowed = host.grants.allow(claim, ResourcePath(path), host.server.clock.instant())
      _ <- Either.cond(allowed, (), AmqpFailure.unauthorized(claimName, path))
    } yield hub

  private def partition(hub: EventHub, id: String): Either[AmqpFailure, PartitionLog] =
    hub.partition(id).toRight(AmqpFailure.noPartition(hub.name, id, hub.partitions.length))

  private def startingPoint(source: AnySource): Either[AmqpFailure, StartingPoint] = source match {
    case s: Source =>
      Option(s.getFilter).flatMap(filters => Option(filters.get(LinkOpening.SelectorFilterName))) match {
        case None => Right(StartingPoint.Earliest)
        case Some(described: DescribedType) => parse(String.valueOf(described.getDescribed))
        case Some(expression) => parse(String.valueOf(expression))
      }
    case _ => Right(StartingPoint.Earliest)
  }

  private def parse(expression: String): Either[AmqpFailure, StartingPoint] =
    SelectorFilter.parse(expression).left.map(AmqpFailure.invalidFilter)
}

private object LinkOpening {
  val SelectorFilterName: Symbol = Symbol.valueOf("apache.org:selector-filter:string")
}
