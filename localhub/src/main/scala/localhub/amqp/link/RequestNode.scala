package localhub.amqp.link

import scala.collection.mutable.ArrayBuffer
import scala.util.Try

import org.apache.qpid.proton.amqp.Symbol
import org.apache.qpid.proton.amqp.messaging.{Accepted, ApplicationProperties, Section}
import org.apache.qpid.proton.engine.{Delivery, Receiver, Sender, Session}
import org.apache.qpid.proton.message.Message
import org.slf4j.LoggerFactory

import localhub.amqp.server.AmqpFailure

/**
 * The answer of a request node. The Java SDK casts the status code to an int, so it is encoded as an int.
 *
 * @param operation the request's, which `\$management` repeats
 */
private[amqp] final case class Answer(
    statusCode: Int,
    description: Option[String] = None,
    errorCondition: Option[String] = None,
    body: Option[Section] = None,
    operation: Option[String] = None
)

/** A request-response node, `\$cbs` or `\$management`, of one connection. */
private[amqp] final class RequestNode(context: LinkContext, answer: (Request, Answer => Unit) => Unit) {

  private val replyLinks = new ArrayBuffer[Sender]
  private var requestLinks = 0

  def hasRequestLink: Boolean = requestLinks > 0
  def hasReplyLink: Boolean = replyLinks.nonEmpty

  def openRequests(link: Receiver): LinkHandler = {
    link.flow(RequestNode.Credit)
    requestLinks += 1
    val messages = new IncomingMessages(RequestNode.MaxRequest.toLong)
    new LinkHandler {
      override def onClosed(): Unit = requestLinks -= 1

      override def onDelivery(delivery: Delivery): Unit = messages.read(delivery) match {
        case IncomingMessage.Incomplete | IncomingMessage.Discarded => ()
        case IncomingMessage.TooLarge(size) => refuse(link, delivery, size)
        case IncomingMessage.Endless(size) => refuse(link, delivery, size)
        case IncomingMessage.Complete(bytes, _) =>
          delivery.disposition(Accepted.getInstance)
          delivery.settle()
          link.flow(1)
          Request.decode(bytes) match {
            case Some(request) => answer(request, reply(request, _, link.getSession))
            case None =>
              RequestNode.log.warn(s"A request on connection ${context.connectionId} is refused: it is no AMQP message")
              context.detach(link, AmqpFailure.notDecodable("a request has to be an AMQP message"))
          }
      }
    }
  }

  private def refuse(link: Receiver, delivery: Delivery, size: Long): Unit =
    context.detach(
      link,
      AmqpFailure.messageTooLarge(DeliveryInternals.id(delivery), size, RequestNode.MaxRequest.toLong)
    )

  def openReplies(link: Sender): LinkHandler = {
    replyLinks += link
    new LinkHandler {
      override def onClosed(): Unit = { replyLinks -= link; () }
    }
  }

  private def reply(request: Request, answer: Answer, session: Session): Unit =
    replyLink(request.replyTo, session).foreach { link =>
      if (link.getQueued >= RequestNode.MaxWaitingReplies)
        context.detach(link, AmqpFailure.notAllowed("Answers are not taken: the link has no credit."))
      else {
        val bytes = RequestNode.encode(request, answer)
        val delivery = link.delivery(Array.emptyByteArray)
        link.send(bytes, 0, bytes.length)
        delivery.settle()
      }
    }

  /**
   * `reply-to` is the reply link's target address in Java, its name in JS, and missing in Python (then: same session).
   */
  private def replyLink(replyTo: Option[String], session: Session): Option[Sender] = {
    val candidates = replyLinks.sortBy(_.getSession ne session)
    candidates
      .find(link => replyTo.exists(to => to == link.getName || Option(link.getRemoteTarget).exists(_.getAddress == to)))
      .orElse(candidates.headOption)
  }
}

/** A decoded request. */
private[amqp] final class Request(message: Message) {

  /** Name of the first of these properties that is missing. */
  def firstMissing(names: String*): Option[String] = names.find(property(_).isEmpty)

  val id: Option[AnyRef] = Option(message.getMessageId)
  val replyTo: Option[String] = Option(message.getReplyTo)

  def property(name: String): Option[String] =
    Option(
      message.getApplicationProperties
    ).flatMap(p => Option(p.getValue)).flatMap(p => Option(p.get(name))).map(_.toString)

  def body: Option[Section] = Option(message.getBody)
}

private[amqp] object Request {
  def decode(bytes: Array[Byte]): Option[Request] = Try {
    val message = Message.Factory.create()
    message.decode(bytes, 0, bytes.length)
    new Request(message)
  }.toOption
}

private object RequestNode {
  private val log = LoggerFactory.getLogger(getClass)

  val Credit = 100
  val MaxRequest = 65536
  val MaxWaitingReplies = 100

  // Enough for the ids of 1024 partitions.
  private val MaxReply = 65536

  def encode(request: Request, answer: Answer): Array[Byte] = {
    // The service's own order.
    val properties = new java.util.LinkedHashMap[String, AnyRef]
    answer.operation.foreach(properties.put("operation", _))
    properties.put("status-code", Int.box(answer.statusCode))
    answer.description.foreach(properties.put("status-description", _))
    answer.errorCondition.foreach(c => properties.put("error-condition", Symbol.valueOf(c)))
    val message = Message.Factory.create()
    // The id is returned in its own type: number, string, UUID or binary.
    request.id.foreach(message.setCorrelationId)
    request.replyTo.foreach(message.setAddress)
    message.setApplicationProperties(new ApplicationProperties(properties.asInstanceOf[java.util.Map[String, Object]]))
    answer.body.foreach(message.setBody)
    val buffer = new Array[Byte](MaxReply)
    java.util.Arrays.copyOf(buffer, message.encode(buffer, 0, buffer.length))
  }
}
