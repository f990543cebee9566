package org.apache.spark.eventhubs

/** How a client authenticates. Equal credentials share connections. No `toString` shows a secret. */
private[eventhubs] sealed trait Credential extends Serializable

private[eventhubs] object Credential {

  /** A shared access policy's key, or a signature made with it. */
  sealed trait SharedAccess extends Credential {

    /** The key or the signature. */
    def secret: Secret
  }

  final case class SharedKey(policyName: String, key: Secret) extends SharedAccess {
    override def secret: Secret = key

    /** Policy and key as they are now. */
    def current: (String, String) = key match {
      case named: NamedKey => named.current
      case other => (policyName, other.value)
    }
  }

  final case class SharedAccessSignature(token: Secret) extends SharedAccess {
    override def secret: Secret = token
  }

  /** A sign-in with Microsoft Entra ID. An `authority` is the address of its service; None is the SDK's choice. */
  sealed trait Entra extends Credential

  final case class ClientSecret(tenantId: String, clientId: String, secret: Secret, authority: Option[String] = None)
      extends Entra

  /** @param file a PEM or PFX file with certificate and private key, on the driver and every executor */
  final case class ClientCertificate(
      tenantId: String,
      clientId: String,
      file: String,
      password: Option[Secret],
      authority: Option[String] = None
  ) extends Entra

  /** @param clientId of a user-assigned identity; None for the system-assigned one */
  final case class ManagedIdentity(clientId: Option[String]) extends Entra

  /** Federated token of a Kubernetes service account. The AZURE_* environment variables replace what is None. */
  final case class WorkloadIdentity(
      tenantId: Option[String],
      clientId: Option[String],
      tokenFile: Option[String] = None,
      authority: Option[String] = None
  ) extends Entra

  /** The Azure SDK's default chain: environment, workload identity, managed identity, developer tools. */
  final case class DefaultAzure(authority: Option[String] = None) extends Entra

  /** @param className of a `TokenProvider` */
  final case class Provided(className: String, parameters: Map[String, Secret]) extends Entra
}

/** A value that no text shows. Equal secrets have one text, or one place where they are kept. */
private[eventhubs] trait Secret extends Serializable {

  /** @throws EventHubsException EVENTHUBS_INVALID_OPTION if this machine does not have it */
  def value: String

  final override def toString: String = "***"
}

/** A key that is kept together with the name of its policy, so that both change at once. */
private[eventhubs] trait NamedKey extends Secret {

  /** Policy and key, of one reading. */
  def current: (String, String)

  final override def value: String = current._2
}

private[eventhubs] object Secret {
  def apply(text: String): Secret = PlainSecret(text)
}

private[eventhubs] final case class PlainSecret(value: String) extends Secret
