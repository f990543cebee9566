package localhub.amqp

import java.time.Duration

import scala.jdk.CollectionConverters._

import org.apache.qpid.proton.amqp.Symbol
import org.apache.qpid.proton.amqp.transport.{Detach, End, Transfer}

import localhub.auth.Role
import localhub.authority.{Application, LocalAuthority, LocalAuthorityConfig}
import testkit.TestSuite

/** Bearer tokens on the links of a connection. */
class BearerLinkSuite extends TestSuite with CbsFixture {

  private val minute = Some(Duration.ofMinutes(1))

  private def newAuthority(): LocalAuthority = closing(LocalAuthority.start(LocalAuthorityConfig(clock = time)))

  test("a link whose bearer token has expired is detached after the time of grace, so that its client opens it again") {
    val authority = newAuthority()
    val client = unauthorizedClient(authority = Some(authority.tenant))
    val receiver = authority.register(Application("reader").withRole(Role.DataReceiver, "hub1"))
    assert(putToken(client, "sb://x/hub1", authority.token(receiver, lifetime = minute), "jwt") == (202 -> "Accepted"))
    client.attachReceiver(reader)
    time.now += 60000 + 299000
    send("0", "in the time of grace")
    client.flow(1)
    assert(client.receive().body.exists(_.isInstanceOf[Transfer]))
    time.now += 2000
    val error = client.expect[Detach].getError
    assert(error.getCondition.toString == "amqp:link:detach-forced")
    assert(error.getDescription.startsWith("Unauthorized access. 'Listen' claim(s) are required"))
  }

  test("a link survives when its bearer token is renewed in time, unless the application has lost its role") {
    val authority = newAuthority()
    val client = unauthorizedClient(authority = Some(authority.tenant))
    val receiver = authority.register(Application("reader").withRole(Role.DataReceiver, "hub1"))
    putToken(client, "sb://x/hub1", authority.token(receiver, lifetime = minute), "jwt")
    client.attachReceiver(reader)
    time.now += 50000
    putToken(client, "sb://x/hub1", authority.token(receiver, lifetime = minute), "jwt")
    time.now += 50000 + 300000
    send("0", "still there")
    client.flow(1)
    assert(client.receive().body.exists(_.isInstanceOf[Transfer]))
    authority.register(receiver.copy(roles = Nil))
    assert(putToken(client, "sb://x/hub1", authority.token(receiver), "jwt")._1 == 202)
    assert(client.attachReceiver(reader, handle = 1, name = "without-role").getSource == null)
    assert(client.expect[Detach].getError.getCondition.toString == "amqp:unauthorized-access")
    client.expect[End]
  }

  test("a refused bearer token is answered with 401 and the condition of the service") {
    val authority = newAuthority()
    val client = unauthorizedClient(authority = Some(authority.tenant))
    val token = authority.token(Application("reader"), lifetime = Some(Duration.ofMinutes(-1)))
    val expired = time.instant().minusSeconds(60).toString.replace('T', ' ')
    val answer = putTokenAnswer(client, "sb://x/hub1", token, "jwt").getApplicationProperties.getValue.asScala.toSeq
    assert(answer == Seq(
      "status-code" -> 401,
      "status-description" -> s"ExpiredToken: The token is expired. Expiration time: '$expired'",
      "error-condition" -> Symbol.valueOf("com.microsoft:auth-failed")
    ))
    assert(putToken(client, "sb://x/nohub", authority.token(Application("reader")), "jwt")._1 == 404)
  }

  test("a hub without an authority refuses bearer tokens, and unknown types of tokens, with what it expects") {
    val token = newAuthority().token(Application("reader"))
    val client = unauthorizedClient()
    val (status, text) = putToken(client, "sb://x/hub1", token, "jwt")
    assert(
      status == 401 && text.startsWith("InvalidIssuer: Token issuer is invalid.") && text.contains("--authority-port")
    )
    assert(putToken(
      client,
      "sb://x/hub1",
      token,
      "other"
    )._2.contains("expected 'servicebus.windows.net:sastoken' or 'jwt'"))
  }
}
