package org.apache.spark.eventhubs.options

import org.apache.spark.eventhubs.credentials.{CertificateFile, Machine, ProviderClass}
import org.apache.spark.eventhubs.{Credential, EventHubsErrors, Secret}

/** The values of `eventhubs.auth.type`, each with the options that it uses. */
private[eventhubs] sealed abstract class AuthenticationType(val word: String)

private[eventhubs] object AuthenticationType {
  import ConnectionOptions._

  case object Sas extends AuthenticationType("sas")
  case object ClientSecret extends AuthenticationType("clientSecret")
  case object ClientCertificate extends AuthenticationType("clientCertificate")
  case object ManagedIdentity extends AuthenticationType("managedIdentity")
  case object WorkloadIdentity extends AuthenticationType("workloadIdentity")
  case object Default extends AuthenticationType("default")
  case object CredentialProvider extends AuthenticationType("credentialProvider")

  val all: Seq[AuthenticationType] =
    Seq(Sas, ClientSecret, ClientCertificate, ManagedIdentity, WorkloadIdentity, Default, CredentialProvider)

  private def usedOptions(authType: AuthenticationType): Seq[EventHubsOption[String]] = authType match {
    case Sas => Seq(SasToken)
    case ClientSecret => Seq(TenantId, ClientId, ConnectionOptions.ClientSecret, AuthorityHost)
    case ClientCertificate => Seq(TenantId, ClientId, CertificatePath, CertificatePassword, AuthorityHost)
    case ManagedIdentity => Seq(ClientId)
    case WorkloadIdentity => Seq(TenantId, ClientId, FederatedTokenFile, AuthorityHost)
    case Default => Seq(AuthorityHost)
    case CredentialProvider => Seq(ConnectionOptions.CredentialProvider, TokenParameters)
  }

  /** Options that need an authentication type. Lazy, because the option table uses `all`. */
  private lazy val credentialOptions = all.flatMap(usedOptions).distinct

  /** Options that are enough without the type. */
  private lazy val sufficient = Seq(SasToken -> Sas, ConnectionOptions.CredentialProvider -> CredentialProvider)

  /**
   * The credential, after a check that this machine has the files, variables and classes that it names.
   *
   * @param fromString the connection string's credential
   * @throws EventHubsException if there is no credential, more than one, or one that is incomplete
   */
  def credential(options: ParsedOptions, fromString: Option[Credential]): Credential = {
    val chosen = options.get(AuthType).orElse(implied(options))
    credentialOptions.filter(options.isSet).find(option => !chosen.exists(usedOptions(_).contains(option))).foreach {
      option =>
        throw chosen.fold(missingType)(authType =>
          EventHubsErrors.conflictingOptions(
            s"'${option.key}' is set and '${AuthType.key}' is '${authType.word}', which does not use it",
            "Remove it, or choose a type that uses it."
          )
        )
    }
    (chosen, fromString) match {
      case (None, Some(credential)) => credential
      case (Some(Sas), Some(credential)) if !options.isSet(SasToken) => credential
      case (None, None) => throw missingType
      case (Some(authType), None) => fromOptions(authType, options)
      case (Some(authType), Some(_)) =>
        throw EventHubsErrors.conflictingOptions(
          s"'${ConnectionOptions.ConnectionString.key}' has a credential and '${AuthType.key}' is '${authType.word}'",
          "Keep only Endpoint and EntityPath in the connection string, or remove the 'eventhubs.auth' options."
        )
    }
  }

  private def implied(options: ParsedOptions): Option[AuthenticationType] =
    sufficient.filter { case (option, _) => options.isSet(option) } match {
      case Seq((first, _), (second, _)) =>
        throw EventHubsErrors.conflictingOptions(
          s"'${first.key}' and '${second.key}' are set, which are two ways to sign in",
          "Remove one of them."
        )
      case found => found.headOption.map(_._2)
    }

  private def fromOptions(authType: AuthenticationType, options: ParsedOptions): Credential = {
    def needed[A](option: EventHubsOption[String], value: Option[A]): A = value.getOrElse {
      throw EventHubsErrors.missingOption(option.key, s"'${AuthType.key}' = '${authType.word}' needs it.")
    }
    def text(option: EventHubsOption[String]): String = needed(option, options.get(option))
    def secret(option: EventHubsOption[String]): Secret = needed(option, options.availableSecret(option))
    val authority = options.get(AuthorityHost)
    authType match {
      case Sas => Credential.SharedAccessSignature(secret(SasToken))
      case ClientSecret =>
        Credential.ClientSecret(text(TenantId), text(ClientId), secret(ConnectionOptions.ClientSecret), authority)
      case ClientCertificate =>
        val (file, password) = (text(CertificatePath), options.availableSecret(CertificatePassword))
        val credential = Credential.ClientCertificate(text(TenantId), text(ClientId), file, password, authority)
        CertificateFile.read(file, password)
        credential
      case ManagedIdentity => Credential.ManagedIdentity(options.get(ClientId))
      case WorkloadIdentity =>
        Credential.WorkloadIdentity(
          options.get(TenantId),
          options.get(ClientId),
          options.get(FederatedTokenFile).map(checkedFile(_)),
          authority
        )
      case Default => Credential.DefaultAzure(authority)
      case CredentialProvider => provided(text(ConnectionOptions.CredentialProvider), options)
    }
  }

  private def checkedFile(path: String): String = {
    Machine.checkFile(FederatedTokenFile.key, path)
    path
  }

  private def provided(className: String, options: ParsedOptions): Credential = {
    val parameters = options.get(TokenParameters).fold(Map.empty[String, Secret]) { json =>
      ProviderClass.parameters(json).fold(
        expected => throw options.invalid(TokenParameters, expected),
        identity
      )
    }
    parameters.values.foreach(_.value)
    ProviderClass.check(className, parameters)
    Credential.Provided(className, parameters)
  }

  private def missingType = {
    val words = all.filter(_ != Sas).map(authType => s"'${authType.word}'").mkString(", ")
    EventHubsErrors.missingOption(
      AuthType.key,
      s"Set it to $words or 'sas', or set a connection string with a key."
    )
  }
}
