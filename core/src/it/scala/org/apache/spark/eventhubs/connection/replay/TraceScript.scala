package org.apache.spark.eventhubs.connection.replay

import org.apache.qpid.proton.amqp.transport.{Begin, Open}
import org.apache.qpid.proton.message.Message

import org.apache.spark.eventhubs.connection.replay.AmqpHex._

/**
 * The service as a trace of `spark-eventhubs verify` has it: its OPEN, its answers to BEGIN and ATTACH, its answers of
 * `\$management`, and its events. Only what the client chooses is replaced: channels, handles, names and ids.
 */
class TraceScript(hub: String, trace: Vector[RecordedFrame])
    extends EventHubScript(hub, partitions = 0, lastSequenceNumber = -1) {

  import TraceScript._

  private val events = trace.filter(frame => frame.code == Transfer && frame.mentions("x-opt-sequence-number"))
    .distinctBy(_.message)
  private var delivered = false

  override def onFrame(frame: ClientFrame, connection: ReplayConnection): Unit = frame.body match {
    case _: Open => connection.send(0, first(0x10).having())
    case _: Begin => connection.send(frame.channel, first(0x11).having(0 -> ushort(frame.channel)))
    case _ => super.onFrame(frame, connection)
  }

  override protected def accept(link: ReplayedLink, connection: ReplayConnection): Unit = {
    val role = bool(link.clientSends)
    val node = Nodes.find(link.address.contains)
    val answer = trace.find { frame =>
      frame.code == Attach && frame.fields(Role) == role && Nodes.find(frame.mentions) == node
    }.getOrElse(throw new NoSuchElementException(s"the trace has no answer to the ATTACH of ${link.address}"))
    connection.send(link.channel, answer.having(0 -> str(link.name), 1 -> uint(link.handle)))
    if (link.clientSends) connection.send(link.channel, ServiceFrames.flow(link.handle, 100))
  }

  override protected def onCredit(link: ReplayedLink, credit: Long, connection: ReplayConnection): Unit =
    if (!delivered) {
      delivered = true
      events.take(credit.toInt).zipWithIndex.foreach { case (event, id) =>
        connection.send(link.channel, event.having(0 -> uint(link.handle), 1 -> uint(id.toLong)), event.message)
      }
    }

  override protected def properties(request: Message): (Seq[(String, String)], String) = {
    val asked = request.getApplicationProperties.getValue.get("partition") match {
      case null => "com.microsoft:eventhub"
      case _ => "com.microsoft:partition"
    }
    val answer = trace.find(frame => frame.code == Transfer && frame.mentions("partition_") && frame.mentions(asked))
      .getOrElse(throw new NoSuchElementException(s"the trace has no answer about $asked"))
    val named = RecordedFrame.items(answer.sections(0x74)).grouped(2).map { pair =>
      new String(bytes(pair(0).drop(4)), "UTF-8") -> pair(1)
    }
    (named.toSeq, answer.sections(0x77))
  }

  private def first(code: Int): RecordedFrame = trace.find(_.code == code).get
}

object TraceScript {
  private val Attach = 0x12
  private val Transfer = 0x14
  private val Role = 2
  private val Nodes = Seq("$cbs", "$management")
}
