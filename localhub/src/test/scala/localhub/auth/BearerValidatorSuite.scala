package localhub.auth

import java.security.{KeyPair, KeyPairGenerator, PublicKey}
import java.time.{Duration, Instant}

import localhub.log.ManualClock
import testkit.TestSuite

/** Which bearer tokens the hub accepts, and what they allow. */
class BearerValidatorSuite extends TestSuite {

  private val keys = newKeys()
  private val time = new ManualClock(Instant.parse("2026-01-01T00:00:00Z").toEpochMilli)
  private val issuer = "https://localhost:1/tenant/"
  private val resource = "sb://localhost/telemetry"

  private def newKeys(): KeyPair = {
    val generator = KeyPairGenerator.getInstance("RSA")
    generator.initialize(2048)
    generator.generateKeyPair()
  }

  private def validator(assignments: RoleAssignment*): BearerValidator = {
    val bearer = new BearerValidator(time)
    bearer.use(Some(new BearerAuthority {
      override def issuers: Set[String] = Set(issuer)
      override def key(id: String): Option[PublicKey] = Option.when(id == "k1")(keys.getPublic)
      override def roles(objectId: String): Seq[RoleAssignment] = if (objectId == "app") assignments else Nil
    }))
    bearer
  }

  private def claims(changes: (String, ujson.Value)*): ujson.Obj = {
    val now = time.instant().getEpochSecond.toDouble
    val usual = Seq[(String, ujson.Value)](
      "iss" -> issuer,
      "aud" -> "https://eventhubs.azure.net",
      "nbf" -> now,
      "exp" -> (now + 60),
      "oid" -> "app"
    )
    ujson.Obj.from(usual ++ changes)
  }

  private def token(changes: (String, ujson.Value)*): String =
    JsonWebToken.sign("k1", claims(changes: _*), keys.getPrivate)

  private def refusal(token: String): String =
    validator(RoleAssignment(Role.DataOwner)).authorize(
      token,
      resource,
      "localhost"
    ).left.map(_.description).left.getOrElse("accepted")

  private def allows(grant: Grant, claim: Claim, path: String): Boolean = grant.allows(Access(claim, path))

  test("a token of the authority is accepted until it expires") {
    val grant = validator(RoleAssignment(Role.DataOwner)).authorize(token(), resource, "localhost")
    assert(grant.map(_.expiresAt) == Right(time.instant().plusSeconds(60)))
    assert(grant.exists(allows(_, Claim.Send, "telemetry")))
  }

  test("the audience is Event Hubs, Service Bus or the namespace") {
    val accepted = Seq(
      "https://eventhubs.azure.net",
      "https://eventhubs.azure.net/",
      "https://servicebus.azure.net",
      "https://localhost",
      "https://ns.servicebus.windows.net"
    )
    accepted.foreach { audience =>
      val result = validator().authorize(token("aud" -> audience), resource, "ns.servicebus.windows.net")
      assert(result.isRight, audience)
    }
    Seq("https://storage.azure.com", "https://other.servicebus.windows.net", "eventhubs.azure.net", "").foreach {
      audience =>
        assert(refusal(token("aud" -> audience)).startsWith("InvalidAudience: Invalid authorization token"), audience)
    }
    assert(refusal(token("aud" -> ujson.Arr("https://storage.azure.com", "https://eventhubs.azure.net"))) == "accepted")
  }

  test("a token of another issuer, or of another key, is refused") {
    assert(
      refusal(token("iss" -> "https://sts.windows.net/other/")).startsWith("InvalidIssuer: Token issuer is invalid.")
    )
    val foreign = JsonWebToken.sign("k1", claims(), newKeys().getPrivate)
    assert(refusal(foreign).startsWith("InvalidSignature: The token has an invalid signature"))
    assert(refusal(JsonWebToken.sign("k2", claims(), keys.getPrivate)).startsWith("InvalidSignature"))
  }

  test("a token that was changed is refused, and so is one without a signature") {
    val Array(header, _, signature) = token().split('.'): @unchecked
    val other = JsonWebToken.encode(ujson.write(claims("exp" -> 4e9)).getBytes)
    assert(refusal(s"$header.$other.$signature").startsWith("InvalidSignature"))
    val none = JsonWebToken.encode("""{"alg":"none","kid":"k1"}""".getBytes)
    assert(refusal(s"$none.$other.").startsWith("InvalidSignature"))
    val symmetric = JsonWebToken.encode("""{"alg":"HS256","kid":"k1"}""".getBytes)
    assert(refusal(s"$symmetric.$other.$signature").startsWith("InvalidSignature"))
    Seq("a.b", "a.b.c", "", s"$header.$other").foreach(text => assert(refusal(text).startsWith("MalformedToken"), text))
  }

  test("an expired token is refused; the clock of the authority may be five minutes ahead") {
    val now = time.instant().getEpochSecond.toDouble
    assert(
      refusal(token("exp" -> now)) == "ExpiredToken: The token is expired. Expiration time: '2026-01-01 00:00:00Z'"
    )
    val skew = Duration.ofMinutes(5).toSeconds.toDouble
    assert(refusal(token("nbf" -> (now + skew), "exp" -> (now + skew + 60))) == "accepted")
    assert(refusal(token(
      "nbf" -> (now + skew + 1),
      "exp" -> (now + 999)
    )).startsWith("InvalidToken: The token is not valid yet."))
    assert(
      refusal(token("exp" -> "soon")).startsWith("ExpiredToken"),
      "a token without an expiry is not valid for ever"
    )
  }

  test("roles give claims on the namespace, on an event hub, or on a consumer group") {
    val bearer = validator(
      RoleAssignment(Role.DataSender, Some("telemetry")),
      RoleAssignment(Role.DataReceiver, Some("Telemetry"), Some("Dashboards"))
    )
    val grant = bearer.authorize(token(), resource, "localhost").toOption.get
    assert(allows(grant, Claim.Send, "telemetry/Partitions/0"))
    assert(allows(grant, Claim.Listen, "telemetry/ConsumerGroups/dashboards/Partitions/0"))
    assert(!allows(grant, Claim.Listen, "telemetry/ConsumerGroups/$Default/Partitions/0"))
    assert(!allows(grant, Claim.Send, "alerts"))
    val owner =
      validator(RoleAssignment(Role.DataOwner)).authorize(token(), "sb://localhost/", "localhost").toOption.get
    assert(allows(owner, Claim.Listen, "any/ConsumerGroups/x/Partitions/0") && allows(owner, Claim.Send, "any"))
  }

  test("a token allows nothing outside of the resource that it was put for") {
    val grant = validator(RoleAssignment(Role.DataOwner)).authorize(token(), resource, "localhost").toOption.get
    assert(!allows(grant, Claim.Send, "alerts"))
  }

  test("an application without a role gets a grant that allows nothing") {
    val grant = validator().authorize(token(), resource, "localhost").toOption.get
    assert(!allows(grant, Claim.Listen, "telemetry") && !grant.concerns(ResourcePath("telemetry")))
  }

  test("without an authority every bearer token is refused, and the text says how to start one") {
    val bearer = new BearerValidator(time)
    assert(bearer.authorize(token(), resource, "").left.exists(_.description.contains("--authority-port")))
  }

  test("a role has its name with and without the service's") {
    assert(Role.named("Azure Event Hubs Data Sender").contains(Role.DataSender))
    assert(Role.named("data receiver").contains(Role.DataReceiver) && Role.named("Reader").isEmpty)
    assert(intercept[IllegalArgumentException](RoleAssignment(
      Role.DataSender,
      None,
      Some("g")
    )).getMessage.contains("event hub"))
  }
}
