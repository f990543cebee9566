package org.apache.spark.eventhubs.signin

import java.net.http.HttpClient
import java.nio.file.{Files, Paths}
import java.time.{Duration, OffsetDateTime}
import java.util.regex.Pattern

import scala.jdk.CollectionConverters._

import com.azure.core.credential.{AccessToken, TokenRequestContext}
import com.azure.core.http.jdk.httpclient.JdkHttpClientBuilder
import com.azure.core.http.policy.{FixedDelayOptions, RetryOptions}
import com.azure.identity.ClientSecretCredentialBuilder
import reactor.core.publisher.Sinks

import org.apache.spark.eventhubs.connection.SdkErrors
import org.apache.spark.eventhubs.{EventHubName, EventHubsException}
import testkit.TestSuite

/** What users read when the Azure SDK cannot sign in an application. */
class ExplainedSignInSuite extends TestSuite {

  private val WrongSecret =
    """{"error": "invalid_client", "error_codes": [7000215], "error_description":
    "AADSTS7000215: Invalid client secret provided. Trace ID: 0a1b Correlation ID: 2c3d Timestamp: 2026-11-25 17:00:00Z"}"""

  private def failureAt(service: SignInService): (Throwable, EventHubsException) = {
    val trusting = HttpClient.newBuilder.sslContext(service.context)
    val credential = new ClientSecretCredentialBuilder()
      .tenantId("contoso")
      .clientId("reader")
      .clientSecret("hunter2")
      .authorityHost(service.address)
      .disableInstanceDiscovery()
      .httpClient(new JdkHttpClientBuilder(trusting).build())
      .retryOptions(new RetryOptions(new FixedDelayOptions(1, Duration.ofMillis(10))))
      .build()
    val signIn = new ExplainedSignIn(credential, "application 'reader' in tenant 'contoso'", Some(service.address))
    val request = new TokenRequestContext().addScopes("https://eventhubs.azure.net/.default")
    val failed = intercept[Throwable](signIn.getToken(request).toFuture.get())
    val hub = EventHubName("contoso.servicebus.windows.net", "telemetry")
    (failed, SdkErrors.translate(failed, hub, "asking for the hub's properties"))
  }

  test("a wrong client secret is a refused sign-in, with application, tenant and authority, and is final") {
    val service = new SignInService(401, WrongSecret)
    val (failed, shown) =
      try failureAt(service)
      finally service.close()
    assert(shown.getCondition == "EVENTHUBS_AUTHENTICATION" && !SdkErrors.isTransient(failed))
    assertOnPage("wrong client secret", shown.getMessage)
    assert(!shown.getMessage.contains("hunter2"))
  }

  test("a sign-in host that cannot be reached is named, and may come back") {
    val service = new SignInService(200, "")
    service.close()
    val (failed, shown) = failureAt(service)
    assert(shown.getCondition == "EVENTHUBS_UNREACHABLE" && SdkErrors.isTransient(failed))
    assertOnPage("unreachable sign-in host", shown.getMessage)
    assert(shown.getMessage.contains(service.address))
  }

  test("a busy or failing sign-in service is named with its status, and may recover") {
    Seq(429, 503).foreach { status =>
      val service = new SignInService(status, """{"error": "temporarily_unavailable"}""")
      val (failed, shown) =
        try failureAt(service)
        finally service.close()
      assert(shown.getCondition == "EVENTHUBS_UNREACHABLE" && SdkErrors.isTransient(failed), shown.getMessage)
      val said = s"the sign-in service at ${service.address} answers with status $status to application 'reader'"
      assert(shown.getMessage.contains(said))
    }
  }

  test("a sign-in that its caller has given up, or that still waits, is named until there is a token") {
    val answer = Sinks.one[AccessToken]()
    var seconds = 0
    val who = "application 'reader' in tenant 'contoso'"
    val signIn = new ExplainedSignIn(_ => answer.asMono, who, Some("https://b"), nanos = () => seconds * 1000000000L)
    def found: Option[Throwable] = signIn.lastFailure("hubs", Duration.ofSeconds(60))
    def assertNamed(): Unit = {
      val failed = found.getOrElse(fail("not named"))
      assert(failed.getMessage == s"no connection for the sign-in of $who at https://b: no answer within 5 s")
      assert(SdkErrors.isTransient(failed))
    }
    val request = new TokenRequestContext().addScopes("hubs")
    val waiting = signIn.getToken(request).subscribe()
    assert(found.isEmpty)
    seconds += 5
    assertNamed()
    assert(signIn.lastFailure("storage", Duration.ofSeconds(60)).isEmpty)
    waiting.dispose()
    assertNamed()

    val short = signIn.getToken(request).subscribe()
    answer.tryEmitValue(new AccessToken("token", OffsetDateTime.now.plusHours(1))).orThrow()
    assert(short.isDisposed && found.isEmpty)
  }

  /** The table of mistakes in docs/errors.md has the message. There, `...` stands for any characters. */
  private def assertOnPage(mistake: String, message: String): Unit = {
    val page = Iterator.iterate(Paths.get("").toAbsolutePath)(_.getParent).map(_.resolve("docs/errors.md"))
      .find(Files.exists(_)).get
    val row = Files.readAllLines(page).asScala.find(_.startsWith(s"| $mistake |"))
    val text = row.map(_.split(" \\| ", 3).last.stripSuffix(" |")).getOrElse(fail(s"no row '$mistake' for: $message"))
    val expected = text.split(Pattern.quote("...")).map(Pattern.quote).mkString(".*")
    assert(message.matches(expected), s"the page says: $text")
    ()
  }
}
