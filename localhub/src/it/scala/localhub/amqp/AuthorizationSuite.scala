package localhub.amqp

import java.net.URLEncoder
import java.nio.charset.StandardCharsets.UTF_8
import java.time.Instant
import java.util.{Base64, Date}
import javax.crypto.Mac
import javax.crypto.spec.SecretKeySpec

import scala.jdk.CollectionConverters._

import com.azure.core.amqp.exception.{AmqpErrorCondition, AmqpException}
import com.azure.messaging.eventhubs.EventData
import org.apache.qpid.proton.amqp.messaging.{AmqpValue, ApplicationProperties}
import org.apache.qpid.proton.amqp.transport.{Detach, Open, Transfer}
import org.apache.qpid.proton.message.Message

import localhub.auth.{Claim, ResourcePath, SasToken, SharedAccessPolicy}
import localhub.log.ManualClock
import testkit.TestSuite

/** Policies, claims and token expiry. */
class AuthorizationSuite extends TestSuite with HubFixture {

  private val sendOnly = SharedAccessPolicy("sender", "s-key", Set(Claim.Send))
  private val listenOnly = SharedAccessPolicy("listener", "l-key", Set(Claim.Listen))
  private val manage = SharedAccessPolicy("manager", "m-key", Set(Claim.Manage))
  private val time = new ManualClock(Instant.parse("2026-01-01T00:00:00Z").toEpochMilli)
  private val reader = "hub1/ConsumerGroups/$Default/Partitions/0"

  override protected def policies: Seq[SharedAccessPolicy] = Seq(SharedAccessPolicy.Root, sendOnly, listenOnly, manage)

  private def as(policy: SharedAccessPolicy): String = connectionString(policy = policy.name, key = policy.key)

  private def sas(resource: String, expiry: Instant, policy: SharedAccessPolicy = SharedAccessPolicy.Root): String = {
    val encoded = URLEncoder.encode(resource, UTF_8)
    val mac = Mac.getInstance("HmacSHA256")
    mac.init(new SecretKeySpec(policy.key.getBytes(UTF_8), "HmacSHA256"))
    val signature = Base64.getEncoder.encodeToString(mac.doFinal(s"$encoded\n${expiry.getEpochSecond}".getBytes(UTF_8)))
    s"SharedAccessSignature sr=$encoded&sig=${URLEncoder.encode(signature, UTF_8)}&se=${expiry.getEpochSecond}&skn=${policy.name}"
  }

  /** A connection without any grant, to a server that uses the clock `time`. */
  private def unauthorizedClient(): FrameClient = {
    val timed = closing(new AmqpServer(namespace, policies, "127.0.0.1", 0, time))
    val client = closing(new FrameClient(timed.port))
    client.sendHeader(0)
    client.readHeader()
    val open = new Open
    open.setContainerId("x")
    client.send(0, open)
    client.expect[Open]
    client.begin(0)
    client.attachSender("$" + "cbs", handle = 10, name = "cbs-out")
    client.attachReceiver("$" + "cbs", handle = 11, name = "cbs-in")
    client.flow(100, handle = 11)
    client
  }

  private var nextDelivery = 0

  /** Status code and description of the answer. */
  private def putToken(client: FrameClient, audience: String, token: String): (Int, String) = {
    val message = Message.Factory.create()
    message.setMessageId(s"id-$nextDelivery")
    message.setApplicationProperties(new ApplicationProperties(
      Map[String, AnyRef](
        "operation" -> "put-token",
        "type" -> "servicebus.windows.net:sastoken",
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
    val properties = answer.getApplicationProperties.getValue
    (properties.get("status-code").asInstanceOf[Integer].intValue, properties.get("status-description").toString)
  }

  override protected def beforeEach(): Unit = {
    super.beforeEach()
    nextDelivery = 0
  }

  private def refusal(subscription: Subscription): AmqpException = subscription.error().asInstanceOf[AmqpException]

  test("a policy with only the Send claim cannot receive") {
    producer(as(sendOnly)).send(Seq(new EventData("x")).asJava)
    val error = refusal(subscribe(consumer(as(sendOnly)), "0"))
    assert(error.getErrorCondition == AmqpErrorCondition.UNAUTHORIZED_ACCESS)
    assert(error.getMessage.contains("'Listen' claim(s) are required to perform this operation"))
  }

  test("a policy with only the Listen claim cannot send") {
    send("0", "x")
    assert(read("0", 1, client = consumer(as(listenOnly))).nonEmpty)
    val error = intercept[AmqpException](producer(as(listenOnly)).send(Seq(new EventData("x")).asJava))
    assert(error.getErrorCondition == AmqpErrorCondition.UNAUTHORIZED_ACCESS)
    assert(error.getMessage.contains("'Send' claim(s) are required to perform this operation"))
  }

  test("a policy with the Manage claim can do everything") {
    producer(as(manage)).send(Seq(new EventData("x")).asJava)
    assert(producer(as(manage)).getEventHubProperties.getName == "hub1")
  }

  test("an expired token is refused") {
    val client = unauthorizedClient()
    val (status, description) = putToken(client, "sb://x/hub1", sas("sb://x/hub1", time.instant().minusSeconds(1)))
    assert(status == 401 && description.startsWith("ExpiredToken: The token is expired. Expiration time:"))
  }

  test("a token for one resource does not allow another") {
    val client = unauthorizedClient()
    val token = sas("sb://x/hub1/consumergroups/cg1", time.instant().plusSeconds(60))
    assert(putToken(client, "sb://x/hub1", token)._1 == 401)
    assert(putToken(client, "sb://x/hub1/ConsumerGroups/cg1", token)._1 == 202)
    assert(client.attachReceiver(reader, name = "not-cg1").getSource == null)
    client.expect[Detach]
    assert(client.attachReceiver("hub1/ConsumerGroups/cg1/Partitions/0", handle = 1, name = "cg1").getSource != null)
  }

  test("a token for the namespace allows every hub") {
    val client = unauthorizedClient()
    assert(putToken(client, "sb://x/hub1", sas("sb://x/", time.instant().plusSeconds(60)))._1 == 202)
    assert(client.attachReceiver(reader).getSource != null)
  }

  test("the refusal of an invalid token says what was expected") {
    val client = unauthorizedClient()
    assert(putToken(client, "sb://x/hub1", "password")._2.contains("expected 'SharedAccessSignature sr="))
    assert(putToken(client, "sb://x/hub1", "SharedAccessSignature sr=x&sig=%%%&se=soon&skn=y")._1 == 401)
  }

  test("when the token expires, the link is detached") {
    val client = unauthorizedClient()
    putToken(client, "sb://x/hub1", sas("sb://x/hub1", time.instant().plusSeconds(60)))
    client.attachReceiver(reader)
    time.now += 61000
    val error = client.expect[Detach].getError
    assert(error.getCondition.toString == "amqp:unauthorized-access")
    assert(error.getDescription.startsWith("ExpiredToken: The token is expired."))
  }

  test("a link survives when its token is renewed in time") {
    val client = unauthorizedClient()
    putToken(client, "sb://x/hub1", sas("sb://x/hub1", time.instant().plusSeconds(60)))
    client.attachReceiver(reader)
    time.now += 50000
    putToken(client, "sb://x/hub1", sas("sb://x/hub1", time.instant().plusSeconds(60)))
    time.now += 50000
    send("0", "still there")
    client.flow(1)
    assert(client.receive().body.exists(_.isInstanceOf[Transfer]))
  }

  test("a token covers its resource and everything below, whatever the case and the host") {
    val hub = ResourcePath("sb://some.host:5671/Hub1/")
    assert(hub.covers(ResourcePath("amqp://localhost/hub1/ConsumerGroups/%24Default")))
    assert(!hub.covers(ResourcePath("hub11")) && !ResourcePath("hub1/partitions/0").covers(hub))
    assert(ResourcePath("sb://host").covers(hub))
  }

  test("a token does not show its signature") {
    val token = SasToken.parse(sas("sb://x/hub1", Instant.EPOCH)).get
    assert(
      !token.toString.contains("sig") && token.isSignedWith("SAS_KEY_VALUE") && !token.isSignedWith("SAS_KEY_VALUe")
    )
    assert(!sendOnly.toString.contains("s-key"))
  }
}
