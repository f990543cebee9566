package org.apache.spark.eventhubs.connection.replay

import java.io.ByteArrayOutputStream

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.qpid.proton.amqp.messaging.{Source, Target}
import org.apache.qpid.proton.amqp.transport._
import org.apache.qpid.proton.message.Message

import org.apache.spark.eventhubs.connection.replay.AmqpHex._

/** A link of the client. */
final case class ReplayedLink(channel: Int, handle: Long, name: String, address: String, clientSends: Boolean)

/**
 * The service with one event hub, as far as a client of one partition needs it. Tests override what happens to links of
 * readers and senders.
 *
 * @param lastSequenceNumber of each partition
 */
class EventHubScript(hub: String, partitions: Int, lastSequenceNumber: Long) extends ReplayScript {
  private val links = mutable.Map.empty[(Int, Long), ReplayedLink]
  private val windows = mutable.Map.empty[Int, Long]
  private val nextDelivery = mutable.Map.empty[Int, Long].withDefaultValue(0L)
  private val incoming = mutable.Map.empty[(Int, Long), (Long, ByteArrayOutputStream)]

  /** A reader's or sender's link is attached: accept, or refuse it. */
  protected def onAttach(link: ReplayedLink, connection: ReplayConnection): Unit = accept(link, connection)

  /** A reader has given credit. */
  protected def onCredit(link: ReplayedLink, credit: Long, connection: ReplayConnection): Unit = ()

  /** A producer's delivery is complete. */
  protected def onDelivery(link: ReplayedLink, id: Long, connection: ReplayConnection): Unit =
    connection.send(link.channel, ServiceFrames.accepted(id))

  protected def accept(link: ReplayedLink, connection: ReplayConnection): Unit = {
    val limit = if (isNode(link)) None else Some(1048576L)
    if (link.clientSends) {
      connection.send(link.channel, ServiceFrames.attachReceiver(link.name, link.handle, link.address, limit))
      connection.send(link.channel, ServiceFrames.flow(link.handle, if (isNode(link)) 100 else 300))
    } else connection.send(link.channel, ServiceFrames.attachSender(link.name, link.handle, link.address, limit))
  }

  protected final def refuse(
      link: ReplayedLink,
      condition: String,
      text: String,
      connection: ReplayConnection
  ): Unit = {
    connection.send(link.channel, ServiceFrames.refusedAttach(link.name, link.handle, link.clientSends))
    connection.send(link.channel, ServiceFrames.detach(link.handle, condition, text))
  }

  /** Ends an open link. */
  protected final def detach(
      link: ReplayedLink,
      condition: String,
      text: String,
      connection: ReplayConnection
  ): Unit = {
    links.remove((link.channel, link.handle))
    connection.send(link.channel, ServiceFrames.detach(link.handle, condition, text))
  }

  protected final def end(link: ReplayedLink, condition: String, text: String, connection: ReplayConnection): Unit =
    connection.send(link.channel, ServiceFrames.end(condition, text))

  /** Sends one message in frames of at most `frameBytes` payload. */
  protected final def deliver(
      link: ReplayedLink,
      message: String,
      connection: ReplayConnection,
      frameBytes: Int = 60000
  ): Unit = {
    val id = nextDelivery(link.channel)
    nextDelivery(link.channel) = id + 1
    val parts = message.grouped(2 * frameBytes).toSeq
    parts.zipWithIndex.foreach { case (part, index) =>
      val more = index < parts.size - 1
      val performative =
        if (index == 0) ServiceFrames.transfer(link.handle, id, more) else ServiceFrames.continuation(link.handle, more)
      connection.send(link.channel, performative, part)
    }
  }

  /** All links of the connection. */
  protected final def openLinks: Seq[ReplayedLink] = links.values.toSeq

  override def onFrame(frame: ClientFrame, connection: ReplayConnection): Unit = frame.body match {
    case _: Open => connection.send(0, ServiceFrames.Open)
    case begin: Begin =>
      windows(frame.channel) = begin.getIncomingWindow.longValue
      connection.send(frame.channel, ServiceFrames.begin(frame.channel, windows(frame.channel)))
    case attach: Attach => onAttach(frame.channel, attach, connection)
    case flow: Flow =>
      for {
        handle <- Option(flow.getHandle)
        link <- links.get((frame.channel, handle.longValue)) if !link.clientSends && !isNode(link)
      } onCredit(link, flow.getLinkCredit.longValue, connection)
    case transfer: Transfer => onTransfer(frame, transfer, connection)
    case detach: Detach =>
      // A refused link is gone already.
      links.remove((frame.channel, detach.getHandle.longValue)).foreach { link =>
        if (Option(detach.getError).isEmpty) connection.send(frame.channel, ServiceFrames.detach(link.handle))
      }
    case _: End =>
      links.keys.filter(_._1 == frame.channel).toSeq.foreach(links.remove)
      connection.send(frame.channel, ServiceFrames.End)
    case _: Close =>
      connection.send(0, ServiceFrames.Close)
      connection.disconnect()
    case _ => ()
  }

  private def onAttach(channel: Int, attach: Attach, connection: ReplayConnection): Unit = {
    val clientSends = attach.getRole == Role.SENDER
    val address = if (clientSends) targetAddress(attach) else sourceAddress(attach)
    val link = ReplayedLink(channel, attach.getHandle.longValue, attach.getName, address, clientSends)
    links((channel, link.handle)) = link
    if (isNode(link)) accept(link, connection) else onAttach(link, connection)
  }

  private def onTransfer(frame: ClientFrame, transfer: Transfer, connection: ReplayConnection): Unit = {
    val key = (frame.channel, transfer.getHandle.longValue)
    val (id, bytes) =
      incoming.getOrElseUpdate(key, (transfer.getDeliveryId.longValue, new ByteArrayOutputStream))
    bytes.write(frame.payload)
    if (!transfer.getMore) {
      incoming.remove(key)
      links.get(key).foreach { link =>
        if (isNode(link)) onRequest(link, id, bytes.toByteArray, connection)
        else onDelivery(link, id, connection)
      }
    }
  }

  private def onRequest(link: ReplayedLink, id: Long, bytes: Array[Byte], connection: ReplayConnection): Unit = {
    connection.send(link.channel, ServiceFrames.accepted(id))
    val request = Message.Factory.create()
    request.decode(bytes, 0, bytes.length)
    val correlationId = request.getMessageId match {
      case text: String => str(text)
      case number => ulong(BigInt(number.toString))
    }
    links.values.find(other => other.channel == link.channel && !other.clientSends).foreach { replies =>
      val (answered, body) = if (link.address.endsWith("cbs")) putToken() else properties(request)
      val to = Option(request.getReplyTo)
      deliver(replies, ServiceFrames.answer(correlationId, to, answered, body), connection)
    }
  }

  /** The application properties and the body of `\$cbs`'s answer. */
  protected def putToken(): (Seq[(String, String)], String) =
    (Seq("status-code" -> int(202), "status-description" -> str("Accepted")), Null)

  /** The application properties and the body of `\$management`'s answer. */
  protected def properties(request: Message): (Seq[(String, String)], String) = {
    val asked = request.getApplicationProperties.getValue.asScala
    val body = asked.get("partition") match {
      case Some(id) => map(
          str("name") -> str(hub),
          str("type") -> str("com.microsoft:partition"),
          str("partition") -> str(s"$id"),
          str("begin_sequence_number") -> long(0),
          str("last_enqueued_sequence_number") -> long(lastSequenceNumber),
          str("last_enqueued_offset") -> str(s"${lastSequenceNumber * 100}"),
          str("last_enqueued_time_utc") -> timestamp(1600000000000L),
          str("is_partition_empty") -> bool(lastSequenceNumber < 0)
        )
      case None => map(
          str("name") -> str(hub),
          str("type") -> str("com.microsoft:eventhub"),
          str("created_at") -> timestamp(1500000000000L),
          str("partition_count") -> int(partitions),
          str("partition_ids") -> strings((0 until partitions).map(_.toString))
        )
    }
    (Seq("operation" -> str("READ"), "status-code" -> int(200)), body)
  }

  private def isNode(link: ReplayedLink): Boolean =
    link.address.contains("$cbs") || link.address.contains("$management")

  private def targetAddress(attach: Attach): String = attach.getTarget match {
    case target: Target => target.getAddress
    case other => throw new IllegalArgumentException(s"a sender's target is $other")
  }

  private def sourceAddress(attach: Attach): String = attach.getSource match {
    case source: Source => source.getAddress
    case other => throw new IllegalArgumentException(s"a receiver's source is $other")
  }
}
