package localhub.amqp.link

import java.util.LinkedHashMap

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.qpid.proton.amqp.Symbol
import org.apache.qpid.proton.engine.Link

import localhub.amqp.event.IncomingEvent
import localhub.amqp.server.{Admission, AmqpFailure, ProducerClaim, ProducerLink, ProducerState}
import localhub.log.{LogPosition, PartitionLog}

/** The idempotent producer of one link to a partition. */
private[amqp] final class IdempotentLink private (context: LinkContext, link: Link, producer: ProducerLink)
    extends AutoCloseable {
  import IdempotentLink._

  private val producers = context.server.producers
  private var closed = false

  /** Answers the attach, once no append of an earlier link of the producer runs. */
  def start(answer: Runnable): Unit = producers.start(producer) match {
    case Some(state) =>
      setProperties(link, state)
      answer.run()
    case None => context.executeLater(LinkContext.PollInterval, () => if (!closed) start(answer))
  }

  def admit(events: IndexedSeq[IncomingEvent]): Admission = firstOf(events) match {
    case Some(first) => producers.admit(producer, first, events.length)
    case None => Admission.Refused(AmqpFailure.invalidArgument(
        s"The event has no annotation ${IncomingEvent.ProducerSequenceNumber}, which its idempotent producer has to set."
      ))
  }

  /** Appends admitted events, or decides otherwise: see [[localhub.amqp.server.IdempotentProducers.append]]. */
  def append(events: IndexedSeq[IncomingEvent])(store: => Try[LogPosition]): Either[Admission, Try[LogPosition]] =
    firstOf(events).fold[Either[Admission, Try[LogPosition]]](Right(store))(
      producers.append(producer, _, events.length)(store)
    )

  override def close(): Unit = {
    closed = true
    producers.linkClosed(producer)
  }

  private def firstOf(events: IndexedSeq[IncomingEvent]): Option[Int] = events.head.producerSequenceNumber
}

private[amqp] object IdempotentLink {
  private val Capability = Symbol.valueOf("com.microsoft:idempotent-producer")
  private val Id = Symbol.valueOf("com.microsoft:producer-id")
  private val Epoch = Symbol.valueOf("com.microsoft:producer-epoch")
  private val SequenceNumber = Symbol.valueOf(IncomingEvent.ProducerSequenceNumber)

  /** Whether the client asks for an idempotent producer. */
  def isWanted(link: Link): Boolean = Option(link.getRemoteDesiredCapabilities).exists(_.contains(Capability))

  /** Opens the producer, and ends its other links. [[IdempotentLink.start]] answers the attach. */
  def open(context: LinkContext, link: Link, log: PartitionLog): Either[AmqpFailure, IdempotentLink] = {
    val asked = Option(link.getRemoteProperties).fold(Map.empty[Symbol, AnyRef])(_.asScala.toMap)
    def number(name: Symbol): Option[Number] = asked.get(name).collect { case value: Number => value }
    val claim = ProducerClaim(
      number(Id).map(_.longValue),
      number(Epoch).map(_.shortValue),
      number(SequenceNumber).map(_.intValue)
    )
    val fenced = (failure: AmqpFailure) => context.execute(() => context.detach(link, failure))
    context.server.producers.open(log, claim, fenced).map(new IdempotentLink(context, link, _))
  }

  private def setProperties(link: Link, state: ProducerState): Unit = {
    link.setOfferedCapabilities(Array(Capability))
    val answer = new LinkedHashMap[Symbol, AnyRef]
    answer.put(Id, Long.box(state.id))
    answer.put(Epoch, Short.box(state.epoch))
    answer.put(SequenceNumber, Int.box(state.lastSequenceNumber))
    link.setProperties(answer.asInstanceOf[java.util.Map[Symbol, Object]])
  }
}
