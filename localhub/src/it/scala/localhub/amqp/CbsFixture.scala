package localhub.amqp

import java.time.Instant
import java.util.Date

import scala.jdk.CollectionConverters._

import org.apache.qpid.proton.amqp.messaging.{AmqpValue, ApplicationProperties}
import org.apache.qpid.proton.amqp.transport.{Open, Transfer}
import org.apache.qpid.proton.message.Message
import org.scalatest.Suite

import localhub.auth.BearerAuthority
import localhub.log.ManualClock

/** A peer that puts tokens on its connection, to a server whose clock the test moves. */
trait CbsFixture extends HubFixture { this: Suite =>

  protected val time = new ManualClock(Instant.parse("2026-01-01T00:00:00Z").toEpochMilli)
  protected val reader = "hub1/ConsumerGroups/$Default/Partitions/0"

  private var nextDelivery = 0

  /** A connection without any grant. */
  protected def unauthorizedClient(
      hostname: String = "localhost",
      authority: Option[BearerAuthority] = None
  ): FrameClient = {
    nextDelivery = 0
    val timed = closing(new AmqpServer(namespace, policies, "127.0.0.1", 0, time))
    timed.bearer.use(authority)
    val client = closing(new FrameClient(timed.port))
    client.sendHeader(0)
    client.readHeader()
    val open = new Open
    open.setContainerId("x")
    open.setHostname(hostname)
    client.send(0, open)
    client.expect[Open]
    client.begin(0)
    client.attachSender("$" + "cbs", handle = 10, name = "cbs-out")
    client.attachReceiver("$" + "cbs", handle = 11, name = "cbs-in")
    client.flow(100, handle = 11)
    client
  }

  /** Status code and description of the answer. */
  protected def putToken(
      client: FrameClient,
      audience: String,
      token: String,
      tokenType: String = "servicebus.windows.net:sastoken"
  ): (Int, String) = {
    val properties = putTokenAnswer(client, audience, token, tokenType).getApplicationProperties.getValue
    (properties.get("status-code").asInstanceOf[Integer].intValue, properties.get("status-description").toString)
  }

  protected def putTokenAnswer(
      client: FrameClient,
      audience: String,
      token: String,
      tokenType: String = "servicebus.windows.net:sastoken"
  ): Message = {
    val message = Message.Factory.create()
    message.setMessageId(s"id-$nextDelivery")
    message.setApplicationProperties(new ApplicationProperties(
      Map[String, AnyRef](
        "operation" -> "put-token",
        "type" -> tokenType,
        "name" -> audience,
        "expiration" -> new Date(0)
      ).asJava.asInstanceOf[java.util.Map[String, Object]]
    ))
    message.setBody(new AmqpValue(token))
    val buffer = new Array[Byte](10000)
    client.transfer(
      nextDelivery,
      java.util.Arrays.copyOf(buffer, message.encode(buffer, 0, buffer.length)),
      handle = 10
    )
    nextDelivery += 1
    val payload =
      Iterator.continually(client.receive()).dropWhile(!_.body.exists(_.isInstanceOf[Transfer])).next().payload
    val answer = Message.Factory.create()
    answer.decode(payload, 0, payload.length)
    assert(answer.getCorrelationId == message.getMessageId)
    answer
  }
}
