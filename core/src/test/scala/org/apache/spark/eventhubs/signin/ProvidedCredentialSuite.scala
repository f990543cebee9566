package org.apache.spark.eventhubs.signin

import java.io.{IOException, PrintWriter, StringWriter}
import java.time.Instant

import com.azure.core.credential.TokenRequestContext

import org.apache.spark.eventhubs.connection.SdkErrors
import org.apache.spark.eventhubs.credentials.{ProvidedToken, TokenProvider}
import org.apache.spark.eventhubs.{EventHubName, EventHubsException, Secret}
import testkit.TestSuite

/** A user's class that gives tokens, and what its failures become. */
class ProvidedCredentialSuite extends TestSuite {

  private val request = new TokenRequestContext().addScopes("https://eventhubs.azure.net/.default")

  private def signIn(provider: TokenProvider) =
    new ExplainedSignIn(
      new ProvidedCredential(provider, Seq(Secret("hunter2"), Secret("b"))),
      "the class 'Tokens'",
      None
    )

  private def failure(thrown: => Throwable): (Throwable, EventHubsException) = {
    val failed = intercept[Throwable](signIn((_: String) => throw thrown).getToken(request).toFuture.get())
    (failed, SdkErrors.translate(failed, EventHubName("contoso", "telemetry"), "asking"))
  }

  test("a token is kept until it is about to expire") {
    var asked = 0
    val credential = signIn { (scope: String) =>
      asked += 1
      new ProvidedToken(s"$scope $asked", Instant.now.plusSeconds(3600))
    }
    val tokens = Seq.fill(2)(credential.getToken(request).block().getToken)
    assert(tokens == Seq.fill(2)("https://eventhubs.azure.net/.default 1"))
  }

  test("a lost connection is retried; any other failure is final, also with a lost connection as its cause") {
    val (lost, _) = failure(new IOException("reset"))
    assert(SdkErrors.isTransient(lost))
    val (failed, shown) = failure(new IllegalStateException("the vault is locked", new IOException("reset")))
    assert(shown.getCondition == "EVENTHUBS_AUTHENTICATION" && !SdkErrors.isTransient(failed))
    assert(shown.getMessage.contains("the vault is locked"))
  }

  test("no failure shows the value of a parameter, and a value of one letter is not masked") {
    val quoting = new IllegalStateException("hunter2 is wrong for bob", new RuntimeException("sent hunter2"))
    Seq(quoting, new IOException("hunter2 was not sent for bob", quoting)).foreach { thrown =>
      val (_, shown) = failure(thrown)
      val trace = new StringWriter
      shown.printStackTrace(new PrintWriter(trace))
      assert(shown.getMessage.contains("***") && shown.getMessage.contains("for bob"), shown.getMessage)
      assert(!trace.toString.contains("hunter2"))
    }
  }

  test("a class of the provider that is in no jar is named") {
    val (failed, shown) = failure(new NoClassDefFoundError("com/contoso/Vault"))
    assert(shown.getCondition == "EVENTHUBS_AUTHENTICATION" && !SdkErrors.isTransient(failed))
    assert(shown.getMessage.contains("NoClassDefFoundError: com/contoso/Vault"))
  }
}
