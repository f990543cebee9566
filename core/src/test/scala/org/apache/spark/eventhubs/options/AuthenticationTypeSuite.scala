package org.apache.spark.eventhubs.options

import org.apache.spark.eventhubs.{Credential, EventHubsException, Secret}
import testkit.TestSuite

class AuthenticationTypeSuite extends TestSuite {

  private val key: Credential = Credential.SharedKey("reader", Secret("key"))

  private def credential(fromString: Option[Credential], options: (String, String)*): Credential =
    AuthenticationType.credential(
      OptionsParser.parse(options.map { case (name, text) => s"eventhubs.auth.$name" -> text }.toMap),
      fromString
    )

  private def refused(fromString: Option[Credential], options: (String, String)*): EventHubsException =
    intercept[EventHubsException](credential(fromString, options: _*))

  test("the connection string's key is the credential, with or without type sas") {
    assert(credential(Some(key)) == key)
    assert(credential(Some(key), "type" -> "sas") == key)
  }

  test("a SAS token needs no type") {
    assert(credential(None, "sasToken" -> "t") == Credential.SharedAccessSignature(Secret("t")))
    assert(credential(None, "type" -> "sas", "sasToken" -> "t") == Credential.SharedAccessSignature(Secret("t")))
  }

  test("each type uses its options") {
    assert(credential(None, "type" -> "clientSecret", "tenantId" -> "t", "clientId" -> "c", "clientSecret" -> "s") ==
      Credential.ClientSecret("t", "c", Secret("s")))
    assert(credential(None, "type" -> "managedIdentity") == Credential.ManagedIdentity(None))
    assert(credential(None, "type" -> "managedIdentity", "clientId" -> "c") == Credential.ManagedIdentity(Some("c")))
    assert(credential(None, "type" -> "workloadIdentity", "tenantId" -> "t") ==
      Credential.WorkloadIdentity(Some("t"), None))
    assert(credential(None, "type" -> "default") == Credential.DefaultAzure())
  }

  test("a missing credential is rejected, and the error lists the alternatives") {
    val error = refused(None)
    assert(error.getCondition == "EVENTHUBS_MISSING_OPTION")
    assert(
      error.getMessage.contains("'eventhubs.auth.type'") && error.getMessage.contains("connection string with a key")
    )
  }

  test("a part of a credential without a type is rejected, with or without a key") {
    assert(refused(None, "clientId" -> "c").getCondition == "EVENTHUBS_MISSING_OPTION")
    assert(refused(Some(key), "clientId" -> "c").getCondition == "EVENTHUBS_MISSING_OPTION")
  }

  test("the error for a missing part of a credential names the option") {
    val error = refused(None, "type" -> "clientSecret", "tenantId" -> "t", "clientId" -> "c")
    assert(error.getMessage.contains("'eventhubs.auth.clientSecret' is not set"))
    assert(refused(None, "type" -> "sas").getMessage.contains("'eventhubs.auth.sasToken' is not set"))
  }

  test("an authority is a cloud's name or an address, and belongs to the types that ask it") {
    val secret = Seq("type" -> "clientSecret", "tenantId" -> "t", "clientId" -> "c", "clientSecret" -> "s")
    def at(text: String) = credential(None, secret :+ ("authorityHost" -> text): _*)
    val government = Credential.ClientSecret("t", "c", Secret("s"), Some("https://login.microsoftonline.us"))
    assert(at("azureUSGovernment") == government && at("https://login.microsoftonline.us/") == government)
    assert(credential(None, "type" -> "default", "authorityHost" -> "https://localhost:8443") ==
      Credential.DefaultAzure(Some("https://localhost:8443")))
    val unfit = Seq("http://localhost", "login.contoso.com", "https://login.microsoftonline.com/tenant", "Azure")
    unfit.foreach { text =>
      val error = intercept[EventHubsException](at(text))
      assert(error.getCondition == "EVENTHUBS_INVALID_OPTION" && error.getMessage.contains(s"'$text'"))
    }
    assert(refused(None, "type" -> "managedIdentity", "authorityHost" -> "AzureCloud").getCondition ==
      "EVENTHUBS_CONFLICTING_OPTIONS")
  }

  test("a secret that is kept elsewhere is named in the credential, and looked for at once") {
    val kept = credential(None, "sasToken" -> "{env:PATH}")
    assert(kept.asInstanceOf[Credential.SharedAccessSignature].token.value == System.getenv("PATH"))
    assert(kept == credential(None, "sasToken" -> "{env:PATH}") && !kept.toString.contains(System.getenv("PATH")))
    val error = refused(None, "sasToken" -> "{env:NO_SUCH_VARIABLE}")
    assert(error.getMessage.contains("'eventhubs.auth.sasToken' is '{env:NO_SUCH_VARIABLE}'; expected an environment"))
  }

  test("two ways to sign in are rejected, without a type too") {
    val error = refused(None, "sasToken" -> "t", "credentialProvider" -> "com.contoso.Tokens")
    assert(error.getCondition == "EVENTHUBS_CONFLICTING_OPTIONS")
    assert(error.getMessage.contains("'eventhubs.auth.sasToken' and 'eventhubs.auth.credentialProvider'"))
  }

  test("a federated token's file is on this machine") {
    val error = refused(None, "type" -> "workloadIdentity", "federatedTokenFile" -> "/no/such/token")
    assert(error.getMessage.contains("'eventhubs.auth.federatedTokenFile' is '/no/such/token'; expected a file"))
  }

  test("an option that the type does not use is rejected") {
    val error = refused(None, "type" -> "managedIdentity", "clientSecret" -> "s3cret")
    assert(error.getCondition == "EVENTHUBS_CONFLICTING_OPTIONS")
    assert(!error.getMessage.contains("s3cret"))
  }

  test("two credentials are rejected") {
    assert(refused(Some(key), "type" -> "default").getCondition == "EVENTHUBS_CONFLICTING_OPTIONS")
    assert(refused(Some(key), "sasToken" -> "t").getCondition == "EVENTHUBS_CONFLICTING_OPTIONS")
  }
}
