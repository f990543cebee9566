package localhub.amqp.link

import java.util.LinkedHashMap

import scala.jdk.CollectionConverters._

import org.apache.qpid.proton.amqp.Symbol
import org.apache.qpid.proton.engine.Link

import localhub.amqp.event.IncomingEvent
import localhub.amqp.server.{Admission, AmqpFailure, ProducerClaim, ProducerState, ServerContext}
import localhub.log.PartitionLog

/** The idempotent producer of one link to a partition. */
private[amqp] final class IdempotentLink private (
    server: ServerContext,
    log: PartitionLog,
    state: ProducerState,
    fenced: AmqpFailure => Unit
) extends AutoCloseable {

  def admit(events: IndexedSeq[IncomingEvent]): Admission = events.head.producerSequenceNumber match {
    case Some(first) => server.producers.admit(log, state, first, events.length)
    case None => Admission.Refused(AmqpFailure.invalidArgument(
        s"The event has no annotation ${IncomingEvent.ProducerSequenceNumber}, which its idempotent producer has to set."
      ))
  }

  def rollBack(events: IndexedSeq[IncomingEvent]): Unit =
    events.head.producerSequenceNumber.foreach(server.producers.rollBack(log, state, _))

  override def close(): Unit = server.producers.linkClosed(log, state, fenced)
}

private[amqp] object IdempotentLink {
  private val Capability = Symbol.valueOf("com.microsoft:idempotent-producer")
  private val Id = Symbol.valueOf("com.microsoft:producer-id")
  private val Epoch = Symbol.valueOf("com.microsoft:producer-epoch")
  private val SequenceNumber = Symbol.valueOf(IncomingEvent.ProducerSequenceNumber)

  /** Whether the client asks for an idempotent producer. */
  def isWanted(link: Link): Boolean = Option(link.getRemoteDesiredCapabilities).exists(_.contains(Capability))

  /** Opens the producer, and sets what the server's attach says of it. */
  def open(context: LinkContext, link: Link, log: PartitionLog): Either[AmqpFailure, IdempotentLink] = {
    val asked = Option(link.getRemoteProperties).fold(Map.empty[Symbol, AnyRef])(_.asScala.toMap)
    def number(name: Symbol): Option[Number] = asked.get(name).collect { case value: Number => value }
    val claim = ProducerClaim(
      number(Id).map(_.longValue),
      number(Epoch).map(_.shortValue),
      number(SequenceNumber).map(_.intValue)
    )
    val fenced = (failure: AmqpFailure) => context.execute(() => context.detach(link, failure))
    context.server.producers.open(log, claim, fenced).map { state =>
      link.setOfferedCapabilities(Array(Capability))
      val answer = new LinkedHashMap[Symbol, AnyRef]
      answer.put(Id, Long.box(state.id))
      answer.put(Epoch, Short.box(state.epoch))
      answer.put(SequenceNumber, Int.box(state.lastSequenceNumber))
      link.setProperties(answer.asInstanceOf[java.util.Map[Symbol, Object]])
      new IdempotentLink(context.server, log, state, fenced)
    }
  }
}
