package localhub.amqp.link

import org.apache.qpid.proton.amqp.UnsignedLong
import org.apache.qpid.proton.amqp.messaging.{Source, Target}
import org.apache.qpid.proton.amqp.transport.SenderSettleMode
import org.apache.qpid.proton.engine.{Link, Receiver, Sender}

import localhub.amqp.fault.{FaultAction, FaultHit, Occasion}
import localhub.amqp.server.{AmqpFailure, ConsumerGroupPartition, LinkAddress}
import localhub.auth.{Access, Claim}
import localhub.log.PartitionLog
import localhub.namespace.EventHub

/** Handles an attach: creates the link's handler, or refuses the link. */
private[amqp] final class AttachHandler(context: LinkContext) {
  import AttachHandler._

  private val cbs = new RequestNode(context, CbsNode.answer(context))
  private val management = new RequestNode(context, ManagementNode.answer(context))

  /** Answers the attach. A refused link is opened without source and target and closed at once, as AMQP requires. */
  def open(link: Link): Option[LinkHandler] = decide(link) match {
    case Right(start) =>
      link.setSource(link.getRemoteSource)
      link.setTarget(link.getRemoteTarget)
      link.setMaxMessageSize(maxMessageSize(link))
      link.setSenderSettleMode(settleMode(link))
      link.setReceiverSettleMode(link.getRemoteReceiverSettleMode)
      Some(start(() => link.open()))
    case Left(failure) =>
      link.open()
      context.detach(link, failure)
      // As the service does when claims are missing.
      if (failure.isUnauthorized) context.end(link.getSession, failure)
      None
  }

  // The smaller one of the client's and the server's; a client without a limit gets the server's.
  private def maxMessageSize(link: Link): UnsignedLong = addressOf(link) match {
    case Some(LinkAddress.Cbs | LinkAddress.Management) => AttachHandler.NoLimit
    case _ =>
      val own = UnsignedLong.valueOf(context.server.service.maxMessageBytes.toLong)
      Option(link.getRemoteMaxMessageSize)
        .filter(asked => asked.compareTo(UnsignedLong.ZERO) > 0 && asked.compareTo(own) < 0)
        .getOrElse(own)
  }

  // The Go SDK refuses an answer that differs from its request. The server's deliveries are settled, which "mixed"
  // allows.
  private def settleMode(link: Link): SenderSettleMode = (link, link.getRemoteSenderSettleMode) match {
    case (_: Sender, SenderSettleMode.UNSETTLED) if !context.server.service.unsettledReaders => SenderSettleMode.SETTLED
    case (_, asked) => asked
  }

  private def decide(link: Link): Decision = link match {
    case receiver: Receiver => targetOf(link).flatMap(decideTarget(receiver, _))
    case sender: Sender => sourceOf(link).flatMap(decideSource(sender, _))
    case _ => Left(AmqpFailure.notAllowed("A link is either a sender or a receiver."))
  }

  private def decideTarget(link: Receiver, address: LinkAddress): Decision = address match {
    // The Go SDK tries to open a second one, and opens a new connection when it is refused.
    case LinkAddress.Cbs if cbs.hasRequestLink => Left(alreadyAttached(address))
    case LinkAddress.Cbs => Right(atOnce(cbs.openRequests(link)))
    case LinkAddress.Management => Right(atOnce(management.openRequests(link)))
    case LinkAddress.Hub(name) =>
      for {
        hub <- allowed(Claim.Send, name, address)
      } yield publisher(link, PublishTarget.AnyPartition(hub), address)
    case LinkAddress.Partition(name, id) =>
      for {
        hub <- allowed(Claim.Send, name, address)
        log <- partition(hub, id)
        producer <- idempotentProducer(link, log)
      } yield publisher(link, PublishTarget.OnePartition(hub, id, log), address, producer)
    case LinkAddress.Publisher(hubName, name) =>
      for {
        hub <- allowed(Claim.Send, hubName, address)
      } yield publisher(link, PublishTarget.OnePublisher(hub, name), address)
    case LinkAddress.GroupPartition(_, _, _) | LinkAddress.Unknown(_) => Left(AmqpFailure.noSuchNode(address.path))
  }

  private def decideSource(link: Sender, address: LinkAddress): Decision = address match {
    case LinkAddress.Cbs if cbs.hasReplyLink => Left(alreadyAttached(address))
    case LinkAddress.Cbs => Right(atOnce(cbs.openReplies(link)))
    case LinkAddress.Management => Right(atOnce(management.openReplies(link)))
    case LinkAddress.GroupPartition(name, group, id) =>
      for {
        hub <- allowed(Claim.Listen, name, address)
        _ <- Either.cond(hub.hasConsumerGroup(group), (), AmqpFailure.noConsumerGroup(hub.name, group))
        log <- partition(hub, id)
        request <- ReaderRequest.of(link, ReaderStart.isReplicated(log))
        // Before the registry admits this reader and disconnects others.
        wanted <- ReaderStart.of(log, request.start)
        first = ReaderStart.early(log, wanted, context.server.faults.at(Occasion.Start, address.scope))
        reader = new ReaderLink(
          context,
          link,
          new ConsumerGroupPartition(hub, group, id),
          log,
          first,
          request,
          Access(Claim.Listen, address.path)
        )
        _ <- context.server.readers.admit(reader)
      } yield atOnce(reader.start())
    case LinkAddress.Hub(_) | LinkAddress.Partition(_, _) | LinkAddress.Publisher(_, _) | LinkAddress.Unknown(_) =>
      Left(AmqpFailure.noSuchNode(address.path))
  }

  private def publisher(
      link: Receiver,
      target: PublishTarget,
      address: LinkAddress,
      producer: Option[IdempotentLink] = None
  ): Start = answer => {
    producer.fold(answer.run())(_.start(answer))
    new PublisherLink(context, link, target, Access(Claim.Send, address.path), producer)
  }

  private def idempotentProducer(link: Receiver, log: PartitionLog): Either[AmqpFailure, Option[IdempotentLink]] =
    if (context.server.service.idempotentProducers && IdempotentLink.isWanted(link))
      IdempotentLink.open(context, link, log).map(Some(_))
    else Right(None)

  private def alreadyAttached(address: LinkAddress): AmqpFailure =
    AmqpFailure.alreadyAttached(address.path, context.connectionId.takeWhile(_ != '/'))

  private def addressOf(link: Link): Option[LinkAddress] = (link match {
    case _: Receiver => targetOf(link)
    case _ => sourceOf(link)
  }).toOption

  private def targetOf(link: Link): Either[AmqpFailure, LinkAddress] = link.getRemoteTarget match {
    case Addressed(address) => Right(address)
    case _ => Left(AmqpFailure.notAllowed("A sender needs a target with an address; there are no transactions here."))
  }

  private def sourceOf(link: Link): Either[AmqpFailure, LinkAddress] = link.getRemoteSource match {
    case Addressed(address) => Right(address)
    case _ => Left(AmqpFailure.notAllowed("A receiver needs a source with an address."))
  }

  private def allowed(claim: Claim, name: String, address: LinkAddress): Either[AmqpFailure, EventHub] =
    for {
      _ <- context.server.faults.at(
        Occasion.Attach,
        address.scope
      ).fold[Either[AmqpFailure, Unit]](Right(()))(applyFault(_, address))
      hub <- context.server.namespace.find(name).toRight(AmqpFailure.noHub(name))
      access = Access(claim, address.path)
      _ <-
        Either.cond(context.grants.allows(access, context.server.clock.instant()), (), AmqpFailure.unauthorized(access))
    } yield hub

  private def applyFault(hit: FaultHit, address: LinkAddress): Either[AmqpFailure, Unit] = hit.action match {
    case action if context.server.hubFaults.applyAt(action, address.scope) => Right(())
    case FaultAction.Detach(condition, description) => Left(AmqpFailure.asInjected(condition, description))
    case _ =>
      context.drop()
      Left(AmqpFailure.internal("The connection breaks off: a fault that was asked for."))
  }

  private def partition(hub: EventHub, id: String): Either[AmqpFailure, PartitionLog] =
    hub.partition(id).toRight(AmqpFailure.noPartition(hub.partitions.length))
}

private object AttachHandler {

  /** Answers the attach, at once or later, and creates the link's handler. */
  type Start = Runnable => LinkHandler
  type Decision = Either[AmqpFailure, Start]

  private val NoLimit = UnsignedLong.valueOf("18446744073709551615")

  private def atOnce(handler: => LinkHandler): Start = answer => {
    answer.run()
    handler
  }

  private object Addressed {
    def unapply(terminus: AnyRef): Option[LinkAddress] = (terminus match {
      case source: Source => Option(source.getAddress)
      case target: Target => Option(target.getAddress)
      case _ => None
    }).map(LinkAddress.parse)
  }
}
