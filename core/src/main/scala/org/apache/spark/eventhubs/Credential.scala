package org.apache.spark.eventhubs

/** How a client authenticates. Equal credentials share connections. No `toString` shows a secret. */
private[eventhubs] sealed trait Credential extends Serializable

private[eventhubs] object Credential {
  final case class SharedKey(policyName: String, key: Secret) extends Credential
  final case class SharedAccessSignature(token: Secret) extends Credential

  /** A sign-in with Microsoft Entra ID. */
  sealed trait Entra extends Credential

  final case class ClientSecret(tenantId: String, clientId: String, secret: Secret) extends Entra

  /** @param clientId of a user-assigned identity; None for the system-assigned one */
  final case class ManagedIdentity(clientId: Option[String]) extends Entra

  /** Federated token of a Kubernetes service account. The AZURE_* environment variables replace ids that are None. */
  final case class WorkloadIdentity(tenantId: Option[String], clientId: Option[String]) extends Entra

  /** The Azure SDK's default chain: environment, workload identity, managed identity, developer tools. */
  case object DefaultAzure extends Entra
}

/** A value that no text shows. */
private[eventhubs] final case class Secret(value: String) {
  override def toString: String = "***"
}
