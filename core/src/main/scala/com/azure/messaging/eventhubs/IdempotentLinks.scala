package com.azure.messaging.eventhubs

import java.util.concurrent.ConcurrentHashMap
import java.util.{HashMap => JavaHashMap, Map => JavaMap}

import com.azure.core.amqp.implementation.AmqpSendLink
import org.apache.qpid.proton.amqp.Symbol
import org.apache.qpid.proton.amqp.transport.DeliveryState
import org.apache.qpid.proton.engine.Sender
import reactor.core.publisher.Mono

/**
 * Which idempotent producer a new link belongs to.
 *
 * @param id None lets the service choose one
 */
final case class ProducerClaim(id: Option[Long], epoch: Short)

/**
 * The state of a producer on one partition when the service opened its link.
 *
 * @param lastNumber of the last event that is stored; -1 before the first one
 */
final case class ProducerGrant(id: Long, epoch: Short, lastNumber: Int)

/**
 * An open link that only one sender uses.
 *
 * @param grant None when the service does not check the numbers of events on this link
 */
final class IdempotentSendLink private[eventhubs] (
    link: AmqpSendLink,
    val grant: Option[ProducerGrant],
    val maxMessageBytes: Int,
    sending: (AmqpSendLink, Array[Byte], Int) => Mono[DeliveryState],
    closing: AmqpSendLink => Unit
) {

  /** Sends over this link, as `AmqpConnection.send` does. */
  def send(message: Array[Byte], length: Int): Mono[DeliveryState] = sending(link, message, length)

  /** Does not wait for the service. */
  def close(): Unit = closing(link)
}

/** Adds what an idempotent producer claims to the attach frames of its links, and reads the answers. */
private final class IdempotentLinks {

  import IdempotentLinks._

  private val claims = new ConcurrentHashMap[String, ProducerClaim]
  private val senders = new ConcurrentHashMap[String, Sender]

  /** The link of this name belongs to a producer. Called before it is opened. */
  def expect(linkName: String, claim: ProducerClaim): Unit = {
    claims.put(linkName, claim)
    ()
  }

  /** Called in the connection's thread, before the attach frame is written. */
  def opening(sender: Sender): Unit = Option(claims.remove(sender.getName)).foreach { claim =>
    sender.setDesiredCapabilities(Array(Capability))
    val properties = new JavaHashMap[Symbol, AnyRef]
    Option(sender.getProperties).foreach(known => properties.putAll(known.asInstanceOf[JavaMap[Symbol, AnyRef]]))
    // The service wants all three or none, and gives a value to one that is null. With none it makes a new id.
    claim.id.foreach { id =>
      properties.put(Id, Long.box(id))
      properties.put(Epoch, Short.box(claim.epoch))
      properties.put(SequenceNumber, null)
    }
    sender.setProperties(properties.asInstanceOf[JavaMap[Symbol, Object]])
    senders.put(sender.getName, sender)
  }

  /** What the service has answered. Called once the link is active. */
  def granted(linkName: String): Option[ProducerGrant] = for {
    sender <- Option(senders.remove(linkName))
    offered <- Option(sender.getRemoteOfferedCapabilities) if offered.contains(Capability)
    answer <- Option(sender.getRemoteProperties).map(_.asInstanceOf[JavaMap[Symbol, AnyRef]])
    id <- number(answer, Id)
    epoch <- number(answer, Epoch)
    last <- number(answer, SequenceNumber)
  } yield ProducerGrant(id.longValue, epoch.shortValue, last.intValue)

  /** The link of this name could not be opened. */
  def forget(linkName: String): Unit = {
    claims.remove(linkName)
    senders.remove(linkName)
    ()
  }

  private def number(properties: JavaMap[Symbol, AnyRef], name: Symbol): Option[Number] =
    Option(properties.get(name)).collect { case value: Number => value }
}

private object IdempotentLinks {
  private val Capability = Symbol.valueOf("com.microsoft:idempotent-producer")
  private val Id = Symbol.valueOf("com.microsoft:producer-id")
  private val Epoch = Symbol.valueOf("com.microsoft:producer-epoch")
  private val SequenceNumber = Symbol.valueOf("com.microsoft:producer-sequence-number")
}
