package localhub.authority

import java.time.Duration
import javax.net.ssl.SSLContext

import scala.jdk.CollectionConverters._

import com.azure.core.amqp.AmqpRetryOptions
import com.azure.core.amqp.exception.{AmqpErrorCondition, AmqpException}
import com.azure.core.credential.TokenCredential
import com.azure.messaging.eventhubs.models.{EventPosition, SendOptions}
import com.azure.messaging.eventhubs.{EventData, EventHubClientBuilder}

import localhub.auth.{Role, RoleAssignment}
import testkit.{Certificates, TestSuite}

/** The official Event Hubs SDK with bearer tokens: what the hub accepts, and how it refuses. */
class BearerTokenSuite extends TestSuite with AuthorityFixture {

  private val defaultContext = SSLContext.getDefault
  private val timeout = Duration.ofSeconds(30)

  // The SDK uses the JVM's trust store.
  override protected def beforeAll(): Unit = {
    super.beforeAll()
    SSLContext.setDefault(Certificates.trusting(Certificates.parse(hub.certificatePem.get)))
  }

  override protected def afterAll(): Unit = {
    SSLContext.setDefault(defaultContext)
    super.afterAll()
  }

  private def application(roles: RoleAssignment*): Application =
    authority.register(Application("pipeline", roles = roles).withSecret("secret"))

  private def signedIn(roles: RoleAssignment*): TokenCredential = withSecret(application(roles: _*), "secret")

  private def builder(credential: TokenCredential, group: String = "$Default"): EventHubClientBuilder =
    new EventHubClientBuilder()
      .credential("localhost", "telemetry", credential)
      .customEndpointAddress(s"https://localhost:${hub.tlsPort.get}")
      .consumerGroup(group)
      .retryOptions(new AmqpRetryOptions().setMaxRetries(0).setTryTimeout(timeout))

  private def send(credential: TokenCredential): Unit = {
    val producer = builder(credential).buildProducerClient()
    try producer.send(Seq(new EventData("x")).asJava, new SendOptions().setPartitionId("0"))
    finally producer.close()
  }

  private def read(credential: TokenCredential, group: String = "$Default"): Int = {
    val consumer = builder(credential, group).buildConsumerClient()
    try consumer.receiveFromPartition("0", 1, EventPosition.earliest(), timeout).stream.count.toInt
    finally consumer.close()
  }

  private def properties(credential: TokenCredential): String = {
    val producer = builder(credential).buildProducerClient()
    try producer.getEventHubProperties.getName
    finally producer.close()
  }

  /** Condition and text of the refusal. */
  private def refused(action: => Any): (AmqpErrorCondition, String) = {
    val failure = intercept[Exception](action)
    Iterator.iterate[Throwable](failure)(_.getCause).takeWhile(Option(_).nonEmpty)
      .collectFirst { case amqp: AmqpException => amqp.getErrorCondition -> amqp.getMessage }
      .getOrElse(throw new AssertionError("expected an AmqpException", failure))
  }

  test("an application that signed in sends, reads and asks for properties, as its role allows") {
    val owner = signedIn(RoleAssignment(Role.DataOwner))
    send(owner)
    assert(read(owner) == 1)
    assert(properties(owner) == "telemetry")
    send(signedIn(RoleAssignment(Role.DataSender, Some("telemetry"))))
    assert(read(signedIn(RoleAssignment(Role.DataReceiver, Some("telemetry")))) == 1)
    assert(properties(signedIn(RoleAssignment(Role.DataReceiver, Some("telemetry")))) == "telemetry")
  }

  test("a sender may not read, a receiver may not send; the text names the missing claim") {
    send(signedIn(RoleAssignment(Role.DataOwner)))
    val (reading, listen) = refused(read(signedIn(RoleAssignment(Role.DataSender, Some("telemetry")))))
    assert(reading == AmqpErrorCondition.UNAUTHORIZED_ACCESS)
    assert(listen.contains("Unauthorized access. 'Listen' claim(s) are required to perform this operation."))
    val (sending, claim) = refused(send(signedIn(RoleAssignment(Role.DataReceiver, Some("telemetry")))))
    assert(sending == AmqpErrorCondition.UNAUTHORIZED_ACCESS)
    assert(claim.contains("'Send' claim(s) are required"))
  }

  test("a role on a consumer group is for this group only") {
    send(signedIn(RoleAssignment(Role.DataOwner)))
    val receiver = signedIn(RoleAssignment(Role.DataReceiver, Some("telemetry"), Some("dashboards")))
    assert(read(receiver, "dashboards") == 1)
    assert(refused(read(receiver))._2.contains("'Listen' claim(s) are required"))
  }

  test("without a role on this hub nothing is allowed, not even its properties") {
    Seq(signedIn(), signedIn(RoleAssignment(Role.DataOwner, Some("alerts")))).foreach { stranger =>
      assert(refused(send(stranger))._2.contains("'Send' claim(s) are required"))
      assert(refused(properties(stranger))._1 == AmqpErrorCondition.UNAUTHORIZED_ACCESS)
    }
  }

  test("a token with a wrong audience or issuer, and an expired one, are refused in the service's words") {
    val owner = application(RoleAssignment(Role.DataOwner))
    val storage = authority.token(owner, audience = "https://storage.azure.com")
    val foreign = authority.token(owner, issuer = Some("https://sts.windows.net/other/"))
    val expired = authority.token(owner, lifetime = Some(Duration.ofMinutes(-1)))
    Seq(
      storage -> "InvalidAudience: Invalid authorization token audience.",
      foreign -> "InvalidIssuer: Token issuer is invalid.",
      expired -> "ExpiredToken: The token is expired. Expiration time: '"
    ).foreach { case (token, text) =>
      val (condition, said) = refused(send(fixed(token)))
      assert(condition == AmqpErrorCondition.UNAUTHORIZED_ACCESS && said.contains(text), said)
      assert(refused(properties(fixed(token)))._2.contains(text))
    }
  }

  test("a clock that is ahead is tolerated for five minutes") {
    val owner = application(RoleAssignment(Role.DataOwner))
    authority.setClockOffset(Duration.ofMinutes(4))
    send(fixed(authority.token(owner)))
    authority.setClockOffset(Duration.ofMinutes(6))
    assert(refused(send(fixed(authority.token(owner))))._2.contains("InvalidToken: The token is not valid yet."))
    authority.setClockOffset(Duration.ofHours(-2))
    assert(refused(send(fixed(authority.token(owner))))._2.contains("ExpiredToken"))
  }

  test("shared access signatures are accepted next to bearer tokens") {
    val connection = s"${hub.tlsConnectionString.get};EntityPath=telemetry"
    val producer = new EventHubClientBuilder().connectionString(connection).buildProducerClient()
    try assert(producer.getEventHubProperties.getName == "telemetry")
    finally producer.close()
  }
}
