package org.apache.spark.eventhubs.signin

import com.azure.core.credential.TokenRequestContext

import org.apache.spark.eventhubs.Credential
import org.apache.spark.eventhubs.connection.HttpProxyVariable
import testkit.TestSuite

/** Sign-ins with what a machine has, on a machine that has nothing. */
class MachineSignInSuite extends TestSuite {

  private val request = new TokenRequestContext().addScopes("https://eventhubs.azure.net/.default")

  /** The text of the failure when nothing answers at the endpoint of the virtual machine. */
  private def refusal(credential: Credential.Entra): String = {
    var said = ""
    HttpProxyVariable.setAll("AZURE_POD_IDENTITY_AUTHORITY_HOST" -> "http://127.0.0.1:1") {
      val signIn = EntraSignIn.of(credential, SignInNetwork.OfMachine)
      said = intercept[Throwable](signIn.getToken(request).block()).getMessage
    }
    said
  }

  test("the default chain says of each of its members why it gives no token") {
    val said = refusal(Credential.DefaultAzure())
    Seq("EnvironmentCredential", "WorkloadIdentityCredential", "ManagedIdentityCredential", "Azure CLI").foreach {
      member =>
        assert(said.contains(member), said)
    }
    assert(!said.contains("https:") && said.linesIterator.size == 1)
  }

  test("a managed identity names the endpoint that does not answer") {
    val said = refusal(Credential.ManagedIdentity(None))
    assert(said.contains("the system-assigned managed identity at http://127.0.0.1:1"), said)
  }
}
