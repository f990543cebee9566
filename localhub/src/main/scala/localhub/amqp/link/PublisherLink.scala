package localhub.amqp.link

import scala.util.{Failure, Success, Try}

import org.apache.qpid.proton.amqp.messaging.{Accepted, Rejected}
import org.apache.qpid.proton.engine.{Delivery, Receiver}
import org.slf4j.LoggerFactory

import localhub.LocalHubException
import localhub.amqp.event.{BatchDecoder, DecodingException, IncomingEvent, PartitionKeyHash, StoredEventEncoder}
import localhub.amqp.fault.{FaultAction, Occasion}
import localhub.amqp.server.{Admission, AmqpFailure}
import localhub.auth.Access
import localhub.log.{LogClosedException, LogFullException, LogPosition, PartitionLog}

/** Stores a producer's events and accepts each delivery once it is in the log. */
private[amqp] final class PublisherLink(
    context: LinkContext,
    link: Receiver,
    target: PublishTarget,
    access: Access,
    idempotent: Option[IdempotentLink] = None
) extends LinkHandler {
  import PublisherLink._

  private val faults = new LinkFaults(context, link, PublishTarget.scope(target), stolen = None)
  private val deletion = target.hub.onDelete(() => context.execute(() => detachDeleted()))
  private val idle = new IdleTimer(context.server.limits.idleLink, System.nanoTime)
  private val maxMessageSize = link.getMaxMessageSize.longValue
  private val held = new HeldDeliveries(context)
  private val messages = new IncomingMessages(maxMessageSize)
  private val promotion = target.hub.onPromotion(() => context.execute(() => context.drop()))
  private var usedCredit = 0
  @volatile private var closed = false

  private lazy val appends = context.server.appendExecutor.newSerialExecutor()

  link.flow(Credit)

  override def requires: Option[Access] = Some(access)

  override def isActive: Boolean = true

  override def idleFailure(nowNanos: Long): Option[AmqpFailure] =
    Option.when(idle.hasExpired(nowNanos))(AmqpFailure.idlePublisher(link.getName, idle.limit))

  override def onDelivery(delivery: Delivery): Unit = {
    idle.used()
    receive(delivery)
  }

  private def receive(delivery: Delivery): Unit = messages.read(delivery) match {
    case IncomingMessage.Incomplete | IncomingMessage.Discarded => ()
    case IncomingMessage.TooLarge(size) =>
      reject(delivery, AmqpFailure.messageTooLarge(DeliveryInternals.id(delivery), size, maxMessageSize))
    case IncomingMessage.Endless(size) =>
      context.detach(link, AmqpFailure.messageTooLarge(DeliveryInternals.id(delivery), size, maxMessageSize))
    case IncomingMessage.Complete(bytes, format) =>
      faults.at(Occasion.Send).map(hit => (hit, hit.action)) match {
        case None => held.publishInOrder(() => publish(delivery, bytes, format))
        case Some((_, FaultAction.Throttle)) => reject(delivery, AmqpFailure.serverBusy(target.hub.name))
        case Some((hit, FaultAction.Stall)) =>
          held.hold(hit.isHolding, () => publish(delivery, bytes, format))
        case Some((_, FaultAction.ExpireEvents)) =>
          faults.end(FaultAction.ExpireEvents)
          held.publishInOrder(() => publish(delivery, bytes, format))
        case Some((_, action)) => faults.end(action)
      }
  }

  override def onClosed(): Unit = {
    closed = true
    held.clear()
    faults.close()
    deletion.close()
    promotion.close()
    idempotent.foreach(_.close())
  }

  private def publish(delivery: Delivery, bytes: Array[Byte], format: Int): Unit = if (!closed)
    try {
      val events = withPublisher(BatchDecoder.decode(bytes, format))
      if (!context.server.throughput.admit(target.hub.name, events.length, bytes.length))
        reject(delivery, AmqpFailure.serverBusy(target.hub.name))
      else if (events.isEmpty) answer(delivery)
      else
        idempotent.fold[Admission](Admission.Store)(_.admit(events)) match {
          case Admission.Store => store(delivery, events, partitionFor(events.head), bytes.length)
          case decided => answerWithoutAppend(delivery, decided)
        }
    } catch {
      case e: ForeignPartitionKey => reject(delivery, e.failure)
      case e: DecodingException =>
        log.warn(s"A message for '${access.path}' on connection ${context.connectionId} is refused: ${e.getMessage}")
        context.detach(link, AmqpFailure.notDecodable(e.getMessage))
    }

  private def store(
      delivery: Delivery,
      events: IndexedSeq[IncomingEvent],
      log: PartitionLog,
      bytes: Int
  ): Unit = {
    def append(): Try[LogPosition] =
      try Try(log.append(events.length, new StoredEventEncoder(events, log.epochAt)))
      catch { case e: OutOfMemoryError => Failure(new LogFullException(e)) }
    def appendAdmitted(): Either[Admission, Try[LogPosition]] =
      idempotent.fold[Either[Admission, Try[LogPosition]]](Right(append()))(_.append(events)(append()))
    if (log.appendWaits) {
      context.waiting.add(bytes.toLong)
      appends.execute { () =>
        val result =
          try Option.unless(closed)(appendAdmitted())
          finally context.waiting.remove(bytes.toLong)
        // Also without a result: the connection may be read again.
        context.execute(() => result.foreach(appended(delivery, events.length, _)))
      }
    } else appended(delivery, events.length, appendAdmitted())
  }

  private def appended(delivery: Delivery, events: Int, result: Either[Admission, Try[LogPosition]]): Unit = {
    if (result.exists(_.isSuccess)) context.server.counters.eventsIn.add(events.toLong)
    if (!closed) result match {
      case Left(decided) => answerWithoutAppend(delivery, decided)
      case Right(Success(_)) => answer(delivery)
      case Right(Failure(_: LogClosedException)) => detachDeleted()
      case Right(Failure(e: LogFullException)) => reject(delivery, AmqpFailure.full(e.getMessage))
      case Right(Failure(e)) =>
        log.error(s"Events for '${access.path}' could not be stored.", e)
        context.detach(
          link,
          AmqpFailure.internal(s"The events could not be stored: ${LocalHubException.forClients(e)}")
        )
    }
  }

  private def answerWithoutAppend(delivery: Delivery, decided: Admission): Unit = decided match {
    case Admission.Refused(failure) => reject(delivery, failure)
    case _ => answer(delivery)
  }

  private def answer(delivery: Delivery): Unit = faults.at(Occasion.Stored).map(hit => (hit, hit.action)) match {
    case None => accept(delivery)
    case Some((_, FaultAction.Delay(time))) => context.executeLater(time, () => accept(delivery))
    case Some((hit, FaultAction.Stall)) => context.executeWhen(() => !hit.isHolding(), () => accept(delivery))
    case Some((_, FaultAction.ExpireEvents)) =>
      faults.end(FaultAction.ExpireEvents)
      accept(delivery)
    case Some((_, action)) => faults.end(action)
  }

  private def withPublisher(events: IndexedSeq[IncomingEvent]): IndexedSeq[IncomingEvent] = target match {
    case PublishTarget.OnePublisher(_, publisher) =>
      events.map { event =>
        event.partitionKey.filter(_ != publisher).foreach(key => throw new ForeignPartitionKey(key, publisher))
        event.withPublisher(publisher)
      }
    case _ => events
  }

  private def partitionFor(event: IncomingEvent): PartitionLog = target match {
    case PublishTarget.OnePartition(_, _, log) => log
    case PublishTarget.AnyPartition(_) | PublishTarget.OnePublisher(_, _) =>
      val partitions = target.hub.partitions
      event.partitionKey match {
        case Some(key) => partitions(PartitionKeyHash.partitionOf(key, partitions.length))
        case None => partitions(context.server.nextRoundRobin(partitions.length))
      }
  }

  private def accept(delivery: Delivery): Unit = if (!closed) {
    delivery.disposition(Accepted.getInstance)
    settle(delivery)
  }

  private def reject(delivery: Delivery, failure: AmqpFailure): Unit = {
    val rejected = new Rejected
    rejected.setError(failure.toCondition)
    delivery.disposition(rejected)
    settle(delivery)
  }

  private def settle(delivery: Delivery): Unit = {
    delivery.settle()
    usedCredit += 1
    if (usedCredit >= CreditRenewal) {
      link.flow(usedCredit)
      usedCredit = 0
    }
  }

  private def detachDeleted(): Unit = context.detach(link, AmqpFailure.hubDeleted(target.hub.name))
}

private object PublisherLink {
  private val log = LoggerFactory.getLogger(classOf[PublisherLink])

  val Credit = 300

  /** After this many settled deliveries the link has its full credit again. */
  val CreditRenewal = 100

  final class ForeignPartitionKey(key: String, publisher: String) extends RuntimeException {
    val failure: AmqpFailure = AmqpFailure.foreignPartitionKey(key, publisher)
  }
}
