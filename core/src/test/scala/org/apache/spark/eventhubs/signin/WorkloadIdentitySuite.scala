package org.apache.spark.eventhubs.signin

import java.nio.file.Files
import java.util.Base64

import com.azure.core.credential.TokenRequestContext

import org.apache.spark.eventhubs.options.ProxySettings
import org.apache.spark.eventhubs.{Credential, EventHubsException}
import testkit.TestSuite

class WorkloadIdentitySuite extends TestSuite {

  private def credential(file: String, authority: String) =
    Credential.WorkloadIdentity(Some("contoso"), Some("reader"), Some(file), Some(authority))

  test("it signs in at an authority whose certificate the option trusts, and the JVM does not") {
    val service = new SignInService(200, """{"token_type": "Bearer", "expires_in": 3599, "access_token": "signed"}""")
    val (pem, token) = (Files.createTempFile("service", ".pem"), Files.createTempFile("federated", ""))
    try {
      val body = Base64.getMimeEncoder.encodeToString(service.certificate.getEncoded)
      Files.writeString(pem, s"-----BEGIN CERTIFICATE-----\n$body\n-----END CERTIFICATE-----\n")
      Files.writeString(token, "a.federated.token")
      val network = SignInNetwork(ProxySettings.Unset, Some(pem.toString))
      val request = new TokenRequestContext().addScopes("https://eventhubs.azure.net/.default")
      val signIn = EntraSignIn.of(credential(token.toString, service.address), network)
      assert(signIn.getToken(request).block().getToken == "signed")
    } finally {
      service.close()
      Seq(pem, token).foreach(Files.delete(_))
    }
  }

  test("a federated token that this machine does not have is named by its file") {
    val missing = intercept[EventHubsException](
      EntraSignIn.of(credential("/no/token", "https://localhost:1"), SignInNetwork.OfMachine)
    )
    val said = "'eventhubs.auth.federatedTokenFile' is '/no/token'; expected a file that"
    assert(missing.getMessage.contains(said), missing.getMessage)
  }
}
