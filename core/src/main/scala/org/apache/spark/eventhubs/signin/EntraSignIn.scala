package org.apache.spark.eventhubs.signin

import com.azure.core.credential.TokenCredential
import com.azure.identity.{
  ClientSecretCredentialBuilder,
  DefaultAzureCredentialBuilder,
  ManagedIdentityCredentialBuilder,
  WorkloadIdentityCredentialBuilder
}

import org.apache.spark.eventhubs.Credential

/** The Azure SDK's credential for each way to sign in with Microsoft Entra ID. Its failures are explained. */
private[eventhubs] object EntraSignIn {

  def of(credential: Credential.Entra, network: SignInNetwork): TokenCredential = credential match {
    case Credential.ClientSecret(tenant, client, secret) =>
      val builder = network.configure(new ClientSecretCredentialBuilder)
      val application = builder.tenantId(tenant).clientId(client).clientSecret(secret.value)
      explained(application.build(), s"application '$client' in tenant '$tenant'", service)
    case Credential.ManagedIdentity(client) =>
      val identity = network.configure(new ManagedIdentityCredentialBuilder)
      val who = client.fold("the system-assigned managed identity")(id => s"the managed identity '$id'")
      explained(client.fold(identity)(identity.clientId).build(), who, None)
    case Credential.WorkloadIdentity(tenant, client) =>
      val identity = network.configure(new WorkloadIdentityCredentialBuilder)
      tenant.foreach(identity.tenantId)
      client.foreach(identity.clientId)
      val application = client.fold("the workload identity")(id => s"the workload identity '$id'")
      explained(identity.build(), tenant.fold(application)(id => s"$application in tenant '$id'"), service)
    case Credential.DefaultAzure =>
      explained(
        network.configure(new DefaultAzureCredentialBuilder).build(),
        "the Azure identity of this machine",
        None
      )
  }

  private def service: Option[String] = Some(ExplainedSignIn.authorityHost)

  private def explained(credential: TokenCredential, who: String, service: Option[String]): TokenCredential =
    new ExplainedSignIn(credential, who, service)
}
