package org.apache.spark.eventhubs

/** How a client proves who it is. Equal credentials share connections; no `toString` shows a secret. */
sealed trait Credential extends Serializable

object Credential {
  final case class SharedKey(policyName: String, key: Secret) extends Credential
  final case class SharedAccessSignature(token: Secret) extends Credential
  final case class ClientSecret(tenantId: String, clientId: String, secret: Secret) extends Credential

  /** @param clientId of a user-assigned identity; None for the system-assigned one */
  final case class ManagedIdentity(clientId: Option[String]) extends Credential

  /** Federated token of a Kubernetes service account; what is None comes from the AZURE_* environment. */
  final case class WorkloadIdentity(tenantId: Option[String], clientId: Option[String]) extends Credential

  /** The Azure SDK's default chain: environment, workload identity, managed identity, developer tools. */
  case object DefaultAzure extends Credential
}

/** A value that must not be printed. */
final case class Secret(value: String) {
  override def toString: String = "***"
}
