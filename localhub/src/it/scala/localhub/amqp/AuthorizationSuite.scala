package localhub.amqp

import java.net.URLEncoder
import java.nio.charset.StandardCharsets.UTF_8
import java.time.Instant
import java.util.Base64
import javax.crypto.Mac
import javax.crypto.spec.SecretKeySpec

import scala.jdk.CollectionConverters._

import com.azure.core.amqp.exception.{AmqpErrorCondition, AmqpException}
import com.azure.messaging.eventhubs.EventData
import org.apache.qpid.proton.amqp.Symbol
import org.apache.qpid.proton.amqp.transport.{Detach, End, Transfer}

import localhub.auth.{Claim, ResourcePath, SasToken, SharedAccessPolicy}
import testkit.TestSuite

/** Policies, claims and token expiry. */
class AuthorizationSuite extends TestSuite with CbsFixture {

  private val sendOnly = SharedAccessPolicy("sender", "s-key", Set(Claim.Send))
  private val listenOnly = SharedAccessPolicy("listener", "l-key", Set(Claim.Listen))
  private val manage = SharedAccessPolicy("manager", "m-key", Set(Claim.Manage))

  override protected def policies: Seq[SharedAccessPolicy] = Seq(SharedAccessPolicy.Root, sendOnly, listenOnly, manage)

  private def as(policy: SharedAccessPolicy): String = connectionString(policy = policy.name, key = policy.key)

  private def sas(resource: String, expiry: Instant, policy: SharedAccessPolicy = SharedAccessPolicy.Root): String = {
    val encoded = URLEncoder.encode(resource, UTF_8)
    val mac = Mac.getInstance("HmacSHA256")
    mac.init(new SecretKeySpec(policy.key.getBytes(UTF_8), "HmacSHA256"))
    val signature = Base64.getEncoder.encodeToString(mac.doFinal(s"$encoded\n${expiry.getEpochSecond}".getBytes(UTF_8)))
    s"SharedAccessSignature sr=$encoded&sig=${URLEncoder.encode(signature, UTF_8)}&se=${expiry.getEpochSecond}&skn=${policy.name}"
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
    // The refusal has ended the session.
    client.expect[End]
    client.begin(1)
    assert(client.attachReceiver("hub1/ConsumerGroups/cg1/Partitions/0", channel = 1, name = "cg1").getSource != null)
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

  test("a link whose token has expired is detached after a time of grace, so that its client opens it again") {
    val client = unauthorizedClient()
    putToken(client, "sb://x/hub1", sas("sb://x/hub1", time.instant().plusSeconds(60)))
    client.attachReceiver(reader)
    time.now += 61000
    val refused = client.attachReceiver(reader, handle = 1, name = "too-late")
    assert(refused.getSource == null, "a new link has no grace")
    assert(client.expect[Detach].getError.getCondition.toString == "amqp:unauthorized-access")

    // The refusal has ended the session, as the service does, so this is another one.
    client.expect[End]
    val second = unauthorizedClient()
    putToken(second, "sb://x/hub1", sas("sb://x/hub1", time.instant().plusSeconds(60)))
    second.attachReceiver(reader)
    time.now += 60000 + 299000
    send("0", "in the time of grace")
    second.flow(1)
    assert(second.receive().body.exists(_.isInstanceOf[Transfer]))
    time.now += 2000
    val error = second.expect[Detach].getError
    assert(error.getCondition.toString == "amqp:link:detach-forced")
    assert(error.getDescription.startsWith(
      "Unauthorized access. 'Listen' claim(s) are required to perform this operation. " +
        "Resource: 'sb://localhost/hub1/consumergroups/$default/partitions/0'. TrackingId:"
    ))
  }

  test("a refused token has a condition, and a text without ids; the order of the properties is the service's") {
    val client = unauthorizedClient()
    val expired = sas("sb://x/hub1", Instant.parse("2025-12-31T23:58:30Z"))
    val answer = putTokenAnswer(client, "sb://x/hub1", expired).getApplicationProperties.getValue.asScala.toSeq
    assert(answer == Seq(
      "status-code" -> 401,
      "status-description" -> "ExpiredToken: The token is expired. Expiration time: '2025-12-31 23:58:30Z'",
      "error-condition" -> Symbol.valueOf("com.microsoft:auth-failed")
    ))
  }

  test("an accepted token is answered with 202 and Accepted, and nothing else") {
    val answer = putTokenAnswer(unauthorizedClient(), "sb://x/hub1", sas("sb://x/", time.instant().plusSeconds(60)))
    assert(answer.getApplicationProperties.getValue.asScala.toSeq == Seq(
      "status-code" -> 202,
      "status-description" -> "Accepted"
    ))
  }

  test("a token for a hub that does not exist is answered with 404") {
    val answer = putTokenAnswer(unauthorizedClient(), "sb://x/nohub", sas("sb://x/", time.instant().plusSeconds(60)))
    val properties = answer.getApplicationProperties.getValue
    assert(properties.get("status-code") == 404)
    assert(properties.get("error-condition") == Symbol.valueOf("amqp:not-found"))
    assert(properties.get("status-description").toString.startsWith(
      "The messaging entity 'sb://localhost/nohub' could not be found."
    ))
  }

  test("a token may name its resource without a scheme") {
    Seq("localhost/hub1", "localhost:5671/hub1", "frame.client/hub1", "hub1", "").foreach { resource =>
      val client = unauthorizedClient(hostname = "frame.client")
      assert(putToken(client, "sb://x/hub1", sas(resource, time.instant().plusSeconds(60)))._1 == 202, resource)
      assert(client.attachReceiver(reader).getSource != null, resource)
    }
    Seq("localhost/hub2", "other.host/hub1", "hub1/consumergroups/cg1").foreach { resource =>
      val client = unauthorizedClient(hostname = "frame.client")
      assert(putToken(client, "sb://x/hub1", sas(resource, time.instant().plusSeconds(60)))._1 == 401, resource)
    }
    val client = unauthorizedClient(hostname = "frame.client")
    assert(putToken(client, "frame.client/hub1", sas("frame.client/", time.instant().plusSeconds(60)))._1 == 202)
    assert(client.attachReceiver(reader).getSource != null)
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
