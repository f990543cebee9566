package org.apache.spark.eventhubs.options

import org.apache.spark.eventhubs.{Credential, EventHubsErrors, Secret}

/** The values of `eventhubs.auth.type`, each with the options that it uses. */
private[eventhubs] sealed abstract class AuthenticationType(val word: String)

private[eventhubs] object AuthenticationType {
  import ConnectionOptions.{AuthType, ClientId, SasToken, TenantId}

  case object Sas extends AuthenticationType("sas")
  case object ClientSecret extends AuthenticationType("clientSecret")
  case object ManagedIdentity extends AuthenticationType("managedIdentity")
  case object WorkloadIdentity extends AuthenticationType("workloadIdentity")
  case object Default extends AuthenticationType("default")

  /** Options that need an authentication type. */
  private val credentialOptions = Seq(TenantId, ClientId, ConnectionOptions.ClientSecret, SasToken)

  private def usedOptions(authType: AuthenticationType): Seq[EventHubsOption[String]] = authType match {
    case Sas => Seq(SasToken)
    case ClientSecret => Seq(TenantId, ClientId, ConnectionOptions.ClientSecret)
    case ManagedIdentity => Seq(ClientId)
    case WorkloadIdentity => Seq(TenantId, ClientId)
    case Default => Nil
  }

  /**
   * @param fromString the connection string's credential
   * @throws EventHubsException if there is no credential or more than one
   */
  def credential(options: ParsedOptions, fromString: Option[Credential]): Credential = {
    val chosen = options.get(AuthType).orElse(Option.when(options.isSet(SasToken))(Sas))
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

  private def fromOptions(authType: AuthenticationType, options: ParsedOptions): Credential = {
    def needed(option: EventHubsOption[String]): String = options.get(option).getOrElse {
      throw EventHubsErrors.missingOption(option.key, s"'${AuthType.key}' = '${authType.word}' needs it.")
    }
    authType match {
      case Sas => Credential.SharedAccessSignature(Secret(needed(SasToken)))
      case ClientSecret =>
        Credential.ClientSecret(needed(TenantId), needed(ClientId), Secret(needed(ConnectionOptions.ClientSecret)))
      case ManagedIdentity => Credential.ManagedIdentity(options.get(ClientId))
      case WorkloadIdentity => Credential.WorkloadIdentity(options.get(TenantId), options.get(ClientId))
      case Default => Credential.DefaultAzure
    }
  }

  private def missingType = EventHubsErrors.missingOption(
    AuthType.key,
    "Set it to 'clientSecret', 'managedIdentity', 'workloadIdentity', 'default' or 'sas', " +
      "or set a connection string with a key."
  )
}
