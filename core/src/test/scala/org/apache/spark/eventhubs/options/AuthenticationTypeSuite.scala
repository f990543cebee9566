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
    assert(credential(None, "type" -> "default") == Credential.DefaultAzure)
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
